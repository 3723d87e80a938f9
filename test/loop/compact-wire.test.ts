/** Compaction as providers see it. */
import assert from "node:assert/strict";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiModel } from "../chat-model.ts";
import { type Block, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { harnesses } from "./harness.ts";

const read = (file_path: string): Block => ({ call: { name: "read", input: { file_path } } });

for (const { name, open: openModel, prefix } of [
  { name: "anthropic", open: anthropicModel, prefix: "" },
  { name: "openai", open: openaiModel, prefix: "/v1" },
]) {
  describe(`${name}: compaction on the wire`, () => {
    const open = harnesses();
    let server: ModelServer | undefined;
    afterEach(() => server?.stop());

    const isSummary = ({ body }: ReceivedRequest) => JSON.stringify(body["tool_choice"] ?? "").includes("none");
    /** Returns the messages as they were sent, without the end of the list. */
    const bytesOf = ({ body }: ReceivedRequest) => JSON.stringify(body["messages"]).slice(0, -1);

    it("C7 C3 the request for the summary begins with the bytes of the previous one, including tools and system prompt", async () => {
      const thinking: Block = { thinking: "Hm.", signature: "c2ln" };
      server = await startModelServer((request, index) => {
        if (isSummary(request)) return [{ text: "The summary." }];
        const usage = { input: index === 1 ? 110_000 : 3000, output: 100 };
        return {
          blocks: index < 2 ? [thinking, { text: "I look." }, read("a.txt"), read("b.txt")] : [{ text: "Done." }],
          usage,
        };
      });
      const model = openModel({ apiKey: "sk-test", baseURL: server.url + prefix });
      const h = open([], {
        choices: { model: { providerID: name, modelID: "local" } },
        files: { "a.txt": "x", "b.txt": "y" },
        openModel: async () => model,
      });
      assert.equal((await h.turn()).reason, "end_turn");
      const [, before, summary, after] = server.requests;
      assert.ok(before && summary && after && isSummary(summary) && server.requests.length === 4);
      assert.ok(bytesOf(summary).startsWith(bytesOf(before)), "the cached prefix is used");
      assert.deepEqual([summary.body["system"], summary.body["tools"]], [before.body["system"], before.body["tools"]]);
      assert.match(bytesOf(after), /The summary\./);
      assert.ok(bytesOf(after).length < bytesOf(summary).length);
    });
  });
}
