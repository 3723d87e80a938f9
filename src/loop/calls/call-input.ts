/** From the words of a model's call to a tool and its input (T4). */

import type { core } from "zod/mini";
import type { ToolPart } from "../../chat/message.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { invalid } from "../../tools/invalid.ts";
import { type Tool, ToolError } from "../../tools/tool.ts";
import type { Arguments } from "../model.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Turn } from "../turn.ts";
import type { CallRecord } from "./call-record.ts";

/** Returns a call that was recorded and has not run, as the model made it. */
export function callOf({ id: partID, messageID, callID, tool, state }: ToolPart): ToolCall {
  const isPending = state.status === "pending";
  const metadata = isPending ? undefined : state.metadata;
  const { asked = { tool, input: state.input } } = metadata ?? {};
  const raw = isPending ? state.raw : JSON.stringify(asked.input);
  const isWhole = !isPending || Object.keys(asked.input).length > 0 || isEmptyObject(raw);
  const args: Arguments = isWhole
    ? { ok: true, input: asked.input }
    : { ok: false, problem: msg("they are not valid JSON") };
  const provider = isPending ? state.provider : metadata?.provider;
  return { messageID, partID, callID, tool: asked.tool, raw, arguments: args, provider };
}

/** Whether these are the arguments of a call without any. */
function isEmptyObject(raw: string): boolean {
  const text = raw.trim();
  return text === "" || (text.startsWith("{") && text.endsWith("}") && text.slice(1, -1).trim() === "");
}

/**
 * Finds the tool by its name, also in another case; else returns one that lists the tools (T4).
 * @throws ToolError when it is defined and may not be used now
 */
export function findTool(
  { chat }: Turn,
  { tools, refusals }: AgentConfig,
  { tool: name, arguments: args }: ToolCall,
): { tool: Tool; args: Arguments } {
  const tool = tools.get(name) ?? tools.get(name.toLowerCase());
  if (tool) return { tool, args };
  const refusal = refusals.get(name) ?? refusals.get(name.toLowerCase());
  if (refusal !== undefined) throw new ToolError(refusal, msg("{0} may not be used now.", name));
  const later = chat.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tools" ? part.added : [])),
  );
  const wasThere = [...(chat.prefix?.tools ?? []), ...later].some((one) => one.name === name);
  const error = wasThere
    ? english(`The tool "${name}" is gone: what brought it is no longer connected.`)
    : english(`There is no tool named "${name}".`);
  return { tool: invalid, args: { ok: true, input: { tool: name, error, tools: [...tools.keys()] } } };
}

export function parseInput(tool: Tool, args: Arguments, raw: string): Record<string, unknown> {
  if (!args.ok) {
    const sent = raw.length > 2000 ? `${raw.slice(0, 2000)}…` : raw;
    throw new ToolError(
      `The arguments of ${tool.name} could not be read: ${args.problem}. What was sent: ${sent}\nCall it again with one JSON object.`,
      msg("The call could not be read; the model tries again."),
    );
  }
  const parsed = tool.input.safeParse(args.input);
  if (parsed.success) return parsed.data;
  throw new ToolError(
    `The arguments of ${tool.name} do not fit:\n${describeIssues(parsed.error, args.input)}`,
    msg("The call was not complete or not valid; the model tries again."),
  );
}

/** @returns the new input, parsed for the tool */
export function replaceInput(record: CallRecord, tool: Tool, input: Record<string, unknown>): Record<string, unknown> {
  record.input = input;
  return parseInput(tool, { ok: true, input }, "");
}

function describeIssues(error: core.$ZodError, input: Record<string, unknown>): string {
  return error.issues
    .map((issue) => {
      let came: unknown = input;
      for (const key of issue.path) came = (came as Record<PropertyKey, unknown> | undefined)?.[key]; // any JSON value
      const shown = came === undefined ? "nothing" : (JSON.stringify(came) ?? typeof came).slice(0, 200);
      return english(`- ${issue.path.join(".") || "(arguments)"}: ${issue.message}; came: ${shown}`);
    })
    .join("\n");
}
