/**
 * What a rule would allow and still ask, near its border, to show its width before it is given.
 * Its texts are for a shell.
 */

import type { PermissionRequest, Rule, RuleTrial } from "../../chat/requests.ts";
import { ruleSubjectOf } from "../../chat/tool-cards.ts";
import { msg } from "../../l10n/l10n.ts";
import { looseWords } from "../../tools/text/loose-words.ts";
import { matches } from "./rules.ts";

const most = 2;

/** `request`: the question that the rule answers. */
export function tryRule(
  rule: Rule,
  request: Pick<PermissionRequest, "permission" | "patterns" | "preview">,
): RuleTrial {
  const invalid = problemOf(rule);
  if (invalid !== "") return { allows: [], asks: [], invalid };
  const asked = patternsOf(rule.permission, request);
  const { candidates, others } = candidatesFor(rule.permission, asked);
  const isAllowed = (text: string) => matches(rule, { pattern: text, match: "pattern" });
  const texts = [...new Set([...asked, ...candidates])];
  const asks = [...texts.filter((text) => !isAllowed(text)), ...others];
  return { allows: texts.filter(isAllowed).slice(0, most), asks: [...new Set(asks)].slice(0, most), invalid };
}

/** Whether the address names no host: nothing but wildcards, dots and slashes stand before its path. */
function isAnySite(text: string): boolean {
  const [, rest = ""] = /^(?:https?:\/\/)?(.*)$/s.exec(text) ?? [];
  const named = rest.search(/[^*?./]/);
  return named < 0 || rest.slice(0, named).endsWith("/");
}

/** Why a rule cannot be given, a sentence; empty if it can. */
export function problemOf({ permission, pattern }: Rule): string {
  const text = pattern.trim();
  if (text === "") return msg("The rule is empty.");
  switch (ruleSubjectOf(permission)) {
    case "command":
      return /^[*?]/.test(text) ? msg("This would allow everything. Name a program.") : "";
    case "place":
      return /^[~*/\\]+$/.test(text) && /[*/\\]$/.test(text)
        ? msg("This would allow every place on this computer. Name a folder.")
        : "";
    case "address":
      return isAnySite(text) ? msg("This would allow every site. Name one.") : "";
    case "path":
      return isAnything(text) ? msg("This would allow every file. Name a file or a folder.") : "";
    default:
      return "";
  }
}

/** Whether a pattern names nothing: it has only wildcards, and what stands between folders. */
export function isAnything(pattern: string): boolean {
  return !/[^*?\s./\\]/.test(pattern);
}

/** The texts of the question that rules for a permission are about. */
function patternsOf(
  permission: string,
  { permission: asked, patterns, preview }: Pick<PermissionRequest, "permission" | "patterns" | "preview">,
): string[] {
  if (preview.type !== "command") return permission === asked ? [...patterns] : [];
  const parts = preview.parts.filter((part) => part.permission === permission && part.decision === "ask");
  return parts.map(({ text }) => text);
}

interface Candidates {
  /** Nearest first; the rule decides. */
  candidates: string[];
  /** Always ask, whatever the rule says. */
  others: string[];
}

function candidatesFor(permission: string, asked: readonly string[]): Candidates {
  switch (ruleSubjectOf(permission)) {
    case "command":
      return { candidates: asked.flatMap(likeCommand), others: [] };
    case "address":
      return { candidates: asked.flatMap(likeAddress), others: [] };
    case "path":
      return { candidates: asked.flatMap(likePath), others: [".env"] };
    case "place":
      return { candidates: asked.flatMap(likeOutside), others: [] };
    default: {
      const server = /^mcp__(.+?)__/.exec(permission)?.[1];
      return { candidates: [], others: server === undefined ? [] : [msg("other tools of {0}", server)] };
    }
  }
}

/** What people run with a program, so that examples are commands that exist. */
const usual: Readonly<Record<string, string>> = {
  npm: "test, run build, run lint, install, install left-pad, publish",
  pnpm: "test, run build, install, publish",
  yarn: "test, build, install, publish",
  bun: "test, run build, install, publish",
  git: "status, log, diff, add, commit, fetch, pull, checkout, push, push --force, reset --hard",
  cargo: "test, build, check, run, publish",
  go: "test ./..., build ./..., vet ./..., get",
  make: "test, build, clean, install",
  docker: "ps, build ., run alpine, push, rm",
  kubectl: "get pods, apply -f app.yaml, delete pod web",
  gh: "pr list, pr view, pr create, issue list, release create",
  pip: "list, install requests, uninstall requests",
  python: "-m pytest, -m http.server",
  python3: "-m pytest, -m http.server",
  terraform: "plan, apply, destroy",
};
/** Endings with which the same command does more. */
const further: Readonly<Record<string, string>> = {
  "git push": "--force",
  "git commit": "--amend",
  "git branch": "-D main",
  "npm test": "-- --watch",
  "npm install": "left-pad",
  rm: "-rf src",
  curl: "-X POST https://example.com",
};

function likeCommand(command: string): string[] {
  const words = looseWords(command);
  const [program = "", verb = ""] = words;
  const plain = program.split("/").at(-1) ?? program;
  const more = Object.hasOwn(further, `${plain} ${verb}`) ? [`${program} ${verb} ${further[`${plain} ${verb}`]}`] : [];
  const wide = Object.hasOwn(further, plain) ? [`${program} ${further[plain]}`] : [];
  const verbs = Object.hasOwn(usual, plain) ? (usual[plain] ?? "").split(", ").map((rest) => `${program} ${rest}`) : [];
  const near = [...more, ...verbs].sort((one, other) => sharedWords(other, words) - sharedWords(one, words));
  return [...near, ...wide, `sudo ${command}`];
}

function sharedWords(command: string, words: readonly string[]): number {
  const own = looseWords(command);
  const at = own.findIndex((word, index) => word !== words[index]);
  return at < 0 ? own.length : at;
}

function likePath(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const ending = /[^/](\.\w+)$/.exec(path)?.[1] ?? "";
  const above = aboveOf(folder);
  const near = [`${folder}index${ending}`, `${folder}lib/index${ending}`];
  return [...near, ...(folder === "" ? [] : [`${above}index${ending}`, "package.json"]), "src/index.ts"];
}

/** `folder` ends with a slash. */
function aboveOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
}

function likeOutside(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const above = aboveOf(folder);
  return [`${folder}notes.txt`, `${folder}old/notes.txt`, `${above}notes.txt`, "/etc/hosts"];
}

function likeAddress(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { origin, protocol, host, pathname } = new URL(address);
  const page = `${pathname.slice(0, pathname.lastIndexOf("/") + 1)}index.html`;
  const other = host.startsWith("www.") ? host.slice(4) : `www.${host}`;
  return [`${origin}${page}`, `${origin}/`, `${protocol}//${other}/`, "https://example.com/"];
}
