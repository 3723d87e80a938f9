/** Causes failures as a server, a socket or an SDK would, and returns the errors that the models report. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ModelError } from "../../src/loop/model.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { toModelError } from "../../src/providers/shared/failure.ts";
import { openaiModel } from "../chat-model.ts";
import { type Answer, startModelServer } from "../model-server.ts";
import { recordings } from "../streams/compare.ts";
import { ask, request } from "../wire/ask.ts";

export type Failure =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Data objects of a stream in OpenAI's format. */
  | { sse: unknown[] }
  /** Id of a recorded stream. */
  | { stream: string }
  /** Thrown error: its message, the system error code of its cause, or its name. */
  | { thrown: { message?: string; code?: string; name?: string } };

const endpoint = { name: "Test", model: "test-model", usedKey: () => "test-key-1", keyVariable: "TEST_KEY" };

/** Returns the errors of both wire formats, where both can fail this way; undefined if the recording is missing. */
export async function failures(failure: Failure): Promise<ModelError[] | undefined> {
  if ("thrown" in failure) return [toModelError(thrown(failure.thrown), endpoint)];
  if ("status" in failure) return [await failed("anthropic", failure), await failed("openai", failure)];
  if ("sse" in failure) {
    const bytes = failure.sse.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
    const events = failure.sse.map((data) => `event: error\ndata: ${JSON.stringify(data)}\n\n`).join("");
    return [await failed("openai", { bytes }), await failed("anthropic", { bytes: events })];
  }
  const bytes = recording(failure.stream);
  return bytes && [await failed(failure.stream.startsWith("a") ? "anthropic" : "openai", { bytes })];
}

export function recording(id: string): Buffer | undefined {
  const file = path.join(recordings(path.join(import.meta.dirname, "../.."))[0]?.folder ?? "", `${id}.sse`);
  return existsSync(file) ? readFileSync(file) : undefined;
}

async function failed(api: "anthropic" | "openai", answer: Answer): Promise<ModelError> {
  const server = await startModelServer([answer]);
  const open = api === "anthropic" ? anthropicModel : openaiModel;
  const { error } = await ask(open({ apiKey: "test-key-1", baseURL: server.url }), request());
  await server.stop();
  assert.ok(error, `${api}: no error`);
  return error;
}

function thrown({ message, code, name }: { message?: string; code?: string; name?: string }): Error {
  const cause = code === undefined ? undefined : Object.assign(new Error(code), { code });
  const error = new TypeError(message ?? "fetch failed", { cause });
  if (name !== undefined) error.name = name;
  return error;
}
