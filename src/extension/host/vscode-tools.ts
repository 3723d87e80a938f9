/** Tools that VS Code and other extensions offer, those of them that the user named in the settings. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import type { FilePart } from "../../chat/message.ts";
import type { ExternalTools } from "../../loop/setup/external-tools.ts";
import { cutLine } from "../../tools/text/text.ts";
import { type Tool, ToolError, type ToolResult } from "../../tools/tool.ts";

/** ms: the tool may ask the user by itself. */
const timeLimit = 300_000;
const longestDescription = 1_000;
/** Characters of a schema; a longer one would cost more in each request than the tool is worth. */
const longestSchema = 10_000;
/** Bytes of an image. */
const largestImage = 5_000_000;

/** `enabled`: names of tools; `*` stands for all but those of MCP servers, which VS Code repeats there. */
export function vscodeTools(enabled: () => readonly string[]): ExternalTools {
  const made = new Map<string, { key: string; tool: Tool }>();
  /** The same object as long as nothing about the tool changes, so that requests stay the same, too. */
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
      const byName = new Map(all.map((info) => [nameFor(info.name), info]));
      return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => toolOf(info));
    },
  };
}

/** As models take it. */
function nameFor(name: string): string {
  return `vscode__${name}`.replace(/[^\w-]/g, "_").slice(0, 64);
}

function lmTool({ name, description, inputSchema }: vscode.LanguageModelToolInformation): Tool {
  const own = nameFor(name);
  return {
    name: own,
    description: cutLine(description, longestDescription),
    // Nobody knows what it does.
    sideEffect: "network",
    timeout: timeLimit,
    // VS Code checks the input against the schema.
    input: z.record(z.string(), z.unknown()),
    schema: schemaOf(inputSchema),
    async prepare(input, { signal }) {
      const given = JSON.stringify(input);
      return {
        title: `Use ${name}`,
        preview: { type: "text", text: cutLine(JSON.stringify(input, undefined, 2), 10_000) },
        requires: [
          {
            permission: own,
            pattern: given,
            suggestedRule: "*",
            match: "pattern",
            protection: "none",
            effect: "does what its extension wants",
          },
        ],
        writes: "unknown",
        run: async () => shown(await invoke(name, input, signal)),
      };
    },
  };
}

function schemaOf(schema: object | undefined): Record<string, unknown> {
  const fits = schema && !Array.isArray(schema) && JSON.stringify(schema).length <= longestSchema;
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

function shown({ content }: vscode.LanguageModelToolResult): ToolResult {
  const texts: string[] = [];
  const attachments: Omit<FilePart, "id" | "sessionID" | "messageID">[] = [];
  for (const part of content) {
    if (part instanceof vscode.LanguageModelTextPart) texts.push(part.value);
    else if (part instanceof vscode.LanguageModelPromptTsxPart) texts.push(JSON.stringify(part.value));
    else if (part instanceof vscode.LanguageModelDataPart) {
      const { mimeType, data } = part;
      if (/^text\/|json$/.test(mimeType)) texts.push(new TextDecoder().decode(data));
      else if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType) && data.length <= largestImage) {
        const url = `data:${mimeType};base64,${Buffer.from(data).toString("base64")}`;
        attachments.push({ type: "file", mime: mimeType, filename: `image.${mimeType.slice(6)}`, url });
      } else texts.push(`(${data.length} bytes of ${mimeType}, which cannot be shown)`);
    }
  }
  return { output: texts.join("\n"), metadata: {}, ...(attachments.length > 0 && { attachments }) };
}
