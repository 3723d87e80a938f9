/** Turns a server's answer into the result of a call. Types and sizes that the server claims are not trusted. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { parseJson } from "../../chat/json.ts";
import { plural } from "../../tools/text/text.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { CallAnswer } from "../connection/connect.ts";
import { oneLine, visibleText } from "../connection/server-text.ts";

type ToolAttachment = NonNullable<ToolResult["attachments"]>[number];

/** Limits of providers for images: their number, the size of one and of all. */
const maxImages = 10;
const maxImageBytes = 4 * 1024 * 1024;
const maxTotalImageBytes = 10 * 1024 * 1024;

const EmbeddedResource = z.object({
  uri: z.string(),
  mimeType: z.optional(z.string()),
  text: z.optional(z.string()),
  blob: z.optional(z.string()),
});

const ContentBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string() }),
  z.object({ type: z.literal("audio"), data: z.string() }),
  z.object({ type: z.literal("resource"), resource: EmbeddedResource }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.optional(z.string()),
    description: z.optional(z.string()),
  }),
]);

export function toToolResult({ content, structuredContent, isError }: CallAnswer): ToolResult {
  const texts: string[] = [];
  const attachments: ToolAttachment[] = [];
  let size = 0;
  const attach = (data: string, what: string) => {
    const image = imageOf(data);
    if (typeof image === "string") return texts.push(`(${what} was left out: ${image}.)`);
    size += base64Bytes(data);
    if (attachments.length === maxImages || size > maxTotalImageBytes)
      return texts.push(`(${what} was left out: there are too many images.)`);
    attachments.push({ ...image, filename: `image-${attachments.length + 1}` });
    return texts.push(`(${what} is attached: ${image.mime}.)`);
  };
  for (const one of content) {
    const block = ContentBlock.safeParse(one).data;
    switch (block?.type) {
      case undefined:
        texts.push("(A part of the answer with an unknown type was left out.)");
        break;
      case "text":
        texts.push(visibleText(block.text));
        break;
      case "image":
        attach(block.data, "An image");
        break;
      case "audio":
        texts.push(`(Audio was left out: ${plural(base64Bytes(block.data), "byte")}.)`);
        break;
      case "resource": {
        const { uri, text, blob } = block.resource;
        const name = oneLine(uri, 500);
        if (text !== undefined) texts.push(`${name}:\n${visibleText(text)}`);
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
  if (structuredContent !== undefined && !texts.some((text) => isSameContent(text, structuredContent))) {
    texts.push(visibleText(JSON.stringify(structuredContent, undefined, 2)));
  }
  const output = texts.filter((text) => text !== "").join("\n\n");
  return {
    output: output === "" ? "(The answer is empty.)" : output,
    metadata: isError ? { fact: "failed", tone: "bad" } : {},
    ...(attachments.length > 0 && { attachments }),
    ...(isError && { failed: true }),
  };
}

/** Most servers also send their structured content as text. */
function isSameContent(text: string, structured: unknown): boolean {
  return /^\s*[{[]/.test(text) && isDeepStrictEqual(parseJson(text), structured);
}

/** Detects the type from the bytes, because providers reject a wrong type. @returns the reason if it is not usable */
function imageOf(data: string): Omit<ToolAttachment, "filename"> | string {
  const size = base64Bytes(data);
  if (size > maxImageBytes) return `it has ${plural(size, "byte")}`;
  const bytes = Buffer.from(data, "base64");
  const head = bytes.subarray(0, 12).toString("hex");
  const mime = Object.entries(imageSignatures).find(([, signature]) => signature.test(head))?.[0];
  if (mime === undefined) return "it is not a PNG, JPEG, GIF or WebP";
  return { type: "file", mime, url: `data:${mime};base64,${bytes.toString("base64")}` };
}

/** Patterns for the first bytes as hexadecimal digits. */
const imageSignatures = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};

const base64Bytes = (base64: string): number => Math.floor((base64.length * 3) / 4);
