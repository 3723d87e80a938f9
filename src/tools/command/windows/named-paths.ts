/**
 * The places that a word of a Windows command may name, in the forms that PowerShell and cmd understand (about_Providers,
 * about_Parameters; "Naming Files, Paths, and Namespaces" for devices, streams and short names).
 */

export type WindowsPlace =
  /** With `/`, as every system understands it; a pattern if it holds wildcards or unknown pieces. */
  | { type: "path"; path: string }
  /** A share, a device, another drive, or data that is no file. */
  | { type: "elsewhere"; name: string }
  /** All environment variables. */
  | { type: "environment"; name: string };

/** A word may be a switch with a value, an assignment, a file of arguments, or a program glued to its argument. */
export function windowsPlaces(word: string): WindowsPlace[] {
  const candidates = new Set([word, ...valuesIn(word)]);
  return [...candidates].flatMap((candidate) => placeOf(candidate) ?? []);
}

function valuesIn(word: string): string[] {
  // PowerShell takes typographic dashes for `-`.
  const inSwitch = /^[-/\u2013\u2014\u2015]{1,2}[\w-]+[:=](.+)$/s.exec(word)?.[1];
  const assigned = word.includes("=") ? word.slice(word.indexOf("=") + 1) : undefined;
  const inFile = /^(?:[-\u2013\u2014\u2015]\w+)?@(.+)$/s.exec(word)?.[1];
  // cmd runs `type.\x` and `cd..`.
  const glued =
    /^(?:type|copy|del|erase|more|move|ren|rename|cd|chdir|md|mkdir|rd|rmdir|dir|start|mklink)([.\\/:].*)$/is;
  return [inSwitch, assigned, inFile, glued.exec(word)?.[1]].filter(
    (part): part is string => part !== undefined && part !== "",
  );
}

/** Drives of PowerShell that hold no files. */
const dataDrive = /^(?:env|alias|function|variable|cert|wsman|hklm|hkcu|hkcr|hku|hkcc):/i;

function placeOf(name: string): WindowsPlace | undefined {
  const path = name.replaceAll("\\", "/");
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(path)) {
    return /^file:/i.test(path)
      ? placeOf(path.replace(/^file:\/\/(?:localhost)?/i, "").replace(/^\/(?=[a-z]:)/i, ""))
      : undefined;
  }
  const provider = /^([\w./]+)::(.*)$/s.exec(path);
  if (provider && /(?:^|\/)filesystem$/i.test(provider[1] ?? "")) return placeOf(provider[2] ?? "");
  if (provider && /(?:^|\/)environment$/i.test(provider[1] ?? "")) return { type: "environment", name };
  if (provider && /(?:^|\/)(?:registry|certificate|wsman|variable|function|alias)$/i.test(provider[1] ?? ""))
    return { type: "elsewhere", name };
  if (/^env:[/]?(?:$|.*[*?[])/is.test(path)) return { type: "environment", name };
  if (dataDrive.test(path)) return { type: "elsewhere", name };
  const onDevice = path.replace(/^\/\/[?.]\/(?=[a-z]:)/i, "").replace(/^\/\/\?\/unc\//i, "//");
  if (/^\/\//.test(onDevice)) return { type: "elsewhere", name };
  // Nothing but a switch.
  if (
    /^[-\u2013\u2014\u2015]/.test(path) ||
    (/^\/[\w?-]+$/.test(path) && !path.slice(1).includes("/") && path.length <= 4)
  )
    return undefined;
  return fileOf(onDevice);
}

function fileOf(path: string): WindowsPlace {
  const names = path.split("/").map(withoutEnding).map(longName);
  const whole = names.join("/");
  return { type: "path", path: whole };
}

/** Windows ignores dots and spaces at the end of a name, and `name:stream` is part of the file. */
function withoutEnding(name: string): string {
  const file = /^[a-z]:/i.test(name) ? name : name.replace(/(?<=.):.*/s, "");
  return /^\.{1,2}$/.test(file) ? file : file.replace(/(?<=[^. ])[. ]+$/, "");
}

/**
 * A short name such as `ENV~1` or `CREDEN~1.JSO` has up to six letters of the long one, which may begin with dots; after
 * the fourth of its kind just two, and a checksum.
 */
function longName(name: string): string {
  const short = /^([^~]{1,6})~\d{1,6}(?:\.([^.]{0,3}))?$/.exec(name);
  if (!short) return name;
  const [, start = "", ending] = short;
  return `*${start.slice(0, 2)}*${ending ? `.${ending}*` : ""}`;
}
