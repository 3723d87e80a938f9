/**
 * Visits a command like a shell, and reports its possible effects: commands that it runs, files that it redirects to.
 */
import type { TextRange } from "../../../chat/requests.ts";
import { assign, computed, declare, isNumber, knownIn, substitutions, wordOf, wordsIn } from "./expand.ts";
import { checkArithmetic, checkComputation, checkTest } from "./expressions.ts";
import type { Grammar, SyntaxNode } from "./grammar.ts";
import { outputOf, wordsOfText } from "./outputs.ts";
import { marks } from "./pattern.ts";
import { redirections } from "./redirects.ts";
import { simpleCommand } from "./simple-command.ts";
import {
  type ExitStates,
  isSameState,
  joinExits,
  joinStates,
  type ShellState,
  sameExits,
  startState,
  unknownState,
  withVariable,
} from "./state.ts";
import { isAssignable, isSafeEnvVar } from "./variables.ts";
import type { PlacedAction, ShellAction, ShellVisitor, Unwrap } from "./visitor.ts";
import { alternatives, hasConfusableChars, type ShellWord, splitVariable, UnsupportedSyntax } from "./word.ts";

const maxCodeDepth = 6;
/** Nested loops and functions are visited many times. */
const maxSteps = 3000;

class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

interface WalkOptions {
  grammar: Grammar;
  evaluatesArithmetic: boolean;
  unwrap: Unwrap;
}

export interface ShellReading {
  /** Everything that the command may do, in order; undefined when it cannot be parsed with certainty. */
  actions: PlacedAction[] | undefined;
  /** The syntax tree; undefined without one. */
  root: SyntaxNode | undefined;
}

export function readShell(command: string, options: WalkOptions): ShellReading {
  const walk = new CommandWalk(options);
  try {
    return { actions: walk.all(command) ? walk.actions : undefined, root: walk.root };
  } catch (error) {
    if (error instanceof TooManySteps) return { actions: undefined, root: walk.root };
    throw error;
  }
}

class CommandWalk implements ShellVisitor {
  readonly actions: PlacedAction[] = [];
  root: SyntaxNode | undefined;
  readonly evaluatesArithmetic: boolean;
  readonly unwrap: Unwrap;
  readonly #grammar: Grammar;
  /** Bodies of functions that have not been called. */
  readonly #defined = new Set<SyntaxNode>();
  /** Bodies of functions in nested code, whose offsets are not those of the command. */
  readonly #nestedBodies = new WeakSet<SyntaxNode>();
  #range = { start: 0, end: 0 };
  #isNested = false;
  #depth = 0;
  #steps = 0;

  constructor({ grammar, evaluatesArithmetic, unwrap }: WalkOptions) {
    this.#grammar = grammar;
    this.evaluatesArithmetic = evaluatesArithmetic;
    this.unwrap = unwrap;
  }

