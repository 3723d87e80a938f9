/** Finds where a command runs code that it loads from the network: `curl https://a.example | sh`. Pure. */
import type { TextRange } from "../../../chat/requests.ts";
import { knownIn } from "../shell/expand.ts";
import type { SyntaxNode } from "../shell/grammar.ts";
import { systemName } from "../shell/simple-command.ts";
import { unknownState } from "../shell/state.ts";
import { possibleValue, readWord, UnsupportedSyntax } from "../shell/word.ts";

export interface NetworkCode {
  /** The hosts that are named: "get.example.com". */
  hosts: string[];
  ranges: TextRange[];
}

const loads = /^(curl|wget|fetch|https?|xh|aria2c|lwp-download|nc|ncat)$/;
const shells = /^((a|ba|da|k|z|fi)?sh|eval|source|\.)$/;
const interpreters = /^(node|deno|bun|python[\d.]*|perl[\d.]*|ruby[\d.]*|php[\d.]*|pwsh|powershell)$/;
/** Programs that run the command in their words. */
const wrappers = /^(sudo|doas|env|nohup|time|timeout|nice|exec|command|stdbuf|setsid)$/;

export function networkCode(root: SyntaxNode): NetworkCode[] {
  const found: NetworkCode[] = [];
  const visit = (node: SyntaxNode): void => {
    const one = node.type === "pipeline" ? piped(node) : node.type === "command" ? inserted(node) : undefined;
    if (one) found.push(one);
    else for (const child of node.children) visit(child);
  };
  visit(root);
  return [...found, ...stored(root)];
}

/** `curl … | sudo sh -s -- -y` */
function piped({ children }: SyntaxNode): NetworkCode | undefined {
  // The grammar also parses `a && b > c | d` as a pipeline whose first part is a list.
  const parts = children.filter(({ named }) => named).map(lastOfList);
  const from = parts.findIndex((part) => commandsIn(part).some((command) => loads.test(programOf(command))));
  if (from < 0) return undefined;
  const to = parts.findIndex((part, at) => at > from && commandsIn(part).some(runsItsInput));
  const [first, loading, last] = [parts[0], parts[from], parts.at(-1)];
  if (to < 0 || !first || !loading || !last) return undefined;
  return { hosts: hostsIn(loading.text), ranges: [{ start: first.start, end: last.end }] };
}

function lastOfList(node: SyntaxNode): SyntaxNode {
  const last = node.type === "list" ? node.children.at(-1) : undefined;
  return last ? lastOfList(last) : node;
}

/** `sh -c "$(curl …)"`, `bash <(curl …)`, `python3 -c "$(curl …)"` */
function inserted(command: SyntaxNode): NetworkCode | undefined {
  const program = programOf(command);
  const isShell = shells.test(program);
  if (!isShell && !(interpreters.test(program) && /\s-(c|e|r)\b|<\(/.test(command.text))) return undefined;
  const substitutions = below(command, (node) => /^(command|process)_substitution$/.test(node.type));
  const loading = substitutions.filter((node) => commandsIn(node).some((one) => loads.test(programOf(one))));
  if (loading.length === 0) return undefined;
  const hosts = loading.flatMap(({ text }) => hostsIn(text));
  return { hosts, ranges: [{ start: command.start, end: command.end }] };
}

/** `curl -o x.sh … && sh x.sh` */
function stored(root: SyntaxNode): NetworkCode[] {
  const all = commandsIn(root);
  return all.flatMap((command, at) => {
    const words = wordsOf(command);
    if (!/^(curl|wget|aria2c)$/.test(words[0] ?? "")) return [];
    const names = outputsOf(words);
    const runs = all.slice(at + 1).find((later) => runsFile(wordsOf(later), names));
    if (!runs) return [];
    return [{ hosts: hostsIn(command.text), ranges: [command, runs].map(({ start, end }) => ({ start, end })) }];
  });
}

function outputsOf(words: readonly string[]): ReadonlySet<string> {
  const at = words.findIndex((word) => /^-(o|O|-output|-output-document)$/.test(word));
  const named = words[at + 1];
  const isCurlO = words[0] === "curl" && words[at] === "-O";
  if (at > 0 && named && !isCurlO) return new Set([plainPath(named)]);
  const urls = words.filter((word) => /^https?:\/\//.test(word));
  const isLast = isCurlO || words[0] !== "curl" || words.some((word) => /^(--remote-name|-[a-zA-Z]*O)$/.test(word));
  return new Set(isLast ? urls.map((url) => url.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "").filter(Boolean) : []);
}

function runsFile(words: readonly string[], names: ReadonlySet<string>): boolean {
  const [program = "", ...rest] = words;
  if (program.includes("/") && names.has(plainPath(program))) return true;
  if (!shells.test(program) && !interpreters.test(program)) return false;
  const file = rest.find((word) => !word.startsWith("-"));
  return file !== undefined && names.has(plainPath(file));
}

const plainPath = (path: string) => path.replace(/^(\.\/)+/, "");

/** Whether it runs what it reads from its input: a shell or an interpreter without a script of its own. */
function runsItsInput(command: SyntaxNode): boolean {
  const [program = "", ...rest] = wordsOf(command);
  if (!shells.test(program) && !interpreters.test(program)) return false;
  const [first] = rest;
  return first === undefined || first.startsWith("-") ? !/^-(c|e|m)$/.test(first ?? "") : first === "/dev/stdin";
}

const commandsIn = (node: SyntaxNode) => below(node, ({ type }) => type === "command");

function below(node: SyntaxNode, isWanted: (node: SyntaxNode) => boolean): SyntaxNode[] {
  return [...(isWanted(node) ? [node] : []), ...node.children.flatMap((child) => below(child, isWanted))];
}

const programOf = (command: SyntaxNode) => wordsOf(command)[0] ?? "";

/** Returns the words without those of programs that only run the rest: `sudo -E bash` is `bash`. */
function wordsOf({ children }: SyntaxNode): string[] {
  const words = children
    .filter(({ named, type }) => named && type !== "variable_assignment" && !type.endsWith("_redirect"))
    .map(valueOrText);
  let at = 0;
  while (wrappers.test(systemName(words[at] ?? "")) && at < words.length - 1) {
    at += 1;
    while (/^-|^\w+=|^\d+[smh]?$/.test(words[at] ?? "") && at < words.length - 1) at += 1;
  }
  const [program, ...rest] = words.slice(at);
  return program === undefined ? [] : [systemName(program), ...rest];
}

const nothingKnown = knownIn(unknownState);

/** Returns the value of a word; where it is not known, its text, so that two of the same text are one. */
function valueOrText(node: SyntaxNode): string {
  const word = node.type === "command_name" ? (node.children[0] ?? node) : node;
  const text = word.text.replace(/^(["'])(.*)\1$/s, "$2");
  try {
    return possibleValue(readWord(word, nothingKnown)) ?? text;
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return text;
    throw error;
  }
}

/** Returns the hosts of the addresses in a text. */
export function hostsIn(text: string): string[] {
  const urls = [...text.matchAll(/\bhttps?:\/\/(?:[^\s/@'"]*@)?([^\s/'"|)<>;&?#]+)/gi)].map(([, host = ""]) => host);
  const bare = [...text.matchAll(/(?<=\s|["'])((?:[\w-]+\.)+[a-z]{2,})(?=[/\s"']|$)/gi)].map(([, host = ""]) => host);
  return [...new Set(urls.length > 0 ? urls : bare)];
}
