/** What is known of the shell at a point of a command. Never changed: each step answers with the next. */
import type { Syntax } from "./grammar.ts";

export interface ShellState {
  /** Where it may be: paths as `cd` was given them, "" for where it began; undefined: anywhere. */
  folders: readonly string[] | undefined;
  /** Where `cd -` leads. */
  before: readonly string[] | undefined;
  /** Variables that the command itself has set, and what they may hold; undefined: anything. */
  variables: ReadonlyMap<string, readonly string[] | undefined>;
  /** Bodies of the functions that are surely defined. */
  functions: ReadonlyMap<string, Syntax>;
  /** Something unknown may have been set, moved or defined. */
  isUnknown: boolean;
}

/** How it goes on, by whether the command before succeeded. */
export interface Flow {
  yes: ShellState;
  no: ShellState;
}

const most = 8;

export const startState: ShellState = {
  folders: [""],
  before: undefined,
  variables: new Map(),
  functions: new Map(),
  isUnknown: false,
};

/** After what may have done anything to the shell. */
export const unknownState: ShellState = {
  folders: undefined,
  before: undefined,
  variables: new Map(),
  functions: new Map(),
  isUnknown: true,
};

export function both(state: ShellState): Flow {
  return { yes: state, no: state };
}

export function either({ yes, no }: Flow): ShellState {
  return join(yes, no);
}

/** What holds whichever of the two came about. */
export function join(one: ShellState, other: ShellState): ShellState {
  if (one === other) return one;
  const variables = new Map<string, readonly string[] | undefined>();
  for (const name of new Set([...one.variables.keys(), ...other.variables.keys()])) {
    variables.set(name, union(one.variables.get(name), other.variables.get(name)));
  }
  const functions = [...one.functions].filter(([name, body]) => other.functions.get(name) === body);
  return {
    folders: union(one.folders, other.folders),
    before: union(one.before, other.before),
    variables,
    functions: new Map(functions),
    isUnknown: one.isUnknown || other.isUnknown,
  };
}

/** The values of a variable that was computed: a number, nobody knows which. */
export const someNumber: readonly string[] = ["0"];

function union(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  if (!one || !other) return undefined;
  if (one === other) return one;
  if (one === someNumber || other === someNumber) return [...one, ...other].every(isInteger) ? someNumber : undefined;
  const all = [...new Set([...one, ...other])];
  return all.length > most ? undefined : all;
}

export function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

export function isSame(one: ShellState, other: ShellState): boolean {
  const key = ({ folders, before, variables, functions, isUnknown }: ShellState) =>
    JSON.stringify([
      folders ?? null,
      before ?? null,
      [...variables].map(([name, values]) => [name, values ?? null]),
      [...functions.keys()],
      isUnknown,
    ]);
  return one === other || key(one) === key(other);
}

export function withVariable(state: ShellState, name: string, values: readonly string[] | undefined): ShellState {
  return { ...state, variables: new Map(state.variables).set(name, values) };
}
