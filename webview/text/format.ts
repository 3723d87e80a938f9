/** Formats numbers and times. All durations are in ms. */

import { counted, formatted, language, t } from "../../src/l10n/l10n.ts";

const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const atMostTenths = { maximumFractionDigits: 1 };

/** `Intl` rounds 3.65, which is a little less in binary, to 3.7: a figure must not depend on who writes it. */
const rounded = (n: number, digits: number) => Number(n.toFixed(digits));

/** "8 ms", then as `duration`: where milliseconds matter. */
export function preciseDuration(ms: number): string {
  return ms < 95 ? t("{0} ms", Math.round(ms)) : duration(ms);
}

/** "0.2 s", "3.1 s", "24 s", "1 min 12 s": a finished duration. */
export function duration(ms: number): string {
  return ms < 9_950 ? t("{0} s", formatted(rounded(ms / 1000, 1), tenths)) : elapsed(ms);
}

/** A duration in whole seconds, for one that is still counting. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} min {1} s", minutes, seconds % 60);
  return t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

/** Says how far a restore, or the undo of one, got that was cut off. */
export function cutOffWords({ files, open, isUndo }: { files: number; open: number; isUndo: boolean }): string {
  const all = counted(files + open, "{0} file", "{0} files");
  return isUndo
    ? t("Undo interrupted: {0} of {1} put back", files, all)
    : t("Restore interrupted: {0} of {1} restored", files, all);
}

const money = (usd: number) => formatted(rounded(usd, 2), { style: "currency", currency: "USD" });

/** What `price` says of a price that nobody knows. */
export const unknownPrice = () => t("unknown");

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? `< ${money(0.01)}` : money(usd);
}

/** `partial`: some prices are unknown, so a sum of zero is unknown too. */
export function price(usd: number, partial: boolean): string {
  if (!partial) return dollars(usd);
  return usd === 0 ? unknownPrice() : t("at least {0}", dollars(usd));
}

/** "950", "1.2 k", "48 k", "1.3 M": tokens, rounded. */
export function rough(n: number): string {
  if (n < 1000) return `${n}`;
  if (n < 9_950) return `${formatted(rounded(n / 1000, 1), atMostTenths)} k`;
  if (n < 999_500) return `${Math.round(n / 1000)} k`;
  return `${formatted(rounded(n / 1_000_000, 1), atMostTenths)} M`;
}

const day = 86_400_000;

function daysBetween(then: number, now: number): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(then).setHours(0, 0, 0, 0)) / day);
}

export function dayGroup(then: number, now: number): string {
  const days = daysBetween(then, now);
  if (days <= 0) return t("Today");
  if (days === 1) return t("Yesterday");
  return days < 7 ? t("Last 7 days") : t("Older");
}

/** "now", "5 min", "1 h", "Yesterday", "Tue", "12 Mar". */
export function when(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  const days = daysBetween(then, now);
  if (minutes < 1) return t("now");
  if (minutes < 60) return t("{0} min", minutes);
  if (days <= 0) return t("{0} h", Math.floor(minutes / 60));
  if (days === 1) return t("Yesterday");
  const date = new Date(then);
  if (days < 7) return date.toLocaleDateString(language(), { weekday: "short" });
  return date.toLocaleDateString(language(), { day: "numeric", month: "short" });
}

/** "just now", "5 min ago", "yesterday", "on 12 Mar": within a sentence. */
export function whenInSentence(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  const days = daysBetween(then, now);
  if (minutes < 1) return t("just now");
  if (minutes < 60) return t("{0} min ago", minutes);
  if (days <= 0) return t("{0} h ago", Math.floor(minutes / 60));
  return days === 1 ? t("yesterday") : t("on {0}", when(then, now));
}

/** "14:02" */
export function clock(moment: number): string {
  return new Date(moment).toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Returns `path` relative to the folder `cwd`, if it is inside. */
export function relative(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`) ? path.slice(cwd.length + 1) : path;
}

/** Cuts a text after `most` characters: text of megabytes slows the page down. "…" stands for the rest. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
