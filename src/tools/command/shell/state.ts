/** State of the shell at one point of a command. Immutable: each step returns the next state. */
import type { SyntaxNode } from "./grammar.ts";
import { escaped, marks } from "./pattern.ts";

/** Folders that relative paths may start from, as given to `cd`; undefined: unknown. */
export type Folders = readonly string[] | undefined;

export interface ShellState {
  /** Possible folders, as given to `cd`, "" for the first one; undefined: any. */
  folders: Folders;
  /** Folders that `cd -` may lead to. */
  before: Folders;
  /** Variables that the command has set, with their possible values; undefined: anything. */
  variables: ReadonlyMap<string, readonly string[] | undefined>;
  /** Patterns (pattern.ts) of the variables whose values are not known; without an entry they may be anything. */
  shapes: ReadonlyMap<string, readonly string[]>;
  /** Patterns of the words in the standard input. */
  input: readonly string[];
  functions: ReadonlyMap<string, SyntaxNode>;
  /** Whether the folder, variables and functions may have changed in unknown ways. */
  isUnknown: boolean;
}

/** States after a command that succeeded, and after one that failed. */
export interface ExitStates {
  yes: ShellState;
  no: ShellState;
}

const maxValues = 8;

export const startState: ShellState = {
  folders: [""],
  before: undefined,
  variables: new Map(),
  shapes: new Map(),
  input: [marks.any],
  functions: new Map(),
  isUnknown: false,
};

/** State after something that may have changed anything. */
export const unknownState: ShellState = { ...startState, folders: undefined, isUnknown: true };

export function sameExits(state: ShellState): ExitStates {
  return { yes: state, no: state };
}

export function joinExits({ yes, no }: ExitStates): ShellState {
  return joinStates(yes, no);
}

/** Returns what is true in both states. */
export function joinStates(one: ShellState, other: ShellState): ShellState {
  if (one === other) return one;
  const variables = new Map<string, readonly string[] | undefined>();
  const shapes = new Map<string, readonly string[]>();
  for (const name of new Set([...one.variables.keys(), ...other.variables.keys()])) {
    const values = union(one.variables.get(name), other.variables.get(name));
    variables.set(name, values);
    if (!values) shapes.set(name, joinShapes(shapesOf(name, one), shapesOf(name, other)));
  }
  const functions = [...one.functions].filter(([name, body]) => other.functions.get(name) === body);
  return {
    folders: union(one.folders, other.folders),
    before: union(one.before, other.before),
    variables,
    shapes,
    input: joinShapes(one.input, other.input),
    functions: new Map(functions),
    isUnknown: one.isUnknown || other.isUnknown,
  };
}

function joinShapes(one: readonly string[], other: readonly string[]): readonly string[] {
  const all = [...new Set([...one, ...other])];
  return all.includes(marks.any) || all.length > maxValues ? [marks.any] : all;
}

/** Returns patterns for the values of a variable. */
export function shapesOf(name: string, { variables, shapes }: ShellState): readonly string[] {
  const values = variables.get(name);
  if (values === someNumber) return [marks.number];
  return values?.map(escaped) ?? shapes.get(name) ?? [marks.any];
}

/** Values of a variable that is an unknown number. */
export const someNumber: readonly string[] = ["0"];

function union(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  if (!one || !other) return undefined;
  if (one === other) return one;
  if (one === someNumber || other === someNumber) return [...one, ...other].every(isInteger) ? someNumber : undefined;
  const all = [...new Set([...one, ...other])];
  return all.length > maxValues ? undefined : all;
}

export function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

export function isSameState(one: ShellState, other: ShellState): boolean {
  const key = ({ folders, before, variables, shapes, functions, isUnknown }: ShellState) =>
    JSON.stringify([folders, before, [...variables], [...shapes], [...functions.keys()], isUnknown]);
  return one === other || key(one) === key(other);
}

/** Returns the state after `shift`: parameters with known values are unknown. */
export function withoutParameters(state: ShellState): ShellState {
  const names = [...state.variables].flatMap(([name, values]) => (/^\d/.test(name) && values ? [name] : []));
  return names.reduce((current, name) => withVariable(current, name, undefined), state);
}

/** `shapes`: patterns of values that are not known. */
export function withVariable(
  state: ShellState,
  name: string,
  values: readonly string[] | undefined,
  shapes: readonly string[] = [marks.any],
): ShellState {
  const variables = new Map(state.variables).set(name, values);
  return { ...state, variables, shapes: new Map(state.shapes).set(name, values ? [] : shapes) };
}