  all(command: string): boolean {
    if (hasConfusableChars(command)) return false;
    this.root = this.#grammar.parse(command);
    if (!this.root) return false;
    this.#sequence(this.root.children, startState);
    // The caller and its state are unknown.
    for (const body of this.#defined) this.#body(body, unknownState);
    return true;
  }

  emit(action: ShellAction, node?: SyntaxNode): void {
    // Faster than a copy, and nobody else has the action.
    this.actions.push(Object.assign(action, { range: node ? this.#rangeOf(node) : this.#range }));
  }

  code(text: string, state: ShellState): ShellState {
    const after = this.#deeper(() => this.#nested(true, () => this.#walkText(text, state)));
    if (!after) throw new UnsupportedSyntax();
    return after;
  }

  call(body: SyntaxNode, state: ShellState): ShellState {
    this.#defined.delete(body);
    return this.#deeper(() => joinExits(this.#body(body, state)));
  }

  #body(body: SyntaxNode, state: ShellState): ExitStates {
    return this.#nested(this.#nestedBodies.has(body), () => this.#statement(body, state));
  }

  #nested<T>(isNested: boolean, step: () => T): T {
    const before = { isNested: this.#isNested, range: this.#range };
    this.#isNested = isNested;
    try {
      return step();
    } finally {
      this.#isNested = before.isNested;
      this.#range = before.range;
    }
  }

  #rangeOf({ start, end }: SyntaxNode): TextRange {
    return this.#isNested ? this.#range : { start, end };
  }

  substituted(nodes: readonly SyntaxNode[], state: ShellState): void {
    const children = nodes.filter(({ named }) => named);
    if (!children.some(({ type }) => type.endsWith("_redirect"))) this.#sequence(nodes, state);
    else {
      const { words, rest } = redirections(children, state, this);
      if (words.length + rest.length > 0) throw new UnsupportedSyntax();
    }
  }

  #deeper<T>(step: () => T): T {
    if (this.#depth >= maxCodeDepth) throw new UnsupportedSyntax();
    this.#depth++;
    try {
      return step();
    } finally {
      this.#depth--;
    }
  }

  #walkText(text: string, state: ShellState): ShellState | undefined {
    if (hasConfusableChars(text)) return undefined;
    const root = this.#grammar.parse(text);
    return root && this.#sequence(root.children, state);
  }

  /** Visits statements in order. The nodes include the operators between them. */
  #sequence(nodes: readonly SyntaxNode[], state: ShellState): ShellState {
    let current = state;
    for (const [index, node] of nodes.entries()) {
      if (!node.named) continue;
      const after = joinExits(this.#statement(node, current));
      // In the background it runs in its own shell.
      if (nodes[index + 1]?.type !== "&") current = after;
    }
    return current;
  }

  /**
   * Visits a statement. If it is unsupported, its text or that of its pipeline is reported, and it may have changed
   * anything in the shell.
   */
  #statement(node: SyntaxNode, state: ShellState, reported = node): ExitStates {
    if (++this.#steps > maxSteps) throw new TooManySteps();
    const outer = this.#range;
    this.#range = this.#rangeOf(node);
    try {
      const { yes, no } = this.#understood(node, state);
      if (yes.input === state.input && no.input === state.input) return { yes, no };
      return { yes: { ...yes, input: state.input }, no: { ...no, input: state.input } };
    } catch (error) {
      if (!(error instanceof UnsupportedSyntax)) throw error;
      this.emit({ type: "unsupported", text: reported.text }, reported);
      return sameExits(unknownState);
    } finally {
      this.#range = outer;
    }
  }

  #understood(node: SyntaxNode, state: ShellState): ExitStates {
    const { children } = node;
    switch (node.type) {
      case "comment":
        if (node.text.includes("\n")) throw new UnsupportedSyntax();
        return sameExits(state);
      case "command":
        return this.#command(node, state, []);
      case "variable_assignment":
        return sameExits(assign(node, state, isAssignable, this));
      case "variable_assignments":
        return sameExits(children.reduce((current, child) => assign(child, current, isAssignable, this), state));
      case "declaration_command":
      case "unset_command":
        return sameExits(declare(node, state, this));
      case "list":
        return this.#list(node, state);
      case "pipeline":
        return sameExits(this.#pipeline(node, state));
      case "negated_command": {
        const { yes, no } = this.#statement(namedChild(node, 0), state);
        return { yes: no, no: yes };
      }
      case "subshell":
        this.#sequence(children, state);
        return sameExits(state);
      case "compound_statement":
        if (children[0]?.type === "((") {
          checkComputation(node, (name) => isNumber(name, state));
          return sameExits(computed(node, state));
        }
        return sameExits(this.#sequence(children, state));
      case "do_group":
        return sameExits(this.#sequence(children, state));
      case "redirected_statement":
        return this.#redirected(node, state);
      case "test_command":
        checkTest(node, this.evaluatesArithmetic, (name) => isNumber(name, state));
        substitutions(node, state, this);
        this.emit({ type: "mention", words: wordsIn(node, state), folders: state.folders });
        return sameExits(state);
      case "function_definition":
        return sameExits(this.#define(node, state));
      case "if_statement":
      case "elif_clause":
      case "else_clause":
        return sameExits(this.#branches(children, state));
      case "while_statement":
        return sameExits(this.#loop(state, (entry) => this.#sequence(children, entry)));
      case "for_statement":
        return sameExits(this.#forEach(node, state));
      case "c_style_for_statement":
        return sameExits(this.#countingLoop(children, state));
      case "case_statement":
        return sameExits(this.#cases(node, state));
      default:
        throw new UnsupportedSyntax();
    }
  }

  #list({ children }: SyntaxNode, state: ShellState): ExitStates {
    const [left, operator, right] = children;
    if (!left || !right || children.length !== 3) throw new UnsupportedSyntax();
    const first = this.#statement(left, state);
    if (operator?.type === "&&") {
      const second = this.#statement(right, first.yes);
      return { yes: second.yes, no: joinStates(first.no, second.no) };
    }
    if (operator?.type !== "||") throw new UnsupportedSyntax();
    const second = this.#statement(right, first.no);
    return { yes: joinStates(first.yes, second.yes), no: second.no };
  }

  /**
   * Each part runs in a shell of its own, except for the last one in some shells. The grammar also parses `a && b > c |
   * d` as a pipeline whose first part is a list. So each part may have changed the state of the shell. Where one part
   * cannot be understood, the others may be the code that it runs: `echo 'rm x' | sh`.
   */
  #pipeline(whole: SyntaxNode, state: ShellState): ShellState {
    let current = state;
    let { input } = state;
    for (const part of whole.children) {
      if (!part.named) continue;
      const after = joinExits(this.#statement(part, { ...current, input }, whole));
      input = outputOf(part, input, current, knownIn(current));
      current = joinStates(current, { ...after, input: state.input });
    }
    return current;
  }

  #branches(nodes: readonly SyntaxNode[], state: ShellState): ShellState {
    let current = state;
    let ends: ShellState[] = [];
    for (const node of nodes) {
      if (node.type === "elif_clause" || node.type === "else_clause")
        ends.push(joinExits(this.#statement(node, current)));
      else if (node.named) current = joinStates(current, joinExits(this.#statement(node, current)));
    }
    ends = ends.length > 0 ? ends : [current];
    return ends.reduce(joinStates, current);
  }

  #loop(state: ShellState, round: (entry: ShellState) => ShellState): ShellState {
    let entry = state;
    for (let times = 0; times < 4; times++) {
      const joined = joinStates(entry, round(entry));
      if (isSameState(joined, entry)) return joined;
      entry = joined;
    }
    round(unknownState);
    return unknownState;
  }

  #forEach(node: SyntaxNode, state: ShellState): ShellState {
    const { name, body, nodes } = loopOver(node);
    const words = this.#words(nodes ?? [], state);
    const isKnown = nodes && words.every(({ values, isGlob }) => values && !isGlob);
    const values = isKnown ? words.flatMap((word) => word.values ?? []) : undefined;
    const shapes = nodes && words.flatMap((word) => word.shapes);
    return this.#loop(state, (entry) => {
      const known = values && values.length > 0 && values.length <= 40 ? values : undefined;
      return joinExits(this.#statement(body, withVariable(entry, name, known, shapes)));
    });
  }

  #countingLoop(children: readonly SyntaxNode[], state: ShellState): ShellState {
    const body = children.at(-1);
    if (!body) throw new UnsupportedSyntax();
    const head = children.slice(0, -1);
    const counting = head.reduce((current, node) => computed(node, current), state);
    for (const node of head) checkArithmetic(node, (name) => isNumber(name, counting));
    return this.#loop(counting, (entry) => joinExits(this.#statement(body, entry)));
  }

  #cases({ children }: SyntaxNode, state: ShellState): ShellState {
    let current = state;
    for (const child of children) {
      if (child.type === "case_item") {
        const end = child.children.findIndex(({ type }) => type === ")");
        if (end < 0) throw new UnsupportedSyntax();
        for (const pattern of child.children.slice(0, end)) substitutions(pattern, current, this);
        current = joinStates(current, this.#sequence(child.children.slice(end + 1), current));
      } else if (child.named) substitutions(child, current, this);
    }
    return current;
  }

  #define(node: SyntaxNode, state: ShellState): ShellState {
    const name = node.children.find(({ type }) => type === "word")?.text ?? "";
    const body = node.children.at(-1);
    if (!/^\w[\w-]*$/.test(name) || body?.type !== "compound_statement") throw new UnsupportedSyntax();
    this.#defined.add(body);
    if (this.#isNested) this.#nestedBodies.add(body);
    return { ...state, functions: new Map(state.functions).set(name, body) };
  }

  #redirected(node: SyntaxNode, state: ShellState): ExitStates {
    const [body, ...others] = node.children.filter(({ named }) => named);
    if (!body) throw new UnsupportedSyntax();
    if (body.type === "command") return this.#command(body, state, others);
    if (body.type === "list") return this.#list(lastPart(body, node, others), state);
    if (body.type === "pipeline") return sameExits(this.#pipeline(lastPart(body, node, others), state));
    const isBare = body.type.endsWith("_redirect");
    const readsOther = others.some(({ text }) => text.includes("<"));
    const flow = isBare
      ? sameExits(state)
      : this.#statement(body, readsOther ? { ...state, input: [marks.any] } : state);
    const found = redirections(isBare ? [body, ...others] : others, joinStates(state, joinExits(flow)), this);
    if (found.words.length > 0) throw new UnsupportedSyntax();
    if (found.data !== undefined) this.emit({ type: "data", text: found.data });
    return this.#afterwards(found.rest, flow);
  }

  #command(node: SyntaxNode, state: ShellState, redirects: readonly SyntaxNode[]): ExitStates {
    const { children } = node;
    this.#range = this.#rangeOf(node);
    const assigned = children.filter(({ type }) => type === "variable_assignment");
    const own = children.filter(({ type }) => type.endsWith("_redirect"));
    const nodes = children.filter((child) => !assigned.includes(child) && !own.includes(child));
    const words = this.#words(nodes, state);
    const [found, actions] = this.#held(() => redirections([...own, ...redirects], state, this));
    // An environment variable can make a program run code, except for some well-known names.
    const isAllowed = nodes[0]?.text === "read" ? (name: string) => name === "IFS" || isSafeEnvVar(name) : isSafeEnvVar;
    for (const one of assigned) assign(one, state, isAllowed, this);
    const { input, data, changesInput } = found;
    const inner = changesInput ? { ...state, input: wordsOf(input) } : state;
    const all = [...words, ...found.words];
    const flow = simpleCommand({ words: all, input, data, changesInput, state: inner, visitor: this });
    this.actions.push(...actions);
    return this.#afterwards(found.rest, flow);
  }

  #words(nodes: readonly SyntaxNode[], state: ShellState): ShellWord[] {
    return nodes.flatMap((node) => {
      const inner = node.type === "command_name" ? namedChild(node, 0) : node;
      const word = wordOf(inner, state, this);
      // zsh takes the value as one word.
      const split = this.evaluatesArithmetic ? undefined : splitVariable(inner, knownIn(state));
      if (split) return split;
      const several = alternatives(node, word);
      return several.length > 0 ? several : [word];
    });
  }

  #held<T>(step: () => T): [T, PlacedAction[]] {
    const from = this.actions.length;
    const result = step();
    return [result, this.actions.splice(from)];
  }

  /** Visits statements on the first line of a here-document, which the grammar makes a part of it: `<<EOF | sh`. */
  #afterwards(rest: readonly SyntaxNode[], flow: ExitStates): ExitStates {
    if (rest.length === 0) return flow;
    return sameExits(
      rest.reduce((current, node) => joinStates(current, joinExits(this.#statement(node, current))), joinExits(flow)),
    );
  }
}

// Reads nodes of the syntax tree for walk.ts.

/** Returns patterns for the words of a known standard input. */
function wordsOf(input: string | undefined): readonly string[] {
  return input === undefined ? [marks.any] : wordsOfText(input);
}

function namedChild({ children }: SyntaxNode, index: number): SyntaxNode {
  const child = children.filter(({ named }) => named)[index];
  if (!child) throw new UnsupportedSyntax();
  return child;
}

/** Reads the head of `for name in words`. `nodes`: undefined without `in`, for the shell's own words. */
function loopOver({ children }: SyntaxNode) {
  const name = children.find(({ type }) => type === "variable_name")?.text ?? "";
  const body = children.find(({ type }) => type === "do_group" || type === "compound_statement");
  if (!body || children[0]?.type !== "for" || !isAssignable(name)) throw new UnsupportedSyntax();
  const from = children.findIndex(({ type }) => type === "in");
  const nodes = from < 0 ? undefined : children.slice(from + 1, children.indexOf(body)).filter(({ named }) => named);
  return { name, body, nodes };
}

/** The grammar attaches the redirections of the last command to the whole list or pipeline: `a && b > c`. */
function lastPart(list: SyntaxNode, whole: SyntaxNode, redirects: readonly SyntaxNode[]): SyntaxNode {
  const before = list.children.slice(0, -1);
  const last = list.children.at(-1);
  if (!last) throw new UnsupportedSyntax();
  const { end } = whole;
  const text = whole.text.slice(last.start - whole.start);
  const redirected = { ...last, type: "redirected_statement", end, text, children: [last, ...redirects] };
  return { ...list, end, text: whole.text, children: [...before, redirected] };
}
