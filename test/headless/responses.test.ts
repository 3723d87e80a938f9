/** A whole run with a server that keeps OpenAI's published rules. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { openaiChat, openaiResponses } from "../strict/openai.ts";
import { StrictServer } from "../strict/strict-server.ts";
import { xaiResponses } from "../strict/xai.ts";
import { places } from "./headless-run.ts";

const env = { OPENAI_API_KEY: "test-key", XAI_API_KEY: "test-key" };
const steps = [
  [{ thinking: "I look." }, { call: { name: "read", input: { file_path: "a.txt" } } }],
  [
    { text: "I write." },
    { call: { name: "bash", input: { command: "echo x > b.txt" } } },
    { call: { name: "glob", input: { pattern: "*" } } },
  ],
  [{ thinking: "Done." }, { text: "It is written." }],
];

describe("headless run: OpenAI's Responses API", () => {
  const open = places();
  let server: StrictServer | undefined;
  afterEach(() => server?.stop());

  for (const [api, provider] of [
    ["responses", openaiResponses("gpt-6.1-terra")],
    ["responses", openaiResponses("gpt-6.2-sol")],
    ["auto", xaiResponses("grok-4.7")],
  ] as const) {
    it(`E3 E4 ${provider.model}: the first request with the defaults is taken, and so is each that follows`, async () => {
      const strict = await StrictServer.start(provider);
      server = strict;
      strict.play(...steps, [{ text: "Once more." }]);
      const place = await open([]);
      place.write("a.txt", "x");
      const args = ["--provider", provider.providerID, "--api", api, "--model", provider.model];
      const usual = [...args, "--base-url", strict.baseURL, "--permission-mode", "bypassPermissions"];
      assert.deepEqual(await place.run([...usual, "Copy a.txt to b.txt."], { env }), {
        code: 0,
        stdout: "It is written.\n",
        stderr: "",
      });
      assert.equal(readFileSync(path.join(place.folder, "b.txt"), "utf8"), "x\n");
      assert.equal((await place.run([...usual, "--continue", "And now?"], { env })).stdout, "Once more.\n");
      assert.deepEqual(strict.refusals, []);
      assert.deepEqual(strict.requests.length, 4);
      const [first = "?", , , last = ""] = strict.requests.map(({ raw }) =>
        raw.replace(/\],"(reasoning|max_output_tokens)".*$/, ""),
      );
      assert.ok(last.startsWith(first), "the prefix has changed");
      assert.match(last, /"encrypted_content"/);
      if ("dropped" in provider) assert.deepEqual(provider.dropped, [], "thoughts were left out");
    });
  }

  it("E4 Chat Completions on demand", async () => {
    const strict = await StrictServer.start(openaiChat("gpt-5.5"));
    server = strict;
    strict.play([{ text: "Yes." }]);
    const place = await open([]);
    const args = ["--provider", "openai", "--api", "chat", "--model", "gpt-5.5", "--base-url", strict.baseURL, "Hi"];
    assert.equal((await place.run(args, { env })).stdout, "Yes.\n");
    assert.equal(strict.requests[0]?.path, "/v1/chat/completions");
  });
});
