/** The system prompt (spec M1). It never changes during a session, so that the provider's cache holds (C7). */
import type { BackgroundCommand, PermissionMode } from "../../chat/events.ts";
import type { Agent } from "../agents/agents.ts";
import type { Project } from "./project.ts";

export interface Environment {
  folders: readonly string[];
  platform: string;
  shell: string;
}

export interface SystemPrompt {
  /** The agent's prompt and the environment. */
  base: string;
  rules: string;
  memory: string;
  added: string;
}

export function systemPrompt(
  agent: Agent,
  environment: Environment,
  { rules, memory, branch }: Pick<Project, "rules" | "memory" | "branch">,
  added: readonly string[],
): SystemPrompt {
  return {
    base: paragraphs([agent.prompt, environmentText(environment, branch)]),
    rules:
      rules.length === 0
        ? ""
        : `# Rules of this project\nThe nearest file comes first; where two disagree, it wins.\n\n${rules.map(section).join("\n\n")}`,
    memory: memory?.text.trim() ? `# Memory\nNotes of earlier sessions.\n\n${section(memory)}` : "",
    added: paragraphs(added),
  };
}

export function joinPrompt({ base, rules, memory, added }: SystemPrompt): string {
  return paragraphs([base, rules, memory, added]);
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function environmentText({ folders, platform, shell }: Environment, branch: string | undefined): string {
  const where =
    folders.length === 0
      ? "No folder is open: there are no files to work on. Say so when a task needs them."
      : `Workspace ${folders.length === 1 ? "folder" : "folders"}: ${folders.join(", ")}. Relative paths start at the first.`;
  const git = branch === undefined ? "" : ` Git branch when the session began: ${branch}.`;
  return `# Environment\n${where}\nPlatform: ${platform}. Commands run in ${shell}.${git}`;
}

function section({ path, text }: { path: string; text: string }): string {
  return `## ${path}\n${text.trim()}`;
}

export const planNote = "The mode is Plan: read and search, then answer with a plan. Nothing may be changed or run.";
const planOver = "The mode is no longer Plan.";

/** Date and mode are sent with messages, never in the system prompt (C7). Undefined if `before` says the same. */
export function noteFor(now: Date, mode: PermissionMode, before: string | undefined): string | undefined {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `Today is ${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.`;
  const plan = mode === "plan" ? ` ${planNote}` : before?.includes(planNote) ? ` ${planOver}` : "";
  return date + plan === before ? undefined : date + plan;
}

export const reminders = {
  goOn: "The conversation above was compacted to save room. Go on with the work where it stood.",
  goOnWithWork: "Now go on with what the user asked.",
  cut: "Your reply was cut because it reached the most tokens that one reply may have. Go on exactly where it stopped; do not repeat what you have said. If a tool call was cut, make it again in smaller pieces.",
  lastStep:
    "This is your last step: tools are off now. Answer with what was done, what is left to do, and what you would do next.",
  ended: (commands: readonly BackgroundCommand[]) => commands.map(endedText).join("\n\n"),
} as const;

const toldLines = 10;

function endedText({ id, command, state, last }: BackgroundCommand): string {
  const how = state.type === "ended" ? state.words : state.type;
  const output = last.trim().split("\n").slice(-toldLines).join("\n");
  const tail = output === "" ? "It has put out nothing." : `The last of its output:\n${output}`;
  return `The background command ${id} (${command}) has ended: ${how}. ${tail}`;
}
