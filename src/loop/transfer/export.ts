/**
 * Exports a session as Markdown, or as a transcript with one JSON line per message (spec R6).
 * Its texts are for an exported file, which is in English.
 */

import type { Chat, Entry } from "../../chat/apply.ts";
import type { Part } from "../../chat/message.ts";
import { textOf } from "../../chat/words.ts";
import { isAnswered, markdownOf, oneLine, outputOf } from "../part-kinds.ts";
import { runSteps, type Steps } from "./slices.ts";

export const transcriptVersion = 1;

export function exportTranscript(chat: Chat): string {
  return runSteps(transcriptSteps(chat));
}

/** The field `rondo` contains the rest of each message, so that `importTranscript` restores the same chat. */
export function* transcriptSteps({ session, messages, queue, pruned, pieces }: Chat): Steps<string> {
  const marked = Object.keys(pieces).length > 0 && { pieces };
  const header = { transcript: transcriptVersion, session, queue, ...(pruned && { pruned }), ...marked };
  const lines = [JSON.stringify({ rondo: header })];
  for (const entry of messages) {
    for (const line of linesOf(entry)) lines.push(JSON.stringify(line));
    yield;
  }
  return `${lines.join("\n")}\n`;
}

function linesOf({ info, parts }: Entry): object[] {
  const line = { role: info.role, content: textOf(parts), timestamp: toISO(info.createdAt) };
  if (info.role === "user") return [{ ...line, rondo: { info, parts } }];
  const calls = parts.filter(isAnswered);
  const tool_calls = calls.map(({ callID, tool, state }) => ({
    id: callID,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(state.input) },
  }));
  const results = calls.map((call) => ({
    role: "tool",
    tool_call_id: call.callID,
    content: outputOf(call),
    timestamp: toISO(call.state.end),
    rondo: { partID: call.id },
  }));
  return [
    { ...line, ...(tool_calls.length > 0 && { tool_calls }), rondo: { info, parts: parts.map(hollow) } },
    ...results,
  ];
}

function hollow(part: Part): Part {
  if (!isAnswered(part)) return part;
  const { state } = part;
  return { ...part, state: state.status === "completed" ? { ...state, output: "" } : { ...state, error: "" } };
}

/** Invalid times become 1970. */
function toISO(time: number): string {
  return new Date(Math.abs(time) <= 8.64e15 ? time : 0).toISOString();
}

export function exportMarkdown(chat: Chat): string {
  return runSteps(markdownSteps(chat));
}

/** Leaves out text that is only for the model. */
export function* markdownSteps({ session, messages }: Chat): Steps<string> {
  const blocks = [`# ${oneLine(session.title)}`, `*${toISO(session.createdAt)} · ${oneLine(session.cwd)}*`];
  let speaker = "";
  for (const { info, parts } of messages) {
    yield;
    if (info.silent) continue;
    const said = parts.map(markdownOf).filter((block) => block !== "");
    if (info.role === "assistant" && info.error) said.push(`> **Error:** ${oneLine(info.error.message)}`);
    if (said.length === 0) continue;
    const name = info.role === "user" ? "User" : `Assistant (${oneLine(info.model.modelID)})`;
    if (name !== speaker) blocks.push(`## ${name}`);
    speaker = name;
    for (const block of said) blocks.push(block);
  }
  return `${blocks.join("\n\n")}\n`;
}
