/** Property: whatever models wrote a history, the next request to any other is valid by its provider's published rules. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import type { ExternalTools } from "../../src/loop/setup/external-tools.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { Harness } from "../loop/harness.ts";
import { randomly } from "../random.ts";
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { chatProviders } from "./chat-providers.ts";
import { asCompatible, compatibleProviders } from "./compatible-providers.ts";
import { ollamaNative } from "./ollama.ts";
import { openaiModels } from "./openai-models.ts";
import { responsesProviders } from "./responses-providers.ts";
import { big, openSession } from "./stories.ts";
import { type Block, type ScriptedReply, StrictServer } from "./strict-server.ts";

const runs = 40;

/** Ids as servers have given them; undefined: the server's own. */
const id = fc.constantFrom(
  undefined,
  undefined,
  "functions.read:0",
  "call|fc_1+/=",
  "x".repeat(60),
  "call_same",
  "abcDEF123",
);

const input = fc.constantFrom(
  { name: "read", input: { file_path: "a.txt" } },
  { name: "read", input: { file_path: "dot.png" } },
  { name: "read", input: { file_path: "missing.txt" } },
  { name: "glob", input: { pattern: "*" } },
  { name: "big", input: { any: { x: 1 } } },
  { name: "no such tool.", input: { a: [1, null] } },
  { name: "read", raw: "{" },
  { name: "read", raw: "" },
);

const call = fc
  .tuple(input, id)
  .map(([made, given]): Block => ({ call: { ...made, ...(given !== undefined && { id: given }) } }));

const words = fc.oneof(fc.constant("Well."), fc.string({ minLength: 1, maxLength: 30, unit: "binary" }));
const thoughts = fc.option(
  words.map((thinking): Block => ({ thinking })),
  { freq: 3, nil: undefined },
);
const text = fc.option(
  words.map((said): Block => ({ text: said })),
  { nil: undefined },
);

/** A reply with thoughts, text and up to three calls. */
const step = fc
  .tuple(thoughts, text, fc.array(call, { minLength: 1, maxLength: 3 }))
  .map(([thought, said, calls]) => [thought, said, ...calls].filter((block) => block !== undefined));

const deed = fc.constantFrom("nothing", "nothing", "note", "stop", "switch", "compact", "tools");

const dataOf = { "image/png": "AAAA", "application/pdf": "JVBERi0=", "text/plain": "YSBub3RlCg==" } as const;
const attached = fc.constantFrom(
  undefined,
  undefined,
  "image/png" as const,
  "application/pdf" as const,
  "text/plain" as const,
);

const turn = fc.record({
  /** Which server answers. */
  at: fc.nat(),
  steps: fc.array(step, { maxLength: 3 }),
  deed,
  /** Where a switch leads. */
  next: fc.nat(),
  attached,
});
type Turn = typeof turn extends fc.Arbitrary<infer One> ? One : never;

describe("strict servers: histories of other models", () => {
  const servers: StrictServer[] = [];
  before(async () => {
    const started: Promise<StrictServer>[] = [
      ...chatProviders.map((make) => StrictServer.start(make())),
      ...messagesRows.map((row) => StrictServer.start(anthropicProvider(row))),
      ...responsesProviders.map((make) => StrictServer.start(make())),
      StrictServer.start(ollamaNative()),
      ...compatibleProviders
        .filter(([, model]) => !openaiModels.some(({ name }) => name === model))
        .map(([make, model]) => StrictServer.start(asCompatible(make(), model))),
    ];
    servers.push(...(await Promise.all(started)));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  randomly(`E3 E4 I8 are valid everywhere in ${runs} conversations`, async function () {
    this.timeout(60_000 + runs * 1_500);
    const history = fc.array(turn, { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(history, async (turns) => {
        for (const server of servers) server.play();
        const extra = new ExtraTools();
        const h = openSession(servers, { externalTools: extra });
        try {
          for (const one of turns) {
            await playTurn(h, servers, one);
            if (one.deed === "tools") extra.change(one.next);
          }
          // The conversation goes on with each of them.
          for (const at of turns.map((one) => one.next)) await playTurn(h, servers, { ...plain, at });
        } finally {
          await h.close();
        }
        for (const { provider, refusals } of servers)
          assert.deepEqual(refusals, [], `${provider.model} refused a request`);
      }),
      { numRuns: runs },
    );
  });
});

const plain: Turn = { at: 0, steps: [], deed: "nothing", next: 0, attached: undefined };

/** Tools of servers that connect and leave. */
class ExtraTools implements ExternalTools {
  #names: string[] = [];

  async ready(): Promise<void> {}

  tools(): Tool[] {
    return this.#names.map((name) => ({ ...big, name }));
  }

  change(at: number): void {
    const name = `extra_${at % 3}`;
    this.#names = this.#names.includes(name) ? this.#names.filter((one) => one !== name) : [...this.#names, name];
  }
}

function serverAt(servers: readonly StrictServer[], at: number): StrictServer {
  return servers[at % servers.length] ?? assert.fail();
}

async function playTurn(h: Harness, servers: readonly StrictServer[], one: Turn): Promise<void> {
  const server = serverAt(servers, one.at);
  const last: ScriptedReply = { blocks: [{ text: "Done." }], ...deedOf(h, servers, one) };
  server.script(...one.steps.map((blocks) => ({ blocks })), last);
  h.session.choose({ model: server.ref });
  const { attached: mime } = one;
  const parts = (type: keyof typeof dataOf) => [
    { type: "text", text: "See." } as const,
    { type: "file", mime: type, filename: "b", url: `data:${type};base64,${dataOf[type]}` } as const,
  ];
  const known = server.requests.length;
  let isOver = false;
  const sent = h.turn("Go on.", mime ? { parts: parts(mime) } : {});
  const turn = sent.finally(() => {
    isOver = true;
  });
  if (one.deed === "stop") {
    while (server.requests.length <= known + one.steps.length && !isOver) await wait(2);
    await wait(5);
    await h.session.stop();
  }
  const { reason, error } = await turn;
  assert.ok(reason !== "error", error?.message);
  if (one.deed !== "compact") return;
  server.script({ blocks: [{ thinking: "I sum up." }, { text: "A summary." }] });
  await h.session.compact();
}

function deedOf(h: Harness, servers: readonly StrictServer[], { deed, next }: Turn): Partial<ScriptedReply> {
  switch (deed) {
    case "note":
      return { before: () => void h.send("This, too.") };
    case "switch":
      return {
        blocks: [{ call: { name: "glob", input: { pattern: "*" } } }],
        before: () => h.session.choose({ model: serverAt(servers, next).ref }),
      };
    case "stop":
      return {
        blocks: [{ thinking: "Hm." }, { text: "I say." }, { call: { name: "glob", input: { pattern: "*" } } }],
        hangAfter: 4,
      };
    default:
      return {};
  }
}
