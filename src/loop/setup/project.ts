/** Agents, rules files and memory of the workspace and the user's folder (spec P4, M1). */
import type { AgentCatalog } from "../agents/agents.ts";

export interface Project {
  agents: AgentCatalog;
  /** Nearest first. `path` is as shown: relative to its workspace folder, or beginning with `~`. */
  rules: readonly { path: string; text: string }[];
  /** File of lasting notes; `text` is "" when there are none yet. Undefined without a folder. */
  memory: { path: string; text: string } | undefined;
  /** Git branch of the first workspace folder; undefined outside git. */
  branch: string | undefined;
  problems: readonly string[];
}
