/** Where a call does its work, and for how long, in words. */

import { never } from "../../src/base/never.ts";
import type { CommandPreview, Preview } from "../../src/chat/requests.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { relative } from "../text/format.ts";

/** `folder`: the session's. Empty where the title and the preview say it already. */
export function whereItIs(preview: Preview, folder: string): string {
  const name = baseName(folder);
  switch (preview.type) {
    case "command":
      return whereItRuns(preview, folder);
    case "diff":
      return inFolder([preview.diff.path], folder);
    case "diffs":
      return inFolder(
        preview.diffs.map(({ path }) => path),
        folder,
      );
    case "deletion":
      return inFolder(
        preview.files.map(({ path }) => path),
        folder,
      );
    case "path":
      return t("The workspace is {0}.", name);
    case "secret":
      return [inFolder([preview.path], folder), t("It may hold secrets.")].filter(Boolean).join(" ");
    case "arguments":
      if (preview.server === "") return t("A tool of VS Code or of another extension.");
      return t("A tool of the MCP server {0}.", preview.server);
    case "page":
    case "text":
      return "";
    default:
      return never(preview);
  }
}

/** "In shop/src.": the folder that holds all files; empty if one of them is outside of the session's. */
function inFolder(paths: readonly string[], folder: string): string {
  const [first, ...others] = paths.map((path) => relative(path, folder).split(/[/\\]/).slice(0, -1));
  const isOutside = paths.some((path) => /^(?:[/\\]|[A-Za-z]:|\.\.)/.test(relative(path, folder)));
  if (!first || isOutside) return "";
  const end = first.findIndex((name, at) => others.some((names) => names[at] !== name));
  const names = [baseName(folder), ...first.slice(0, end < 0 ? undefined : end)];
  return t("In {0}.", names.join("/"));
}

/** `folder`: the session's. "In shop, with bash, for 2 minutes at most." */
function whereItRuns({ cwd, shell, timeoutMs }: CommandPreview, folder: string): string {
  const inside = cwd.startsWith(`${folder}/`) || cwd.startsWith(`${folder}\\`);
  const place = cwd === folder || inside ? `${baseName(folder)}${cwd.slice(folder.length)}` : cwd;
  const how = timeoutMs === undefined ? t("in the background") : t("for {0} at most", duration(timeoutMs));
  return escapeInvisible(t("In {0}.", [place, ...(shell === "" ? [] : [t("with {0}", shell)]), how].join(", ")));
}

export function baseName(folder: string): string {
  return folder.split(/[/\\]/).findLast((name) => name !== "") ?? folder;
}

function duration(ms: number): string {
  return ms % 60_000 === 0
    ? counted(ms / 60_000, "a minute", "{0} minutes")
    : counted(Math.ceil(ms / 1000), "a second", "{0} seconds");
}
