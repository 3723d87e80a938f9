/** Values of the argument in turn of a command: those that the panel knows, or those that a server has offered. */
import { type ArgumentInTurn, argumentInTurn, type CommandArgument } from "../../src/chat/command-arguments.ts";
import type { ArgumentValues } from "../../src/chat/command-requests.ts";
import type { CommandChoice } from "../../src/chat/slash-command.ts";

/** A command whose arguments the user is writing. */
export interface BegunArguments extends ArgumentInTurn {
  command: CommandChoice;
  /** What is written after the name, up to the cursor. */
  written: string;
  /** Where that begins in the text. */
  from: number;
}

/** Returns the argument at the cursor; undefined outside of the arguments of a command that are known one by one. */
export function begunArguments(
  text: string,
  cursor: number,
  commands: readonly CommandChoice[],
): BegunArguments | undefined {
  const [head, name] = /^\/(\S+)\s/.exec(text.slice(0, cursor)) ?? [];
  if (head === undefined) return undefined;
  const command = commands.find((one) => one.name === name);
  const args: readonly CommandArgument[] = command?.args ?? [];
  const written = text.slice(head.length, cursor);
  const turn = argumentInTurn(written, args);
  return command && turn && { ...turn, command, written, from: head.length };
}

/** Returns those of the values that hold the begun one, those that begin with it first. */
export function fittingValues(values: readonly string[], begun: string): string[] {
  const letters = begun.toLowerCase();
  const at = (value: string) => value.toLowerCase().indexOf(letters);
  return values.filter((value) => at(value) >= 0).toSorted((a, b) => Math.min(1, at(a)) - Math.min(1, at(b)));
}

/** Returns the values that a server has offered, also for a shorter beginning while newer ones are on their way. */
export function offeredValues(
  offered: ArgumentValues | undefined,
  { command, argument, value }: BegunArguments,
): string[] {
  return offered?.command === command.name && offered.argument === argument.name ? stillFitting(offered, value) : [];
}

/** Returns those of the values that were offered for a text that fit what is written now. */
export function stillFitting(offered: { value: string; values: readonly string[] }, value: string): string[] {
  // What fits is the server's choice; it may find values that do not hold the letters.
  if (offered.value === value) return [...offered.values];
  return value.startsWith(offered.value) ? fittingValues(offered.values, value) : [];
}
