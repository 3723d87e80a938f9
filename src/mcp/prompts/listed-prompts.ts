/** Prompts that a server lists, as commands: `/server:prompt`. What the server says of them is cleaned and cut. */
import * as z from "zod/mini";
import type { CommandArgument } from "../../chat/command-arguments.ts";
import { oneLine } from "../connection/server-text.ts";
import { shortNames } from "../tools/offered-names.ts";

/** Limits of one server. All prompts are sent to the panel with its state. */
const maxPrompts = 100;
const maxArguments = 20;
const maxDescriptionLength = 200;
const maxNameLength = 64;

export interface ServerPrompt {
  /** Name of the server in its configuration. */
  server: string;
  /** The prompt's name as the server gives it. */
  original: string;
  /** Name of the command: letters, digits, "_", "-", "." and one colon. Claude Code shows the same form. */
  name: string;
  description: string;
  args: CommandArgument[];
}

const Listed = z.object({
  name: z.string(),
  description: z.optional(z.unknown()),
  title: z.optional(z.unknown()),
  arguments: z.optional(z.nullable(z.array(z.unknown()))),
});

const ListedArgument = z.object({
  name: z.string(),
  description: z.optional(z.unknown()),
  required: z.optional(z.unknown()),
});

/** Returns the prompts in the server's order. Of equal names the first counts; those that cannot be called are logged. */
export function listedPrompts(
  entries: readonly unknown[],
  { server, slug, log }: { server: string; slug: string; log(line: string): void },
): ServerPrompt[] {
  const byName = new Map<string, ServerPrompt>();
  for (const entry of entries) {
    const prompt = Listed.safeParse(entry).data;
    const args = prompt && argumentsOf(prompt.arguments ?? []);
    if (!prompt || !args) {
      log("One of its prompts cannot be used: it has no name, or its arguments cannot be written.");
      continue;
    }
    const { name: original, title, description } = prompt;
    if (!byName.has(original))
      byName.set(original, { server, original, name: "", description: textOf(description) || textOf(title), args });
  }
  if (byName.size > maxPrompts) log(`Only its first ${maxPrompts} prompts are used.`);
  const prompts = [...byName.values()].slice(0, maxPrompts);
  const names = shortNames(
    prompts.map(({ original }) => original),
    maxNameLength,
  );
  // A command begins with a letter or a digit.
  const prefix = slug.replace(/^[^a-zA-Z0-9]+/, "") || "server";
  return prompts.map((prompt) => ({ ...prompt, name: `${prefix}:${names.get(prompt.original)}` }));
}

/** Returns undefined if one has a name that is not a short visible text, or if there are too many. */
function argumentsOf(entries: readonly unknown[]): CommandArgument[] | undefined {
  if (entries.length > maxArguments) return undefined;
  const args = entries.flatMap((entry) => {
    const given = ListedArgument.safeParse(entry).data;
    if (!given || given.name === "" || oneLine(given.name, maxNameLength) !== given.name) return [];
    const { name, description, required } = given;
    return [{ name, description: textOf(description), isRequired: required === true }];
  });
  const isWhole = args.length === entries.length && new Set(args.map(({ name }) => name)).size === args.length;
  return isWhole ? args : undefined;
}

const textOf = (given: unknown): string => (typeof given === "string" ? oneLine(given, maxDescriptionLength) : "");
