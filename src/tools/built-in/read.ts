import * as z from "zod/mini";
import type { Preview, TextRange } from "../../chat/requests.ts";
import { msg, msgCount } from "../../l10n/l10n.ts";
import { asText } from "../file-access/file-checks.ts";
import { fileRequirements, pathFor } from "../file-access/requirements.ts";
import { secretNames } from "../file-access/secret-names.ts";
import type { FileKind, Host, Location } from "../host.ts";
import { withHint } from "../text/model-hint.ts";
import { cutLine, numbered, plural, splitLines } from "../text/text.ts";
import { outputLimit } from "../text/truncate.ts";
import { defineTool, ToolError, type ToolResult } from "../tool.ts";

const lineLimit = 2_000;

export const read = defineTool({
  name: "read",
  sideEffect: "read-only",
  description: `Reads a file: text as numbered lines (number, tab, line), images and PDFs as attachments; lists a folder. Returns at most ${outputLimit.lines} lines and ${outputLimit.characters} characters: continue with offset. Read a file before you change it.`,
  input: z.object({
    file_path: z.string().check(z.minLength(1)),
    offset: z.optional(z.int().check(z.gte(0))).check(z.describe("First line, from 1")),
    limit: z.optional(z.int().check(z.gte(1))),
  }),
  async prepare({ file_path, offset = 1, limit = outputLimit.lines }, { host, seen, signal }) {
    signal.throwIfAborted();
    const location = await host.workspace.locate(file_path);
    return {
      title: msg("Read {0}", location.relative),
      preview: await previewOf(location, host, signal),
      requires: fileRequirements("read", location, host),
      writes: [],
      run: async () => {
        const kind = await host.workspace.open(location, signal);
        if (kind.type === "media") return attach(kind);
        if (kind.type === "folder") return list(kind, pathFor(kind.location, host.workspace));
        const range = { first: Math.max(1, offset), limit };
        if (kind.type === "unknown-encoding") return withEncodingNote(showLines(kind.location, kind.text, range));
        const file = asText(kind);
        const shown = showLines(file, file.text, range);
        seen.set(file.path, file.version);
        return shown;
      },
    };
  },
});

/** Of a file of secrets the card shows the names: nothing of it leaves this computer before the user allows it. */
async function previewOf(location: Location, { workspace }: Host, signal: AbortSignal): Promise<Preview> {
  const { path, inside, relative } = location;
  if (location.protection === "secret") {
    const kind = await workspace.open(location, signal);
    const names = kind.type === "text" ? secretNames(kind.file.text) : [];
    return { type: "secret", path: inside ? relative : path, names };
  }
  if (inside) return { type: "text", text: path };
  return { type: "path", path, outside: outsideRange(path, workspace.folders) };
}

/** The part of a path that leads out: what it does not share with the workspace. */
function outsideRange(path: string, folders: readonly string[]): TextRange {
  const shared = folders.map((folder) => {
    let at = 0;
    while (at < folder.length && folder[at] === path[at]) at++;
    return path.lastIndexOf("/", at) + 1;
  });
  return { start: Math.max(0, ...shared), end: path.length };
}

/** What the model must know before it relies on the text. */
function withEncodingNote(result: ToolResult): ToolResult {
  const note =
    "(This file is not UTF-8 and its encoding is not known: \ufffd stands for characters that could not be decoded. " +
    "It cannot be edited before it is converted, for example with iconv.)";
  return { ...result, output: `${result.output}\n${note}` };
}

function showLines(
  { relative }: Location,
  text: string,
  { first, limit }: { first: number; limit: number },
): ToolResult {
  const lines = splitLines(text);
  if (first > Math.max(1, lines.length)) {
    throw new ToolError(msg("{0} has {1}; there is no line {2}.", relative, plural(lines.length, "line"), first));
  }
  if (lines.length === 0) return { output: "(the file is empty)", metadata: { fact: msg("empty") } };
  const shown: string[] = [];
  let characters = 0;
  for (const line of lines.slice(first - 1, first - 1 + limit)) {
    const text = numbered(cutLine(line, lineLimit), first + shown.length);
    // Leave room for the sentences after it, so that the output stays within the limit.
    if (characters + text.length > outputLimit.characters - 500) break;
    characters += text.length + 1;
    shown.push(text);
    if (shown.length === outputLimit.lines) break;
  }
  const last = first + shown.length - 1;
  const part = `lines ${first}–${last} of ${lines.length}`;
  const isWhole = first === 1 && last === lines.length;
  const fact = isWhole ? plural(lines.length, "line") : part;
  if (last >= lines.length) return { output: shown.join("\n"), metadata: { fact } };
  const hinted = withHint(shown.join("\n"), `(${part}; go on with offset ${last + 1})`, `(${part})`);
  return { output: hinted.output, metadata: { fact, ...hinted.metadata } };
}

function attach({ mime, bytes, location }: Extract<FileKind, { type: "media" }>): ToolResult {
  const filename = location.relative.slice(location.relative.lastIndexOf("/") + 1);
  const url = `data:${mime};base64,${Buffer.from(bytes).toString("base64")}`;
  return {
    output: `${location.relative} is attached (${mime}, ${plural(bytes.length, "byte")}).`,
    metadata: { fact: mime },
    attachments: [{ type: "file", mime, filename, url }],
  };
}

function list({ entries, location }: Extract<FileKind, { type: "folder" }>, path: string): ToolResult {
  const shown = entries.slice(0, 500);
  const left = entries.length - shown.length;
  const head = `${path} is a folder with ${plural(entries.length, "entry", "entries")}`;
  if (shown.length === 0)
    return { output: `${location.relative} is an empty folder.`, metadata: { fact: msg("empty") } };
  return {
    output: `${head}:\n${shown.join("\n")}${left > 0 ? `\n(${left} more are not shown)` : ""}`,
    metadata: { fact: msgCount(entries.length, "{0} entry", "{0} entries") },
  };
}
