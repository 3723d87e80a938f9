/** Cases of the edit tool: how one is set up, and whether its outcome is right. */
import assert from "node:assert/strict";

type Pieces = { repeat: [text: string, times: number][]; times?: number };
type Content = { text: string } | Pieces | { b64: string } | { missing: true; path?: string };

export interface EditCase {
  id: string;
  title: string;
  file?: Content;
  old_string?: string | Pieces | null;
  new_string?: string | null;
  replace_all?: unknown;
  /** Set for cases about the file itself. */
  setup?: { file?: string; path?: string; mode?: string; text?: string; edit: [old: string, by: string] };
  expect: {
    ok?: boolean;
    error?: string;
    file?: Content;
    text?: string;
    mode?: string;
    asks_or_refuses?: boolean;
  };
  /** `policy`: other agents differ, and several outcomes are right. */
  judgement: "strict" | "policy";
  also_acceptable?: string[];
}

/** Content of the file after the edit, and the error if there was one. */
export interface Outcome {
  error?: string;
  bytes: Buffer | undefined;
}

/** Returns the file and the input of a case; `before` is undefined for a missing file. */
export function fileOf(one: EditCase): { before: Buffer | undefined; name: string; input: Record<string, unknown> } {
  if (one.setup) {
    const [old_string, new_string] = one.setup.edit;
    const name = one.setup.file ?? one.setup.path ?? "f.txt";
    return { before: Buffer.from(one.setup.text ?? "a\n"), name, input: { old_string, new_string } };
  }
  const { old_string, new_string, replace_all, file: content = { text: "" } } = one;
  const old = typeof old_string === "object" && old_string !== null ? piecesOf(old_string) : old_string;
  const input = { old_string: old ?? undefined, new_string: new_string ?? undefined, replace_all };
  const name = "missing" in content ? (content.path ?? "f.txt") : "f.txt";
  return { before: bytesOf(content), name, input };
}

/** Checks an outcome. `policy` cases accept several, but never a file that changed despite an error. */
export function judge(one: EditCase, before: Buffer | undefined, { error, bytes }: Outcome): void {
  if (error !== undefined) assert.deepEqual(bytes, before, error);
  const { ok, error: kind, text, file: after } = one.expect;
  const accepted = (one.also_acceptable ?? []).map((other) =>
    other.startsWith("b64:") ? Buffer.from(other.slice(4), "base64") : Buffer.from(other),
  );
  if (error === undefined && accepted.some((other) => bytes?.equals(other))) return;
  if (
    one.judgement === "policy" &&
    ok &&
    error !== undefined &&
    one.also_acceptable?.some((other) => other.startsWith("error"))
  )
    return;
  assert.equal(error === undefined, ok, error);
  if (kind === "multiple_matches") assert.match(error ?? "", /occurs \d+ times|replace_all/);
  if (kind === "not_found") assert.match(error ?? "", /not found|not text/);
  if (ok) assert.deepEqual(bytes, after ? bytesOf(after) : Buffer.from(text ?? ""));
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function bytesOf(content: Content): Buffer | undefined {
  if ("missing" in content) return undefined;
  if ("b64" in content) return Buffer.from(content.b64, "base64");
  return Buffer.from("text" in content ? content.text : piecesOf(content));
}

function piecesOf({ repeat, times = 1 }: Pieces): string {
  return repeat
    .map(([text, count]) => text.repeat(count))
    .join("")
    .repeat(times);
}
