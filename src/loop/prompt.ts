/** The system prompt (spec M1). It stays the same to the byte through a session, so that the provider's cache holds (C7). */
import type { Agent } from "./agents.ts";
import type { PermissionMode } from "./events.ts";

export interface Environment {
  folders: readonly string[];
  platform: string;
  shell: string;
}

export function systemPrompt(agent: Agent, environment: Environment, appended: string): string {
  const { folders, platform, shell } = environment;
  const where =
    folders.length === 0
      ? "No folder is open: there are no files to work on. Say so when a task needs them."
      : `Workspace ${folders.length === 1 ? "folder" : "folders"}: ${folders.join(", ")}. Relative paths start at the first.`;
  const sections = [
    agent.prompt,
    `# Environment\n${where}\nPlatform: ${platform}. Commands run in ${shell}.`,
    appended,
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

const planNote = "The mode is Plan: read and search, then answer with a plan. Nothing may be changed or run.";
const planOver = "The mode is no longer Plan.";

/**
 * What changes between messages goes with them, never into the system prompt (C7): the user's date, the mode.
 * @returns undefined when the last note, `before`, says this already
 */
export function noteFor(now: Date, mode: PermissionMode, before: string | undefined): string | undefined {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `Today is ${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.`;
  const plan = mode === "plan" ? ` ${planNote}` : before?.includes(planNote) ? ` ${planOver}` : "";
  return date + plan === before ? undefined : date + plan;
}
