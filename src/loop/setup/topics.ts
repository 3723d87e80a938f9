/**
 * Topics about the model's surroundings: in the system prompt at first, appended when they change (C7, M1).
 * Its texts are for the model.
 */
import type { PermissionMode } from "../../chat/permission-mode.ts";
import type { Agent } from "../agents/agents.ts";
import type { Thinking } from "../model.ts";
import type { Project } from "./project.ts";
import { skillsText } from "./system-prompt.ts";

export interface Topic {
  name: string;
  /** Equal values mean that nothing has changed. */
  value: string;
  /** Text for a model that knew another value. */
  change: string;
  /** File with the text: a model that has read or written its present version is not told. */
  path?: string;
}

/** Returns the topics of the system prompt that may change later. */
export function promptTopics(
  agent: Agent,
  { rules, memory, skills, branch }: Pick<Project, "rules" | "memory" | "skills" | "branch">,
  model: { id: string; label: string; guidance: string },
  added: string,
): Topic[] {
  const topics: Topic[] = [
    {
      name: "agent",
      value: `${agent.name} ${digest(agent.prompt)}`,
      change: `From now on you are the agent ${agent.name}. These instructions replace those that the system prompt begins with:\n\n${agent.prompt}`,
    },
    { name: "model", value: model.id, change: `You are now the model ${model.label}. ${model.guidance}`.trim() },
  ];
  for (const { path, text } of rules) {
    const change = `The rules file ${path} now says:\n\n${text.trim()}`;
    topics.push({ name: rulesTopic + path, value: digest(text), change, path });
  }
  if (memory?.text.trim()) {
    const { path, text } = memory;
    topics.push({
      name: "memory",
      value: digest(text),
      change: `Your notes in ${path} are now:\n\n${text.trim()}`,
      path,
    });
  }
  if (skills.length > 0) {
    const text = skillsText(skills);
    topics.push({ name: "skills", value: digest(text), change: `The skills have changed. Now they are:\n\n${text}` });
  }
  if (branch !== undefined) topics.push({ name: "branch", value: branch, change: `The git branch is now ${branch}.` });
  const change = `Further instructions, in place of the further ones before:\n\n${added}`;
  if (added !== "") topics.push({ name: "added", value: digest(added), change });
  return topics;
}

const rulesTopic = "rules ";

/** Tells that a topic of the prompt no longer exists; undefined for topics of other kinds. */
export function goneText(name: string): string | undefined {
  if (name.startsWith(rulesTopic))
    return `The rules file ${name.slice(rulesTopic.length)} is gone: its rules no longer hold.`;
  if (name === "memory") return "Your notes of earlier sessions were deleted.";
  if (name === "skills") return "There are no skills any more.";
  if (name === "branch") return "No git branch is checked out any more.";
  return name === "added" ? "The further instructions no longer hold." : undefined;
}

export const planNote = "The mode is Plan: read and search, then answer with a plan. Nothing may be changed or run.";

export function modeTopic(mode: PermissionMode): Topic {
  return mode === "plan"
    ? { name: "mode", value: "plan", change: planNote }
    : { name: "mode", value: "", change: "The mode is no longer Plan." };
}

function dateTopic(now: Date): Topic {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return { name: "date", value: date, change: `Today is ${date}.` };
}

/** Returns what a prompt begins with: the date and the mode, where the model knows others. */
export function promptNote(mode: PermissionMode, told: Readonly<Record<string, string>>) {
  const news = newsAmong([dateTopic(new Date()), modeTopic(mode)], told);
  if (news.length === 0) return [];
  return [{ text: news.map(({ change }) => change).join(" "), synthetic: true, told: valuesOf(news) }];
}

/** Returns the topics of which the model knows another value. */
export function newsAmong(topics: readonly Topic[], told: Readonly<Record<string, string>>): Topic[] {
  return topics.filter(({ name, value }) => value !== (told[name] ?? ""));
}

export function valuesOf(topics: readonly Topic[]): Record<string, string> {
  return Object.fromEntries(topics.map(({ name, value }) => [name, value]));
}

/** The model is not told in words: providers that bind thoughts to the effort read it from here. */
export function effortTopic(thinking: Thinking): Topic {
  const value = typeof thinking === "string" ? thinking : String(thinking.budgetTokens);
  return { name: effortName, value: value === "default" ? "" : value, change: "" };
}

export const effortName = "effort";

/** `names`: tools that are defined and may not be used. */
export function refusedTopic(names: readonly string[]): Topic {
  const change =
    names.length === 0
      ? "All of your tools may be used again."
      : `These of your tools may not be used now: ${names.join(", ")}. The others may.`;
  return { name: "refused", value: names.join(" "), change };
}

/** Returns 16 digits that differ for different texts; no protection against intent. */
function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
