/** What both wire formats share when they turn entries into messages. */
import type { Entry } from "../apply.ts";
import type { FilePart, Part, ToolPart } from "../message.ts";
import { never } from "../never.ts";

/**
 * Remembers what an entry became, so that a request costs the same whatever came before it. An entry is translated again
 * when its message or one of its parts was replaced, or when text was appended to it.
 */
export function remember<Wire>(translate: (entry: Entry) => Wire): (entry: Entry) => Wire {
  const known = new WeakMap<Entry, { info: Entry["info"]; parts: Part[]; length: number; wire: Wire }>();
  return (entry) => {
    const { info, parts } = entry;
    const length = textLength(parts);
    const old = known.get(entry);
    if (old?.info === info && old.length === length && sameItems(old.parts, parts)) return old.wire;
    const wire = translate(entry);
    known.set(entry, { info, parts: [...parts], length, wire });
    return wire;
  };
}

/** Text and arguments grow in place while they stream; everything else is replaced (apply.ts). */
function textLength(parts: readonly Part[]): number {
  let length = 0;
  for (const part of parts) if (part.type === "text" || part.type === "reasoning") length += part.text.length;
  return length;
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The one result that a call gets, whatever became of it. */
export function toolResult({ state }: ToolPart): { text: string; failed: boolean; files: FilePart[] } {
  switch (state.status) {
    case "completed":
      return { text: state.output, failed: false, files: state.attachments ?? [] };
    case "error":
      return { text: state.error || "Failed without a message", failed: true, files: [] };
    case "pending":
    case "running":
      return { text: "Tool execution aborted", failed: true, files: [] };
    default:
      return never(state);
  }
}

/** What the provider wants back with a call. */
export function callData({ state }: ToolPart): Record<string, unknown> | undefined {
  return state.status === "pending" ? state.provider : state.metadata?.provider;
}

export type Content =
  | { type: "text"; text: string }
  /** `data` is base64. */
  | { type: "image"; mime: string; data: string; url: string }
  | { type: "pdf"; data: string; url: string; filename: string };

/** A file as the model can take it: its text with path and lines, an image, a PDF, or a sentence that names it. */
export function fileContent({ mime, filename, url, source }: FilePart): Content {
  if (source) {
    return { type: "text", text: `${filename}, lines ${source.start}–${source.end}:\n${fenced(source.text)}` };
  }
  const bytes = /^data:[^,]*;base64,(.*)$/s.exec(url);
  const data = bytes?.[1];
  if (data !== undefined) {
    if (/^image\/(png|jpeg|gif|webp)$/.test(mime)) return { type: "image", mime, data, url };
    if (mime === "application/pdf") return { type: "pdf", data, url, filename };
    if (mime.startsWith("text/")) {
      const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
      return { type: "text", text: `${filename}:\n${fenced(text)}` };
    }
    return { type: "text", text: `(The file ${filename} of type ${mime} was attached; it cannot be shown here.)` };
  }
  return { type: "text", text: `(The user points to the file ${filename}.)` };
}

/** In a fence that is longer than any within the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
