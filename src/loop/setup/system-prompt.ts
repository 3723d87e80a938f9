/** The system prompt at the start of a conversation (spec M1). Its texts are for the model. */

import { never } from "../../base/never.ts";
import type { BackgroundCommand } from "../../chat/events.ts";
import type { Agent } from "../agents/agents.ts";
import type { GitState, Project } from "./project.ts";

export interface Environment {
  folders: readonly string[];
  platform: string;
  shell: string;
  /** When the conversation began. */
  git: GitState;
  /** Name of the model. */
  model: string;
  /** For models of this family. */
  guidance: string;
}

export interface SystemPrompt {
  /** The agent's prompt, the part for the model's family and the environment. */
  base: string;
  rules: string;
  memory: string;
  skills: string;
  added: string;
}

export function systemPrompt(
  agent: Agent,
  environment: Environment,
  { rules, memory, skills, branch }: Pick<Project, "rules" | "memory" | "skills" | "branch">,
  added: readonly string[],
): SystemPrompt {
  return {
    base: joinTexts([agent.prompt, environment.guidance, environmentText(environment, branch)]),
    rules:
      rules.length === 0
        ? ""
        : `# Rules of this project\nThe nearest file comes first; where two disagree, it wins.\n\n${rules.map(section).join("\n\n")}`,
    memory: memory?.text.trim() ? `# Memory\nNotes of earlier sessions.\n\n${section(memory)}` : "",
    skills: skillsText(skills),
    added: joinTexts(added),
  };
}

export function joinPrompt({ base, rules, memory, skills, added }: SystemPrompt): string {
  return joinTexts([base, rules, memory, skills, added]);
}

/** Empty without skills. */
export function skillsText(skills: Project["skills"]): string {
  if (skills.length === 0) return "";
  const lines = skills.map(({ name, description, path }) => `- ${name} (${path}): ${description}`);
  return `# Skills\nInstructions for certain tasks. Before you begin a task that one fits, read its file.\n\n${lines.join("\n")}`;
}

export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function environmentText(environment: Environment, branch: string | undefined): string {
  const { folders, platform, shell, git, model } = environment;
  const [first, ...others] = folders;
  const where =
    first === undefined
      ? "No folder is open: there are no files to work on. Say so when a task needs them."
      : `Workspace folder: ${first}; relative paths start there.`;
  const more = others.length === 0 ? [] : [`Further folders: ${others.join(", ")}.`];
  const repository = first === undefined ? [] : gitText(git, branch);
  const rest = `Platform: ${platform}. Commands run in ${shell}. Model: ${model}.`;
  return ["# Environment", where, ...more, ...repository, rest].join("\n");
}

function gitText(state: GitState, branch: string | undefined): string[] {
  const where = branch === undefined ? "Git repository" : `Git repository, branch ${branch}`;
  switch (state) {
    case "none":
      return ["Not a git repository."];
    case "clean":
      return [`${where}; when the conversation began, nothing was uncommitted.`];
    case "changed":
      return [`${where}; when the conversation began, there were uncommitted changes.`];
    case "unknown":
      return branch === undefined ? [] : [`${where}.`];
    default:
      return never(state);
  }
}

function section({ path, text }: { path: string; text: string }): string {
  return `## ${path}\n${text.trim()}`;
}

export const reminders = {
  goOn: "The conversation above was compacted to save room. Go on with the work where it stood.",
  goOnWithWork: "Now go on with what the user asked.",
  brokenOff:
    "The window was closed while you worked, so your last reply or its calls may be cut off. Go on where you were: do not repeat what is done, and look before doing again what was cut.",
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
