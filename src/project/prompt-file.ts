/** Reads Markdown files with front matter that hold text for the model. */

import { isRecord } from "../base/json.ts";
import { decodeText } from "../base/node/read-checked.ts";
import { msg } from "../l10n/l10n.ts";
import { type ConfigRoot, readConfigFile } from "../tools/node-host/config-files.ts";
import { type Markdown, readMarkdown } from "./front-matter.ts";

/** Larger files are rejected rather than cut, because half a prompt is a different prompt. */
const maxFileBytes = 256 * 1024;

export type MarkdownFile =
  | { type: "missing" }
  | { type: "markdown"; markdown: Markdown }
  /** `why`: the end of a sentence. */
  | { type: "broken"; why: string };

export function readMarkdownFile(root: ConfigRoot, name: string): MarkdownFile {
  const found = readConfigFile(root, name, maxFileBytes);
  if (found.type === "missing") return found;
  const broken = (why: string): MarkdownFile => ({ type: "broken", why });
  if (found.type === "unusable") return broken(found.why);
  if (found.size > maxFileBytes) return broken(msg("it is larger than {0} KiB", maxFileBytes / 1024));
  const text = decodeText(found.bytes);
  if (text === undefined) return broken(msg("it is not text"));
  try {
    return { type: "markdown", markdown: readMarkdown(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return broken(error.message);
  }
}

/** Returns a field of the front matter as one line of at most 1,000 characters; empty if it is no text. */
export function textIn(data: unknown, field: string): string {
  const value = isRecord(data) ? data[field] : undefined;
  // YAML reads `[version]` as a list; as a hint it is text.
  const text = Array.isArray(value) ? value.map((one) => `[${String(one)}]`).join(" ") : value;
  return typeof text === "string" || typeof text === "number"
    ? String(text).replace(/\s+/g, " ").trim().slice(0, 1000)
    : "";
}

/** Returns a field that is yes or no; `usual` if it is neither. */
export function flagIn(data: unknown, field: string, usual: boolean): boolean {
  const value = isRecord(data) ? data[field] : undefined;
  return typeof value === "boolean" ? value : usual;
}
