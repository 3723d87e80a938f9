/** Converts a page to text for the model. */
import path from "node:path";
import { Worker } from "node:worker_threads";
import { msg } from "../../l10n/l10n.ts";
import { ToolError } from "../tool.ts";
import type { FetchedPage } from "./fetch-page.ts";

/** Next to this file in src, next to the bundle in dist. */
const workerFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "markdown-worker.ts" : "markdown-worker.cjs",
);

/** Large pages take 3 s. */
const threadTimeoutMs = 10_000;

/** @throws ToolError if the page cannot be converted; the signal's reason */
export async function pageText({ bytes, mime, charset, url }: FetchedPage & { type: "page" }, signal: AbortSignal) {
  const text = decodePage(bytes, charset, mime);
  const isHtml =
    /^(text\/html|application\/xhtml\+xml)$/.test(mime) || (mime === "" && /^\s*<(!doctype|html)/i.test(text));
  if (isHtml) return await toMarkdownInThread(text, url.href, signal);
  if (text.includes("\0")) throw new ToolError(msg("{0} is not text.", url.href));
  return text;
}

function toMarkdownInThread(html: string, base: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // The thread gets only the page: no environment, and limited memory.
    const worker = new Worker(workerFile, {
      workerData: { html, base },
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 1 },
    });
    const end = (reason: unknown) => {
      reject(reason);
      void worker.terminate();
    };
    const stop = () => end(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(() => end(unreadable()), threadTimeoutMs);
    worker.once("message", resolve);
    worker.once("error", () => reject(unreadable()));
    worker.once("exit", () => {
      signal.removeEventListener("abort", stop);
      clearTimeout(timer);
      reject(unreadable());
    });
  });
}

const unreadable = (): ToolError =>
  new ToolError(msg("The page cannot be read: it is nested too deeply, or too large."));

// Decodes the bytes of a page.

/** Uses the byte order mark, else the server's charset, else the one declared in the markup, else UTF-8. */
function decodePage(bytes: Uint8Array, charset: string | undefined, mime: string): string {
  const isMarkup = mime === "" || /html|xml/.test(mime);
  const label = byteOrderCharset(bytes) ?? charset ?? (isMarkup ? declaredCharset(bytes) : undefined) ?? "utf-8";
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // The charset is unknown.
    return new TextDecoder();
  }
}

function byteOrderCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Reads `<meta charset>`, `<meta http-equiv>` or an XML declaration in the first bytes, as browsers do. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  const said =
    /<meta\b[^<>]*?charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(head) ?? /^<\?xml[^>]*?encoding=["']([\w-]+)/i.exec(head);
  // A readable declaration is not in UTF-16.
  return /^utf-?16/i.test(said?.[1] ?? "") ? "utf-8" : said?.[1];
}
