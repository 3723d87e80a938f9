/** The states of one call in order: running, then completed or error (spec D4). */

import { newID } from "../../base/ids.ts";
import { sameJson } from "../../base/json.ts";
import { findPart } from "../../chat/apply.ts";
import type { CallMetadata, ToolState } from "../../chat/message.ts";
import type { Spent } from "../../chat/spent.ts";
import type { CallDecision } from "../../chat/trace.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { ChatAccess, Turn } from "../turn.ts";
import { SeenByCall } from "./files-seen.ts";

type RecordingTurn = ChatAccess & Pick<Turn, "seen">;

export class CallRecord {
  /** Corrected if the model got the name wrong. */
  tool: string;
  /** The model's input, until a hook or the user changes it. */
  readonly asked: Record<string, unknown>;
  input: Record<string, unknown>;
  title: string | undefined;
  completed = false;
  /** Whether the user is asked about the call. */
  isAsking = false;
  /** Whether the user was asked about the call in this run. */
  wasAsked = false;
  /** Output or error, once the call has ended. */
  output = "";
  decision: CallDecision | undefined;
  readonly seen: SeenByCall;
  readonly #turn: RecordingTurn;
  readonly #call: ToolCall;
  #child: Pick<CallMetadata, "childID" | "childCost" | "childTokens" | "childPartial" | "childEdited"> = {};
  #start: number;

  constructor(turn: RecordingTurn, call: ToolCall, start: number) {
    this.#turn = turn;
    this.#call = call;
    this.#start = start;
    this.tool = call.tool;
    this.asked = call.arguments.ok ? call.arguments.input : {};
    this.input = this.asked;
    this.seen = new SeenByCall(turn.seen);
  }

  /** Called without a time when the call starts, and with one when the tool starts. */
  running(start = this.#start): void {
    this.#start = start;
    this.#put({
      status: "running",
      input: this.input,
      start,
      ...(this.title !== undefined && { title: this.title }),
      metadata: this.#metadata(this.isAsking ? { asking: true } : {}),
    });
  }

  /** Call it before the user is asked. Until the call is recorded again, it may be asked about again. */
  asks(): void {
    this.isAsking = true;
    this.wasAsked = true;
    this.running();
  }

  follow(childID: string): void {
    this.#child = { childID };
    this.running();
  }

  /** Stores with the result what the subagent has spent and edited. */
  childEnded({ usd: childCost, tokens: childTokens, partial }: Spent, edited: readonly string[]): void {
    this.#child = {
      ...this.#child,
      childCost,
      childTokens,
      ...(partial && { childPartial: true }),
      ...(edited.length > 0 && { childEdited: [...edited] }),
    };
  }

  /** Returns the displayed output of a tool that did not finish. */
  partial(): string {
    const { messageID, partID } = this.#call;
    const part = findPart(this.#turn.chat, messageID, partID);
    return (part?.type === "tool" && part.state.status === "running" && part.state.metadata?.live) || "";
  }

  done(result: ToolResult): void {
    if (result.failed) {
      this.error(result.output, result.metadata);
      return;
    }
    const end = Date.now();
    this.completed = true;
    this.output = result.output;
    const seen = this.seen.commit();
    const { sessionID, messageID } = this.#ids();
    this.#put({
      status: "completed",
      input: this.input,
      output: result.output,
      title: this.title ?? this.tool,
      metadata: this.#metadata({ ...result.metadata, ...(seen && { seen }) }),
      ...(result.attachments && {
        attachments: result.attachments.map((file) => ({ ...file, id: newID("prt"), sessionID, messageID })),
      }),
      start: this.#start,
      end,
    });
  }

  error(error: string, metadata: CallMetadata = {}): void {
    this.output = error;
    this.#put({
      status: "error",
      input: this.input,
      error,
      ...(this.title !== undefined && { title: this.title }),
      metadata: this.#metadata(metadata),
      start: this.#start,
      end: Date.now(),
    });
  }

  #metadata(metadata: CallMetadata): CallMetadata {
    const { provider, tool } = this.#call;
    const isOther = this.tool !== tool || !sameJson(this.input, this.asked);
    return {
      ...metadata,
      ...this.#child,
      ...(isOther && { asked: { tool, input: this.asked } }),
      ...(provider && { provider }),
    };
  }

  #ids(): { sessionID: string; messageID: string } {
    return { sessionID: this.#turn.chat.session.id, messageID: this.#call.messageID };
  }

  #put(state: ToolState): void {
    const { partID, callID } = this.#call;
    this.#turn.emit({
      type: "part",
      part: { type: "tool", id: partID, ...this.#ids(), callID, tool: this.tool, state },
    });
  }
}
