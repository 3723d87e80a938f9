/** Agents, rules files and memory of the workspace and the user's folder (spec P4, M1). */
import type { AgentCatalog } from "../agents/agents.ts";

/** What git says of the files: `none` outside a repository, `unknown` where it did not say it in time. */
export type GitState = "none" | "clean" | "changed" | "unknown";

export interface Project {
  agents: AgentCatalog;
  /** Nearest first. `path` is for display: relative to its workspace folder, or beginning with `~`. */
  rules: readonly { path: string; text: string }[];
  /** Memory file; `text` is "" if it does not exist yet. Undefined without a folder. */
  memory: { path: string; text: string } | undefined;
  /** Git branch of the first workspace folder; undefined outside git. */
  branch: string | undefined;
  problems: readonly string[];
}
