/** Agents, rules files and memory of the workspace and the user's folder (spec P4, M1). */
import type { SessionInfo } from "../../chat/events.ts";
import type { AssistantMessage } from "../../chat/message.ts";
import type { AgentCatalog } from "../agents/agents.ts";

/** What git says of the files: `none` outside a repository, `unknown` where it did not say it in time. */
export type GitState = "none" | "clean" | "changed" | "unknown";

/** The folders that a reply was made in (D2). */
export function pathOf({ cwd }: SessionInfo, { root = cwd }: Pick<Project, "root">): AssistantMessage["path"] {
  return { cwd, root };
}

export interface Project {
  agents: AgentCatalog;
  /** Nearest first. `path` is for display: relative to its workspace folder, or beginning with `~`. */
  rules: readonly { path: string; text: string }[];
  /** Memory file; `text` is "" if it does not exist yet. Undefined without a folder. */
  memory: { path: string; text: string } | undefined;
  /** Instructions that the model reads when a task fits. `path`: what the tool `read` takes. */
  skills: readonly { name: string; description: string; path: string }[];
  /** Git branch of the first workspace folder; undefined outside git. */
  branch: string | undefined;
  /** Top folder of the repository that the first workspace folder is in; undefined outside git. */
  root: string | undefined;
  /** Sessions that the user's own memory file ends (P3): `target` is an id, a folder or "all". Absent: none. */
  endings?: readonly { target: string; reason: string }[];
  problems: readonly string[];
}
