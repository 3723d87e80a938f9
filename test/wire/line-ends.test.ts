/** Streams of JSON lines whose texts hold what other readers take for the end of a line, over the real SDKs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { openModel } from "../../src/providers/providers.ts";
import { openaiModel } from "../chat-model.ts";
import { openaiEvents, responsesEvents } from "../model-server/encode.ts";
import { type Answer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

const apis = {
  "Chat Completions": {
    model: (url: string) => openaiModel({ apiKey: "k", baseURL: `${url}/v1` }),
    encode: openaiEvents,
  },
  Responses: {
    model: (url: string) => responsesModel({ apiKey: "k", baseURL: `${url}/v1`, rules: openaiResponses }),
    encode: responsesEvents,
  },
};

describe("ends of lines in streams", () => {
  /** `JSON.stringify` escapes neither of them. */
  const separators = "A\u2028B\u2029C\u0085D\u000bE\fF";

  for (const [name, { model, encode }] of Object.entries(apis)) {
    async function replyTo(answer: Answer) {
      const server = await startModelServer([answer]);
      const reply = await ask(model(server.url), request());
      await server.stop();
      return reply;
    }

    for (const [how, change] of Object.entries({
      "with LF": (bytes: string) => bytes,
      "with CRLF": (bytes: string) => bytes.replaceAll("\n", "\r\n"),
      "with CR": (bytes: string) => bytes.replaceAll("\n", "\r"),
      "without spaces after the colon": (bytes: string) => bytes.replaceAll("data: ", "data:"),
    })) {
      it(`E3 ${name} ${how}: U+2028, U+2029 and U+0085 end no line, wherever the bytes are split`, async () => {
        const blocks = [{ text: separators }, { call: { name: "read", input: { file_path: separators } } }];
        const bytes = change(encode({ blocks }).join(""));
        for (const size of [1, 7, bytes.length * 4]) {
          const reply = await replyTo({ bytes, size });
          assert.equal(reply.error, undefined);
          assert.equal(reply.text, separators);
          assert.deepEqual(reply.calls[0]?.arguments, { ok: true, input: { file_path: separators } });
        }
      });
    }

    it(`E3 ${name}: a text about streams does not end its own`, async () => {
      for (const said of ["data: [DONE] ", "\ndata: [DONE]\n", "\r\nerror: {}\r\n", "error: no. "]) {
        const text = said.repeat(400);
        const reply = await replyTo({ bytes: encode({ blocks: [{ text }] }).join(""), size: 7 });
        assert.equal(reply.error, undefined);
        assert.ok(reply.text === text, `${reply.text.length} of ${text.length} characters`);
        assert.equal(reply.finish, "stop");
      }
    });
  }

  it("E3 Ollama: U+2028, U+2029 and U+0085 end no line, wherever the bytes are split", async () => {
    const message = { role: "assistant", content: separators };
    const lines = [
      { model: "m", message, done: false },
      { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" },
    ];
    const bytes = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    for (const size of [1, 7, bytes.length * 4]) {
      const server = await startOllama(Buffer.from(bytes), size);
      const reply = await ask(
        await openModel("ollama", { apiKey: undefined, baseURL: server.url }),
        request({ model: "m" }),
      );
      await server.stop();
      assert.equal(reply.error, undefined);
      assert.equal(reply.text, separators);
    }
  });
});

/** Starts a server that answers each request for a reply with these bytes, `size` at a time. */
async function startOllama(bytes: Buffer, size: number): Promise<{ url: string; stop(): Promise<unknown> }> {
  const server = createServer(async (asked, response) => {
    if (asked.url !== "/api/chat") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (let at = 0; at < bytes.length; at += size)
      await new Promise((sent) => response.write(bytes.subarray(at, at + size), sent));
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  assert.ok(address && typeof address === "object");
  return { url: `http://127.0.0.1:${address.port}/v1`, stop: () => new Promise((closed) => server.close(closed)) };
}
