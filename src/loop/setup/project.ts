/** What the workspace and the user's folder hold for the agent: agents, rules files, memory (spec P4, M1). */
import type { AgentCatalog } from "../agents/agents.ts";

export interface Project {
  agents: AgentCatalog;
  /** Nearest first. `path` is as shown: relative to its workspace folder, or beginning with `~`. */
  rules: readonly { path: string; text: string }[];
  /** Where lasting notes are kept, and what they say: "" when there are none yet. Undefined without a folder. */
  memory: { path: string; text: string } | undefined;
  /** Of the first workspace folder; undefined outside git. */
  branch: string | undefined;
  /** A sentence for each file that could not be used. */
  problems: readonly string[];
}
