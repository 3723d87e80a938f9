/** Records of version 0.4.0 go on with the newest models: what their thoughts were bound to is not known (C7). */
import assert from "node:assert/strict";
import path from "node:path";
import type { Chat } from "../../src/chat/apply.ts";
import { replay } from "../../src/record/replay.ts";
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { openaiResponses } from "./openai.ts";
import { openSession } from "./stories.ts";
import { type StrictProvider, StrictServer } from "./strict-server.ts";

const file = path.join(
  import.meta.dirname,
  "..",
  "record",
  "fixtures",
  "0.4.0",
  "ses_01M81HXR918E0J0YGX1MQW0SCZ.jsonl",
);

/** The old session as if this model had led it, with a thought in each reply that its server never made. */
function ledBy({ providerID, model }: Pick<StrictProvider<never>, "providerID" | "model">): Chat {
  const { chat } = replay(file);
  for (const [at, { info, parts }] of chat.messages.entries()) {
    info.model = { providerID, modelID: model };
    if (info.role !== "assistant" || !parts.some(({ type }) => type === "text" || type === "tool")) continue;
    const item = { type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: `gAAAA${at}` };
    const metadata = providerID === "anthropic" ? { signature: `sig-${at}` } : { item };
    const ids = { id: `prt_thought_${at}`, sessionID: info.sessionID, messageID: info.id };
    parts.unshift({ ...ids, type: "reasoning", text: "Hm.", metadata, time: { start: 1, end: 2 } });
  }
  return chat;
}

describe("conversations of version 0.4.0", () => {
  const providers: StrictProvider<never>[] = [
    ...messagesRows.filter(({ model }) => /5-5|5-1|4-5/.test(model)).map(anthropicProvider),
    openaiResponses("gpt-6.2-sol"),
    openaiResponses("gpt-5.1"),
  ];
  for (const provider of providers) {
    it(`R1 C7 go on with ${provider.model}, once without their thoughts, then with its own`, async () => {
      const server = (await StrictServer.start(provider)) as StrictServer; // bodies are only compared here
      const thought = [{ thinking: "So." }, { text: "Done." }];
      server.play([{ thinking: "I read." }, { call: { name: "glob", input: { pattern: "*" } } }], thought, thought);
      const h = openSession([server], { chat: ledBy(provider) });
      try {
        for (const prompt of ["Go on.", "And now?"]) {
          const { reason, error } = await h.turn(prompt);
          assert.equal(reason, "end_turn", error?.message);
        }
        assert.deepEqual(server.refusals, []);
        assert.ok(
          !/sig-\d+"|rs_\d{1,2}"/.test(server.requests.map(({ raw }) => raw).join("")),
          "old thoughts are left out",
        );
        const marks = h.events.filter(({ type }) => type === "unbound");
        assert.equal(marks.length, 2, "once, and with the compaction that the record asks for");
        assert.match(server.requests.at(-1)?.raw ?? "", /"signature":"|"encrypted_content":"/, "new ones go back");
      } finally {
        await h.close();
        await server.stop();
      }
    });
  }
});
