/** Requests keep their prefix to the byte (C7): what a provider's cache would hold of each, over a long session. */
import assert from "node:assert/strict";
import { replay } from "../../src/record/replay.ts";
import type { Harness } from "../loop/harness.ts";
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { azureDeployment, azureResponses } from "./azure.ts";
import { bedrockChat, bedrockMessages } from "./bedrock.ts";
import { chatProviders } from "./chat-providers.ts";
import { asCompatible, compatibleProviders } from "./compatible-providers.ts";
import { ollamaNative } from "./ollama.ts";
import { responsesProviders } from "./responses-providers.ts";
import { openSession } from "./stories.ts";
import { type Block, type StrictProvider, StrictServer } from "./strict-server.ts";
import { vertexGemini, vertexMessages } from "./vertex.ts";

const perTurn = 50;

const step = (at: number): Block[] => [
  { thinking: `Step ${at}.` },
  { call: { name: "read", input: { file_path: at % 2 ? "a.txt" : "b.txt", offset: 1 + (at % 7) } } },
];

const each: readonly StrictProvider<never>[] = [
  ...messagesRows.map(anthropicProvider),
  ...chatProviders.map((make) => make()),
  ...responsesProviders.map((make) => make()),
  azureResponses("gpt-5.5"),
  azureDeployment("gpt-5"),
  bedrockChat,
  ...[...bedrockMessages, ...vertexMessages].map((make) => make()),
  vertexGemini(),
  ollamaNative(),
  ...compatibleProviders.map(([make, model]) => asCompatible(make(), model)),
];

/** One of each way to encode requests; all families and models with RONDO_STRICT_ALL, which also prints the shares. */
const all = process.env["RONDO_STRICT_ALL"] !== undefined;
const some =
  /^(claude-(sonnet-4-6|.*5-[15]$)|deepseek-v4-pro|kimi-k3.*|openai\/gpt-oss-120b|mistral-large-4|gemini-4.*|anthropic\/.*|gpt-4.1|gpt-6.2-sol|grok-4.7)$/;
const providers = all
  ? each
  : each.filter(({ model }, at) => some.test(model) && at < each.length - compatibleProviders.length);

describe("what a cache would hold", () => {
  for (const provider of providers) {
    it(`C7 200 steps of ${provider.providerID} (${provider.model}) with a compaction and a reload keep 95 % of each request`, async function () {
      this.timeout(180_000);
      const server = (await StrictServer.start(provider)) as StrictServer; // bodies are only compared here
      let h: Harness | undefined;
      try {
        h = openSession([server]);
        await turn(h, server);
        await turn(h, server);
        check(server, "before the compaction");
        server.play([{ text: "All was read." }]);
        await h.session.compact();
        await turn(h, server);
        h.transcript.flush();
        const again = openSession([server], { chat: replay(h.transcript.path).chat, rules: "Be brief. Rhyme." });
        await turn(again, server);
        check(server, "after it", 1);
        await again.close();
        assert.deepEqual(server.refusals, []);
      } finally {
        await h?.close();
        await server.stop();
      }
    });
  }
});

async function turn(h: Harness, server: StrictServer): Promise<void> {
  server.script(...Array.from({ length: perTurn - 1 }, (_, at) => step(at)));
  const { reason, error } = await h.turn("Read them.");
  assert.equal(reason, "end_turn", error?.message);
}

/** `from`: the first request, before which the prefix was another. */
function check({ requests }: StrictServer, when: string, from = 0): void {
  const bodies = requests.slice(from).map(({ raw }) => raw);
  assert.ok(bodies.length >= 2 * perTurn, `${bodies.length} requests`);
  let held = 0;
  let sent = 0;
  for (const [at, body] of bodies.entries()) {
    const before = bodies[at - 1];
    if (before === undefined) continue;
    const common = commonLength(before, body);
    held += common;
    sent += body.length;
    const share = common / before.length;
    assert.ok(share >= 0.95, `request ${at + 1} ${when} keeps ${(share * 100).toFixed(1)} % of the one before`);
  }
  const share = `${((held / sent) * 100).toFixed(2)} % ${when}`;
  if (all) console.log(`      ${share}`);
  assert.ok(held / sent >= 0.95, share);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
