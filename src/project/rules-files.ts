/** Reads the rules of the workspace and the user for all agents, and the memory file (spec M1, C5). */

import { decodeText } from "../base/node/read-checked.ts";
import { english, msg } from "../l10n/l10n.ts";
import type { Project } from "../loop/setup/project.ts";
import { type ConfigRoot, listMarkdown, readConfigFile } from "../tools/node-host/config-files.ts";

/** Maximum size of one rules file and of all together: about 10,000 and 25,000 tokens. */
const fileLimit = 40 * 1024;
const totalLimit = 100 * 1024;
/** Maximum size of the memory file. */
const memoryLimit = 24 * 1024;

const workspaceFiles = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
const userFiles = [".rondo/AGENTS.md", ".claude/CLAUDE.md"];
const memoryFile = ".rondo/MEMORY.md";

/** `roots` are ordered nearest first. Equal texts count once, for example when `CLAUDE.md` links to `AGENTS.md`. */
export function rulesOf(roots: readonly ConfigRoot[]): { rules: Project["rules"]; problems: string[] } {
  const rules: { path: string; text: string }[] = [];
  const problems: string[] = [];
  const known = new Set<string>();
  let left = totalLimit;
  for (const root of roots) {
    const named = root.source === "workspace" ? workspaceFiles : userFiles;
    const listed = listMarkdown(root, ".rondo/rules");
    problems.push(...listed.problems);
    for (const name of [...named, ...listed.names]) {
      const path = root.prefix + name;
      const found = readConfigFile(root, name, fileLimit);
      if (found.type === "missing") continue;
      const text = found.type === "file" ? decodeText(found.bytes)?.trim() : undefined;
      if (found.type !== "file" || text === undefined) {
        problems.push(
          msg("{0} is not used: {1}.", path, found.type === "unusable" ? found.why : msg("it is not text")),
        );
        continue;
      }
      if (text === "" || known.has(text)) continue;
      known.add(text);
      if (left <= 0) {
        problems.push(
          msg("{0} is not used: the rules files before it fill the {1} KiB there are.", path, totalLimit / 1024),
        );
        continue;
      }
      const kept = Math.min(found.bytes.length, left);
      left -= kept;
      if (kept === found.size) {
        rules.push({ path, text });
        continue;
      }
      const [used, all] = [Math.floor(kept / 1024), Math.ceil(found.size / 1024)];
      problems.push(msg("{0} is too long: only its first {1} of {2} KiB are used.", path, used, all));
      const cut = english(`[Too long: only its first ${used} of ${all} KiB are used.]`);
      rules.push({ path, text: `${decodeText(found.bytes.subarray(0, kept))?.trim()}\n\n${cut}` });
    }
  }
  return { rules, problems };
}

/** Reads the memory file of the first folder. Notes are added at the end, so the end of a long file is used. */
export function memoryOf(root: ConfigRoot | undefined): { memory: Project["memory"]; problems: string[] } {
  if (root?.source !== "workspace") return { memory: undefined, problems: [] };
  const empty = { path: memoryFile, text: "" };
  const found = readConfigFile(root, memoryFile, memoryLimit, "end");
  if (found.type === "missing") return { memory: empty, problems: [] };
  const text = found.type === "file" ? decodeText(found.bytes)?.trim() : undefined;
  if (found.type !== "file" || text === undefined) {
    const why = found.type === "unusable" ? found.why : msg("it is not text");
    return { memory: empty, problems: [msg("{0} is not used: {1}.", memoryFile, why)] };
  }
  if (found.bytes.length === found.size) return { memory: { path: memoryFile, text }, problems: [] };
  const [used, all] = [memoryLimit / 1024, Math.ceil(found.size / 1024)];
  const cut = english(`[Too long: only its last ${used} of ${all} KiB are used.]`);
  // The first line may be incomplete.
  const whole = text.slice(text.indexOf("\n") + 1);
  return {
    memory: { path: memoryFile, text: `${cut}\n\n${whole}` },
    problems: [msg("{0} is too long: only its last {1} of {2} KiB are used.", memoryFile, used, all)],
  };
}

/** `End session: all`, `End session: ses_01… - it is done`; also as an item of a list. */
const ending = /^[ \t]*(?:[-*][ \t]+)?End session:[ \t]+(\S.*)$/gm;
const beforeReason = /[ \t]-[ \t]/;

/**
 * Returns the sessions that the user's own memory file ends (P3). The workspace's file ends none: it comes with the
 * project, and the model writes it. That holds where the home folder itself is the workspace, too.
 */
export function endingsOf(roots: readonly ConfigRoot[]): NonNullable<Project["endings"]> {
  const own = roots.find(({ source }) => source === "user");
  if (!own || roots.some(({ source, folder }) => source === "workspace" && folder === own.folder)) return [];
  const found = readConfigFile(own, memoryFile, memoryLimit, "end");
  const text = found.type === "file" ? decodeText(found.bytes) : undefined;
  return [...(text ?? "").matchAll(ending)].map(([, words = ""]) => {
    const [target = "", ...reason] = words.trim().split(beforeReason);
    return { target: target.trim(), reason: reason.join(" - ").trim() };
  });
}
