/** Tools of VS Code and other extensions that the user has enabled in the settings. */

import * as vscode from "vscode";
import * as z from "zod/mini";
import type { FilePart } from "../../chat/message.ts";
import { msg } from "../../l10n/l10n.ts";
import type { ExternalTools } from "../../loop/setup/external-tools.ts";
import { cutLine } from "../../tools/text/text.ts";
import { type Tool, ToolError, type ToolResult } from "../../tools/tool.ts";

/** Long, since the tool may ask the user something. */
const timeoutMs = 300_000;
const maxDescriptionChars = 1_000;
/** A longer schema would cost more in each request than the tool is worth. */
const maxSchemaChars = 10_000;
const maxImageBytes = 5_000_000;

/** `enabled` returns names of tools; `*` means all except those of MCP servers, which VS Code lists here, too. */
export function vscodeTools(enabled: () => readonly string[]): ExternalTools {
  const made = new Map<string, { key: string; tool: Tool }>();
  /** Returns the same object while the tool is unchanged, so that requests stay the same for the provider's cache. */
  const toolOf = (info: vscode.LanguageModelToolInformation): Tool => {
    const key = JSON.stringify([info.description, info.inputSchema]);
    const known = made.get(info.name);
    if (known?.key === key) return known.tool;
    const tool = lmTool(info);
    made.set(info.name, { key, tool });
    return tool;
  };
  return {
    ready: async () => {},
    tools() {
      const names = new Set(enabled());
      if (names.size === 0) return [];
      const all = vscode.lm.tools.filter(({ name }) => names.has(name) || (names.has("*") && !name.startsWith("mcp_")));
      const byName = new Map(all.map((info) => [toolName(info.name), info]));
      return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => toolOf(info));
    },
  };
}

/** Calls a tool that needs no input, and returns what it says. */
export async function outputOfTool(name: string): Promise<string> {
  return toToolResult(await invoke(name, {}, new AbortController().signal)).output;
}

/** Returns a name that providers accept. */
function toolName(name: string): string {
  return `vscode__${name}`.replace(/[^\w-]/g, "_").slice(0, 64);
}

function lmTool({ name, description, inputSchema }: vscode.LanguageModelToolInformation): Tool {
  const own = toolName(name);
  return {
    name: own,
    description: cutLine(description, maxDescriptionChars),
    // Nothing is known about its effects.
    sideEffect: "network",
    freeform: undefined,
    inSandbox: undefined,
    timeoutMs,
    // VS Code checks the input against the schema.
    input: z.record(z.string(), z.unknown()),
    schema: schemaOf(inputSchema),
    async prepare(input, { signal }) {
      const given = JSON.stringify(input);
      const claim = cutLine(description, 300);
      return {
        title: msg("Use {0}", name),
        preview: { type: "arguments", server: "", tool: name, claim, input: given.length <= 10_000 ? input : {} },
        requires: [
          {
            permission: own,
            pattern: given,
            suggestedRule: "*",
            match: "pattern",
            protection: "none",
            effect: msg("has effects that Rondo does not know"),
          },
        ],
        writes: "unknown",
        run: async () => toToolResult(await invoke(name, input, signal)),
      };
    },
  };
}

function schemaOf(schema: object | undefined): Record<string, unknown> {
  const fits = schema && !Array.isArray(schema) && JSON.stringify(schema).length <= maxSchemaChars;
  return { properties: {}, ...(fits && schema), type: "object" };
}

async function invoke(name: string, input: object, signal: AbortSignal): Promise<vscode.LanguageModelToolResult> {
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    return await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, cancel.token);
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener("abort", stop);
    cancel.dispose();
  }
}

function toToolResult({ content }: vscode.LanguageModelToolResult): ToolResult {
  const texts: string[] = [];
  const attachments: Omit<FilePart, "id" | "sessionID" | "messageID">[] = [];
  for (const part of content) {
    if (part instanceof vscode.LanguageModelTextPart) texts.push(part.value);
    else if (part instanceof vscode.LanguageModelPromptTsxPart) texts.push(JSON.stringify(part.value));
    else if (part instanceof vscode.LanguageModelDataPart) {
      const { mimeType, data } = part;
      if (/^text\/|json$/.test(mimeType)) texts.push(new TextDecoder().decode(data));
      else if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType) && data.length <= maxImageBytes) {
        const url = `data:${mimeType};base64,${Buffer.from(data).toString("base64")}`;
        attachments.push({ type: "file", mime: mimeType, filename: `image.${mimeType.slice(6)}`, url });
      } else texts.push(`(${data.length} bytes of ${mimeType}, which cannot be shown)`);
    }
  }
  return { output: texts.join("\n"), metadata: {}, ...(attachments.length > 0 && { attachments }) };
}
