/** What a server answers, as the result of a call. Nothing of it is believed: neither kinds nor sizes. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { plural } from "../../tools/text/text.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { CallAnswer } from "../connection/connect.ts";
import { oneLine, visible } from "../connection/server-text.ts";

type Attachment = NonNullable<ToolResult["attachments"]>[number];

/** What providers take: bytes of one image, and of all. */
const mostImages = 10;
const imageLimit = 4 * 1024 * 1024;
const allImages = 10 * 1024 * 1024;

const Resource = z.object({
  uri: z.string(),
  mimeType: z.optional(z.string()),
  text: z.optional(z.string()),
  blob: z.optional(z.string()),
});

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string() }),
  z.object({ type: z.literal("audio"), data: z.string() }),
  z.object({ type: z.literal("resource"), resource: Resource }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.optional(z.string()),
    description: z.optional(z.string()),
  }),
]);

export function toResult({ content, structuredContent, isError }: CallAnswer): ToolResult {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  let size = 0;
  const attach = (data: string, what: string) => {
    const image = imageOf(data);
    if (typeof image === "string") return texts.push(`(${what} is left out: ${image}.)`);
    size += bytesOf(data);
    if (attachments.length === mostImages || size > allImages)
      return texts.push(`(${what} is left out: there are too many.)`);
    attachments.push({ ...image, filename: `image-${attachments.length + 1}` });
    return texts.push(`(${what} is attached: ${image.mime}.)`);
  };
  for (const one of content) {
    const parsed = Block.safeParse(one);
    const block = parsed.data;
    switch (block?.type) {
      case undefined:
        texts.push("(A part of the answer is of an unknown kind and left out.)");
        break;
      case "text":
        texts.push(visible(block.text));
        break;
      case "image":
        attach(block.data, "An image");
        break;
      case "audio":
        texts.push(`(Audio is left out: ${plural(bytesOf(block.data), "byte")}.)`);
        break;
      case "resource": {
        const { uri, text, blob } = block.resource;
        const name = oneLine(uri, 500);
        if (text !== undefined) texts.push(`${name}:\n${visible(text)}`);
        else attach(blob ?? "", name);
        break;
      }
      case "resource_link": {
        const { uri, name = "", description = "" } = block;
        texts.push([oneLine(uri, 2000), oneLine(name, 200), oneLine(description, 500)].filter(Boolean).join(" — "));
        break;
      }
    }
  }
  if (structuredContent !== undefined && !texts.some((text) => isSame(text, structuredContent))) {
    texts.push(visible(JSON.stringify(structuredContent, undefined, 2)));
  }
  const output = texts.filter((text) => text !== "").join("\n\n");
  return {
    output: output === "" ? "(It gave no answer.)" : output,
    metadata: isError ? { fact: "failed", tone: "bad" } : {},
    ...(attachments.length > 0 && { attachments }),
    ...(isError && { failed: true }),
  };
}

/** Most servers give their structured content as text, too. */
function isSame(text: string, structured: unknown): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

/** The kind is read from the bytes: a provider refuses an image that is not what it is said to be. @returns else why not */
function imageOf(data: string): Omit<Attachment, "filename"> | string {
  const size = bytesOf(data);
  if (size > imageLimit) return `it has ${plural(size, "byte")}`;
  const bytes = Buffer.from(data, "base64");
  const head = bytes.subarray(0, 12).toString("hex");
  const mime = Object.entries(signatures).find(([, signature]) => signature.test(head))?.[0];
  if (mime === undefined) return "it is no PNG, JPEG, GIF or WebP";
  return { type: "file", mime, url: `data:${mime};base64,${bytes.toString("base64")}` };
}

/** Of the first bytes, as hexadecimal digits. */
const signatures = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
