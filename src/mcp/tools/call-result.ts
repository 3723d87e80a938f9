/**
 * Turns a server's answer into the result of a call. Types and sizes that the server claims are not trusted.
 * Its texts are for the model.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { plural } from "../../tools/text/text.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { CallAnswer } from "../connection/connect.ts";
import { oneLine, visibleText } from "../connection/server-text.ts";
import { base64Bytes, imageOf, maxImages, maxTotalImageBytes } from "./images.ts";

type ToolAttachment = NonNullable<ToolResult["attachments"]>[number];

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
    attachments.push({ type: "file", ...image, filename: `image-${attachments.length + 1}` });
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
