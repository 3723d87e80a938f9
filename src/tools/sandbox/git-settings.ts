/** Finds what the settings of git name: more settings, hooks, and programs that git runs. Pure but for reading files. */
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { looseWords } from "../text/loose-words.ts";

interface NamedBySettings {
  /** Absolute. */
  at: string;
  /** `words` may name a file or something else. */
  as: "settings" | "hooks" | "program" | "words";
}

interface Setting {
  /** Section, sub-section and name. */
  key: string;
  value: string;
}

/** git-config(1) 2.51 and gitattributes(5): their values are commands, or programs. */
const runs = new RegExp(
  `^(?:${[
    "core\\.(?:fsmonitor|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand)|sequence\\.editor",
    "(?:alias|pager)\\..+|interactive\\.difffilter|diff\\.(?:external|.+\\.(?:command|textconv))|merge\\..+\\.driver",
    "(?:difftool|mergetool|man|browser)\\..+\\.(?:cmd|path)|web\\.browser|filter\\..+\\.(?:clean|smudge|process)",
    "gpg\\.(?:.+\\.)?(?:program|defaultkeycommand)|credential\\.(?:.+\\.)?helper|trailer\\..+\\.(?:cmd|command)",
    "remote\\..+\\.(?:uploadpack|receivepack|vcs)|uploadpack\\.packobjectshook|tar\\..+\\.command|hook\\..+\\.command",
    "submodule\\..+\\.update|sendemail\\..+|imap\\.tunnel|instaweb\\.httpd|lfs\\.customtransfer\\..+\\.(?:path|args)",
  ].join("|")})$`,
  "i",
);

/** Git reads no more levels of files that include each other. */
const maxIncludes = 10;

/** The user's own settings of git, which hold in each repository. */
export function userSettings(home = os.homedir()): string[] {
  const config = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const set = process.env["GIT_CONFIG_GLOBAL"];
  return [path.join(home, ".gitconfig"), path.join(config, "git", "config"), ...(set ? [path.resolve(set)] : [])];
}

/** `top`: the folder in which git runs hooks and programs, that of the files or of a bare repository. */
export function namedBySettings(file: string, top: string, depth = 0): NamedBySettings[] {
  return settingsIn(file).flatMap(({ key, value }): NamedBySettings[] => {
    if (/^include(?:if\..+)?\.path$/i.test(key)) {
      const at = resolved(value, path.dirname(file));
      const further = depth < maxIncludes ? namedBySettings(at, top, depth + 1) : [];
      return [{ at, as: "settings" }, ...further];
    }
    if (/^core\.hookspath$/i.test(key)) return value === "" ? [] : [{ at: resolved(value, top), as: "hooks" }];
    if (!runs.test(key)) return [];
    return looseWords(value, "$=!").map((word, index) => ({
      at: resolved(word, top),
      as: index === 0 && word.includes("/") ? "program" : "words",
    }));
  });
}

function resolved(name: string, folder: string): string {
  return /^~\//.test(name) ? path.join(os.homedir(), name.slice(2)) : path.resolve(folder, name);
}

/** Reads a file of git's settings without those that it includes. */
export function settingsIn(file: string): Setting[] {
  const text = attempt(() => readFileSync(file, "utf8"), "");
  const found: Setting[] = [];
  let section = "";
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const header = headerIn(line);
    if (header) section = header.section;
    const setting = header?.rest ?? line;
    const equals = setting.indexOf("=");
    const name = (equals < 0 ? setting : setting.slice(0, equals)).trim();
    const value = equals < 0 ? "" : setting.slice(equals + 1);
    if (/^[a-z][\w-]*$/i.test(name)) found.push({ key: `${section}.${name}`, value: plainValue(value) });
  }
  return found;
}

/** Returns the section that a line begins, as `section.sub-section`, and what follows on the line. */
function headerIn(line: string): { section: string; rest: string } | undefined {
  const text = line.trimStart();
  if (!text.startsWith("[")) return undefined;
  const [quote, bracket] = [text.indexOf('"'), text.indexOf("]")];
  if (bracket < 0) return undefined;
  if (quote < 0 || bracket < quote) return { section: text.slice(1, bracket).trim(), rest: text.slice(bracket + 1) };
  let name = "";
  let at = quote + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\") at++;
    name += text[at] ?? "";
  }
  const end = text.indexOf("]", at);
  return end < 0 ? undefined : { section: `${text.slice(1, quote).trim()}.${name}`, rest: text.slice(end + 1) };
}

/** Without comments, quotes and escapes. */
function plainValue(text: string): string {
  let plain = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === "\\") plain += text[++at] ?? "";
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (letter === "#" || letter === ";")) break;
    else plain += letter;
  }
  return plain.trim();
}
