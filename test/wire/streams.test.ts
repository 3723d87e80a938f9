/** Recorded streams of real servers, decoded by the providers; test/streams plays them through a headless run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiModel } from "../../src/providers/openai-chat/chat-model.ts";
import { startModelServer } from "../model-server.ts";
import { compare, readExpected, recordedStreams, type Seen, skippedNote, streamsFolder } from "../streams/compare.ts";
import { ask, type Collected, request } from "./ask.ts";

const folder = streamsFolder(path.join(import.meta.dirname, "../.."));

describe("E3 E4 E5 recorded streams", () => {
  if (!folder) {
    console.log(skippedNote);
    for (let number = 1; number <= recordedStreams; number++) it.skip(`stream ${number}`, () => {});
    return;
  }
  const recordings = readExpected(folder);

  it("their number is the one in compare.ts", () => assert.equal(recordings.length, recordedStreams));

  for (const expected of recordings) {
    it(expected.id, async () => {
      const server = await startModelServer([{ bytes: readFileSync(path.join(folder, expected.stream)) }]);
      const open = expected.api === "anthropic-messages" ? anthropicModel : openaiModel;
      const collected = await ask(open({ apiKey: "test-key", baseURL: server.url }), request());
      await server.stop();
      assert.deepEqual(compare(expected, summary(collected)), []);
    });
  }
});

function summary({ text, reasoning, reasons, calls, finish, tokens, error }: Collected): Seen {
  return {
    error: error?.message,
    text,
    reasoning,
    redacted: reasons.filter((metadata) => metadata?.["redacted"] !== undefined).length,
    calls: calls.map(({ id, name, arguments: given }) => ({ id, name, input: given.ok ? given.input : undefined })),
    finish,
    usage: tokens,
  };
}
