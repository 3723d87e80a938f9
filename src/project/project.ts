/** Loads agents, rules, memory and skills from the workspace and the user's folder (spec P4, M1, C5). */
import path from "node:path";
import { isRecord } from "../base/json.ts";
import { decodeText } from "../base/node/read-checked.ts";
import { findRepository, gitFileLine } from "../base/node/repository.ts";
import { statsOf } from "../base/node/stats.ts";
import { english, msg } from "../l10n/l10n.ts";
import { type Agent, AgentCatalog } from "../loop/agents/agents.ts";
import type { Project } from "../loop/setup/project.ts";
import {
  type ConfigPlaces,
  type ConfigRoot,
  configRoots,
  listMarkdown,
  readConfigFile,
} from "../tools/node-host/config-files.ts";
import { type AgentOrigin, parseAgent } from "./agent-fields.ts";
import { readMarkdownFile } from "./prompt-file.ts";
import { toldSkills } from "./skill-files.ts";

/** Never throws: files that cannot be used become problems. */
export function loadProject(sources: ConfigPlaces): Project {
  const { folders, trusted } = sources;
  const roots = configRoots(sources);
  const { agents, broken, problems } = findAgents(roots);
  const { rules, problems: withRules } = rulesOf(roots);
  const { memory, problems: withMemory } = memoryOf(roots[0]);
  const { skills, problems: withSkills } = toldSkills(roots);
  return {
    agents: new AgentCatalog(agents, broken),
    rules,
    memory,
    skills,
    branch: folders[0] === undefined ? undefined : branchOf(folders[0]),
    root: folders[0] === undefined ? undefined : findRepository(folders[0])?.root,
    endings: endingsOf(roots),
    problems: [...(trusted ? [] : untrusted(folders)), ...problems, ...withRules, ...withMemory, ...withSkills],
  };
}

const ownFiles = [".rondo", ".claude", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md"];

function untrusted(folders: readonly string[]): string[] {
  const isThere = (name: string) => folders.some((folder) => statsOf(path.join(folder, name)) !== undefined);
  const left = ownFiles.filter(isThere);
  if (left.length === 0) return [];
  const names = left.join(", ");
  return [msg("This workspace is not trusted, so its own agents, rules, memory and hooks are not used ({0}).", names)];
}

// Reads the current branch from git's files, because starting git would take much longer.

/** Returns the branch's name, "detached at 1a2b3c4", or undefined outside git. Also searches the parent folders. */
export function branchOf(folder: string): string | undefined {
  const repository = findRepository(folder);
  const head = repository && gitFileLine(repository.gitDir, "HEAD");
  if (head === undefined) return undefined;
  if (/^[0-9a-f]{40,64}$/.test(head)) return msg("detached at {0}", head.slice(0, 7));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // It goes into the prompt, so it must be a name that git allows. `.invalid` stands for other formats.
  return branch !== undefined && /^[^\s\p{C}~^:?*[\\]{1,200}$/u.test(branch) && branch !== ".invalid"
    ? branch
    : undefined;
}

// Loads agents from Markdown files (spec P4).

interface FoundAgents {
  /** The nearest comes last, so that it replaces others of its name. */
  agents: Agent[];
  /** Problems by the agent's name. */
  broken: Map<string, string>;
  problems: string[];
}

/** `roots` are ordered nearest first. A broken file is replaced by the next file of the same name. */
function findAgents(roots: readonly ConfigRoot[]): FoundAgents {
  const agents: Agent[] = [];
  const broken = new Map<string, string>();
  const problems: string[] = [];
  const found = roots.map(candidates);
  problems.push(...found.flatMap((one) => one.problems));
  for (const { root, name } of found.flatMap(({ root, names }) => names.map((name) => ({ root, name })))) {
    const shown = root.prefix + name;
    const loaded = loadAgent(root, name);
    if (loaded.type === "missing") continue;
    if (loaded.type === "broken") {
      const problem = msg("The agent in {0} cannot be used: {1}.", shown, loaded.why);
      problems.push(problem);
      if (!broken.has(loaded.name)) broken.set(loaded.name, problem);
      continue;
    }
    agents.push(loaded.agent);
    problems.push(...loaded.notes.map((note) => msg("The agent in {0}: {1}.", shown, note)));
  }
  return { agents: agents.reverse(), broken, problems };
}

function candidates(root: ConfigRoot): { root: ConfigRoot; names: string[]; problems: string[] } {
  const listed = [".rondo/agents", ".claude/agents"].map((folder) => listMarkdown(root, folder));
  const names = listed.flatMap((one) => one.names);
  if (root.source === "workspace") names.push("AGENT.md");
  return { root, names, problems: listed.flatMap((one) => one.problems) };
}

type LoadedAgent =
  | { type: "missing" }
  | { type: "agent"; agent: Agent; notes: string[] }
  | { type: "broken"; name: string; why: string };

function loadAgent(root: ConfigRoot, name: string): LoadedAgent {
  const fileName = path.posix.basename(name, ".md");
  const found = readMarkdownFile(root, name);
  if (found.type === "missing") return found;
  if (found.type === "broken") return { ...found, name: fileName };
  const { markdown } = found;
  // Claude Code's agents are always subagents.
  const mode: AgentOrigin["mode"] = name.startsWith(".claude/") ? "subagent" : "all";
  const parsed = parseAgent(markdown, { source: root.source, fileName, mode });
  if (parsed.type === "agent") return parsed;
  const given = isRecord(markdown.data) ? markdown.data["name"] : undefined;
  return { type: "broken", name: typeof given === "string" ? given : fileName, why: parsed.fields.join("; ") };
}

// Reads the rules of the workspace and the user for all agents, and the memory file (spec M1, C5).

/** Maximum size of one rules file and of all together: about 10,000 and 25,000 tokens. */
const fileLimit = 40 * 1024;
const totalLimit = 100 * 1024;
/** Maximum size of the memory file. */
const memoryLimit = 24 * 1024;

const workspaceFiles = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
const userFiles = [".rondo/AGENTS.md", ".claude/CLAUDE.md"];
const memoryFile = ".rondo/MEMORY.md";

/** `roots` are ordered nearest first. Equal texts count once, for example when `CLAUDE.md` links to `AGENTS.md`. */
function rulesOf(roots: readonly ConfigRoot[]): { rules: Project["rules"]; problems: string[] } {
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
function memoryOf(root: ConfigRoot | undefined): { memory: Project["memory"]; problems: string[] } {
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
function endingsOf(roots: readonly ConfigRoot[]): NonNullable<Project["endings"]> {
  const own = roots.find(({ source }) => source === "user");
  if (!own || roots.some(({ source, folder }) => source === "workspace" && folder === own.folder)) return [];
  const found = readConfigFile(own, memoryFile, memoryLimit, "end");
  const text = found.type === "file" ? decodeText(found.bytes) : undefined;
  return [...(text ?? "").matchAll(ending)].map(([, words = ""]) => {
    const [target = "", ...reason] = words.trim().split(beforeReason);
    return { target: target.trim(), reason: reason.join(" - ").trim() };
  });
}
