/** Files are changed by `apply_patch` with GPT, by `edit` with others, and the conversation goes on with either. */
import assert from "node:assert/strict";
import { defaultLimits } from "../../src/loop/limits.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { azureDeployment, azureResponses } from "./azure.ts";
import { openaiChat, openaiResponses } from "./openai.ts";
import { openSession } from "./stories.ts";
import { type Block, StrictServer } from "./strict-server.ts";

/** With whether the tool comes with its grammar there. */
const servers = [
  ["OpenAI, Responses", true, () => StrictServer.start(openaiResponses("gpt-6.1-terra"))],
  ["OpenAI, Responses with a checked prefix", true, () => StrictServer.start(openaiResponses("gpt-6.2-sol"))],
  ["OpenAI, Responses without grammars", false, () => StrictServer.start(openaiResponses("gpt-4.1"))],
  ["OpenAI, Chat Completions", false, () => StrictServer.start(openaiChat("gpt-5.1"))],
  ["Azure, v1", true, () => StrictServer.start(azureResponses("gpt-5.5"))],
  ["Azure, a deployment's path", false, () => StrictServer.start(azureDeployment("gpt-5.1"))],
] as const;

const patch = (from: string, to: string): Block[] => [
  {
    call: {
      name: "apply_patch",
      input: { input: `*** Begin Patch\n*** Update File: a.txt\n@@\n-${from}\n+${to}\n*** End Patch\n` },
    },
  },
];
const done: Block[] = [{ text: "Done." }];

describe("apply_patch before strict servers", () => {
  for (const [name, hasGrammar, start] of servers) {
    it(`T1 E4 ${name}`, async () => {
      const row = messagesRows[0] ?? assert.fail();
      const [gpt, claude] = await Promise.all([start(), StrictServer.start(anthropicProvider(row))]);
      // The names of deployments do not tell the model.
      const facts = new KnownFacts({
        limits: () => defaultLimits,
        modelOf: ({ modelID }) => gpt.provider.models?.[modelID] ?? modelID,
      });
      const session = openSession([gpt, claude], { more: { tools: builtInTools({ editor: false }), facts } });
      const ends = async (model: { providerID: string; modelID: string }) => {
        session.session.choose({ model });
        const { reason, error } = await session.turn("Change it.", { model });
        assert.equal(reason, "end_turn", error?.message);
      };
      try {
        gpt.play(patch("alpha", "beta"), done, patch("gamma", "delta"), done);
        const edit = { name: "edit", input: { file_path: "a.txt", old_string: "beta", new_string: "gamma" } };
        claude.play([{ call: edit }], done);
        await ends(gpt.ref);
        assert.equal(session.read("a.txt"), "beta\n");
        await ends(claude.ref);
        assert.equal(session.read("a.txt"), "gamma\n");
        await ends(gpt.ref);
        assert.equal(session.read("a.txt"), "delta\n");
        assert.deepEqual([gpt.refusals, claude.refusals], [[], []]);
        const raw = gpt.requests[1]?.raw ?? "";
        assert.equal(raw.includes('"custom_tool_call_output"'), hasGrammar);
        assert.equal(gpt.requests[0]?.raw.includes('"syntax":"lark"'), hasGrammar);
        assert.ok(!gpt.requests[0]?.raw.includes('"name":"multi_edit"'));
      } finally {
        await session.close();
        await Promise.all([gpt.stop(), claude.stop()]);
      }
    });
  }
});
