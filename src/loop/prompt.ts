/** The system prompt (spec M1). It stays the same to the byte through a session, so that the provider's cache holds (C7). */
import type { Agent } from "./agents.ts";

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

/** What changes between messages goes with them, never into the system prompt (C7). */
export function dateNote(now: Date): string {
  return `Today is ${now.toISOString().slice(0, 10)}.`;
}
