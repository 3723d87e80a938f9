/** Formats numbers and times. All durations are in ms. */

/** "8 ms", then as `duration`: where milliseconds matter. */
export function preciseDuration(ms: number): string {
  return ms < 95 ? `${Math.round(ms)} ms` : duration(ms);
}

/** "0.2 s", "3.1 s", "24 s", "1 min 12 s": a finished duration. */
export function duration(ms: number): string {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : elapsed(ms);
}

/** A duration in whole seconds, for one that is still counting. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Says how far a restore, or the undo of one, got that was cut off. */
export function cutOffWords({ files, open, isUndo }: { files: number; open: number; isUndo: boolean }): string {
  const [what, done] = isUndo ? ["Undo", "put back"] : ["Restore", "restored"];
  return `${what} interrupted: ${files} of ${count(files + open, "file")} ${done}`;
}

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? "< $0.01" : `$${usd.toFixed(2)}`;
}

/** `partial`: some prices are unknown, so a sum of zero is unknown too. */
export function price(usd: number, partial: boolean): string {
  if (!partial) return dollars(usd);
  return usd === 0 ? "unknown" : `at least ${dollars(usd)}`;
}

/** "950", "1.2 k", "48 k", "1.3 M": tokens, rounded. */
export function rough(n: number): string {
  if (n < 1000) return `${n}`;
  if (n < 9_950) return `${(n / 1000).toFixed(1).replace(".0", "")} k`;
  if (n < 999_500) return `${Math.round(n / 1000)} k`;
  return `${(n / 1_000_000).toFixed(1).replace(".0", "")} M`;
}

const day = 86_400_000;

function daysBetween(then: number, now: number): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(then).setHours(0, 0, 0, 0)) / day);
}

export function dayGroup(then: number, now: number): string {
  const days = daysBetween(then, now);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return days < 7 ? "Last 7 days" : "Older";
}

/** "now", "5 min", "1 h", "Yesterday", "Tue", "12 Mar". */
export function when(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  const days = daysBetween(then, now);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (days <= 0) return `${Math.floor(minutes / 60)} h`;
  if (days === 1) return "Yesterday";
  const date = new Date(then);
  if (days < 7) return date.toLocaleDateString("en", { weekday: "short" });
  return date.toLocaleDateString("en", { day: "numeric", month: "short" });
}

/** "14:02" */
export function clock(moment: number): string {
  return new Date(moment).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
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
