/** Checks before a tool uses a file, and their error messages. */

import { never } from "../../base/never.ts";
import { untrustedWords } from "../../chat/call-words.ts";
import { msg, msgCount } from "../../l10n/l10n.ts";
import type { FileKind, Host, Location, TextFile, Workspace } from "../host.ts";
import { type FilesSeen, ToolError } from "../tool.ts";
import { isReadProtected } from "./requirements.ts";

/** Whether a text occurs reveals content, so a protected file must have been read. @throws ToolError if it was not */
export async function openToChange(
  location: Location,
  { workspace, overflow }: Host,
  seen: FilesSeen,
  signal: AbortSignal,
): Promise<FileKind> {
  if (isReadProtected(location) && !seen.has(location.path) && !overflow.holds(location.path)) {
    const name = location.relative;
    const orWrite = hidesText(location) ? ", or write it as a whole" : "";
    throw new ToolError(
      `${name} needs permission to be read, and you have not read it: read it first${orWrite}.`,
      msg("{0} was not read before; the model reads it first.", name),
    );
  }
  return await workspace.open(location, signal);
}

/** @throws ToolError if there is no text file */
export function asText(kind: FileKind): TextFile {
  if (kind.type === "text") return kind.file;
  throw new ToolError(forModel(kind), describeOther(kind));
}

/** As `asText`, before a change. @throws ToolError if the text has changed since the model saw it */
export function asSeen(kind: FileKind, seen: FilesSeen): TextFile {
  const file = asText(kind);
  const known = seen.get(file.path);
  if (known !== undefined && known !== file.version) throw staleError(file);
  return file;
}

/**
 * For a change that removes text which the call itself does not quote. A secret need not have been read: that would give
 * it to the model, and the user is shown each change of it. `then`: what to do after reading.
 * @throws ToolError if the model has not seen the file
 */
export function requireRead(file: TextFile, seen: FilesSeen, then: string): void {
  if (seen.has(file.path) || hidesText(file)) return;
  throw new ToolError(
    `${file.relative} exists already, and you have not read it: read it first, then ${then}.`,
    msg("{0} exists already and was not read; the model reads it first.", file.relative),
  );
}

function hidesText({ protection, restricted }: Location): boolean {
  return protection === "secret" || protection === "ignored" || restricted;
}

/** What people read; `forModel` adds what the model can do about it. */
function describeOther(kind: Exclude<FileKind, { type: "text" }>): string {
  const name = kind.location.relative;
  switch (kind.type) {
    case "missing":
      return msg("{0} does not exist.", name);
    case "folder":
      return msg("{0} is a folder, not a file.", name);
    case "binary":
      return msgCount(
        kind.size,
        "{1} is not text ({0} byte): it is binary, or UTF-16 without a byte order mark.",
        "{1} is not text ({0} bytes): it is binary, or UTF-16 without a byte order mark.",
        name,
      );
    case "unknown-encoding":
      return msg(
        "{0} is not text in UTF-8, and its encoding is not known: it can be read, but a change would lose characters. Set `files.encoding` in VS Code to allow it.",
        name,
      );
    case "media":
      return msg("{0} is not text but {1}.", name, kind.mime);
    case "special":
      return msg("{0} is not a regular file but a device, a pipe or a socket; it is not opened.", name);
    case "too-large":
      return msg("{0} is too large: {1}, and at most {2} are read.", name, megabytes(kind.size), megabytes(kind.limit));
    default:
      return never(kind);
  }
}

function forModel(kind: Exclude<FileKind, { type: "text" }>): string {
  const said = describeOther(kind);
  switch (kind.type) {
    case "missing":
      return `${said} ${kind.similar.length === 0 ? "Look for it with glob." : `Did you mean ${kind.similar.join(" or ")}?`}`;
    case "unknown-encoding":
      return said.replace(
        "Set `files.encoding` in VS Code to allow it.",
        "Convert it first (iconv), or ask the user to set `files.encoding` in VS Code.",
      );
    case "too-large":
      return `${said} Search in it with grep, or take parts of it with bash.`;
    default:
      return said;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function staleError({ relative }: Location): ToolError {
  return new ToolError(
    `${relative} has changed since it was read: read it again, then repeat the change.`,
    msg("{0} has changed since it was read; the model reads it again.", relative),
  );
}

/** @throws ToolError if the workspace is not trusted */
export function requireTrust(workspace: Workspace): void {
  if (workspace.trusted) return;
  throw new ToolError(
    "This workspace is not trusted: nothing is written and nothing is run in it. Reading and searching work. The user can trust it in the editor.",
    untrustedWords,
  );
}
