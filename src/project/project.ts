/** Loads agents, rules, memory and skills from the workspace and the user's folder (spec P4, M1, C5). */

import path from "node:path";
import { findRepository } from "../base/node/repository.ts";
import { statsOf } from "../base/node/stats.ts";
import { msg } from "../l10n/l10n.ts";
import { AgentCatalog } from "../loop/agents/agents.ts";
import type { Project } from "../loop/setup/project.ts";
import { type ConfigPlaces, configRoots } from "../tools/node-host/config-files.ts";
import { findAgents } from "./agent-files.ts";
import { branchOf } from "./git-branch.ts";
import { endingsOf, memoryOf, rulesOf } from "./rules-files.ts";
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
