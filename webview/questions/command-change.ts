/** What the user changed in a command, in words. */

import { t } from "../../src/l10n/l10n.ts";

const mostWords = 300;
const mostShown = 3;
const longestShown = 40;

/** The changed texts between backticks: "Rondo is told that you removed `rm -rf build`." */
export function changeInWords(before: string, after: string): string {
  const { removed, added } = changed(before.match(/\S+/g) ?? [], after.match(/\S+/g) ?? []);
  if (removed.length === 0 && added.length === 0) return t("Rondo is told of your change.");
  if (added.length === 0) return t("Rondo is told that you removed {0}.", listed(removed));
  if (removed.length === 0) return t("Rondo is told that you added {0}.", listed(added));
  return t("Rondo is told that you removed {0} and added {1}.", listed(removed), listed(added));
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, mostShown).map((text) => {
    const short = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
    return `\`${short.replaceAll("`", "'")}\``;
  });
  if (texts.length > mostShown) shown.push(t("{0} more", texts.length - mostShown));
  return shown.length < 2 ? shown.join("") : t("{0} and {1}", shown.slice(0, -1).join(", "), shown.at(-1) ?? "");
}

/** Neighbours that went or came together are one text. */
function changed(before: readonly string[], after: readonly string[]): { removed: string[]; added: string[] } {
  if (before.length > mostWords || after.length > mostWords) return { removed: [], added: [] };
  const common = commonLengths(before, after);
  const removed: string[][] = [];
  const added: string[][] = [];
  let isKept = true;
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      isKept = true;
      i += 1;
      j += 1;
      continue;
    }
    if (isKept) {
      removed.push([]);
      added.push([]);
      isKept = false;
    }
    const dropsOld = (common[i + 1]?.[j] ?? -1) >= (common[i]?.[j + 1] ?? -1);
    if (old !== undefined && (fresh === undefined || dropsOld)) {
      removed.at(-1)?.push(old);
      i += 1;
    } else if (fresh !== undefined) {
      added.at(-1)?.push(fresh);
      j += 1;
    }
  }
  const joined = (groups: readonly string[][]) =>
    groups.filter((words) => words.length > 0).map((words) => words.join(" "));
  return { removed: joined(removed), added: joined(added) };
}

/** The longest common rest from each pair of places. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    const row = common[i];
    for (let j = after.length - 1; row && j >= 0; j--) {
      const next = common[i + 1];
      row[j] = before[i] === after[j] ? (next?.[j + 1] ?? 0) + 1 : Math.max(next?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return common;
}
