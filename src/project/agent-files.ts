/** Loads agents from Markdown files (spec P4). */

import path from "node:path";
import { isRecord } from "../base/json.ts";
import { msg } from "../l10n/l10n.ts";
import type { Agent } from "../loop/agents/agents.ts";
import { type ConfigRoot, listMarkdown } from "../tools/node-host/config-files.ts";
import { type AgentOrigin, parseAgent } from "./agent-fields.ts";
import { readMarkdownFile } from "./prompt-file.ts";

interface FoundAgents {
  /** The nearest comes last, so that it replaces others of its name. */
  agents: Agent[];
  /** Problems by the agent's name. */
  broken: Map<string, string>;
  problems: string[];
}

/** `roots` are ordered nearest first. A broken file is replaced by the next file of the same name. */
export function findAgents(roots: readonly ConfigRoot[]): FoundAgents {
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
