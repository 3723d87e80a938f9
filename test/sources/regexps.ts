/** Finds the regular expressions in the sources. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "svelte/compiler";
import ts from "typescript";

export interface FoundRegExp {
  readonly source: string;
  readonly flags: string;
  /** File and line, or the module that made it. */
  readonly where: string;
}

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

const root = path.resolve(import.meta.dirname, "../..");
const folders = ["src", "webview"];

export const sources: readonly SourceFile[] = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => path.join(folder, name))
    .map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") })),
);

/** Returns all literals, those in the markup of components included. */
export function regexpLiterals(file: SourceFile): FoundRegExp[] {
  return file.name.endsWith(".svelte") ? literalsInComponent(file) : literalsInModule(file);
}

function literalsInModule({ name, text }: SourceFile): FoundRegExp[] {
  const found: FoundRegExp[] = [];
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), where: `${name}:${line + 1}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function literalsInComponent({ name, text }: SourceFile): FoundRegExp[] {
  const found: FoundRegExp[] = [];
  const visit = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    if ("regex" in node && isPattern(node.regex)) {
      found.push({ source: node.regex.pattern, flags: node.regex.flags, where: name });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parse(text, { modern: true }));
  return found;
}

function isPattern(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === "object" && value !== null && "pattern" in value && "flags" in value;
}

/** Returns the files that make expressions from strings. */
export function filesThatMakeRegExps(): string[] {
  return sources.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ name }) => name);
}
