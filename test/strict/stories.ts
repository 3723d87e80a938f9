/** Stories that each provider must be able to play: none of their requests may be refused. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import type { Chat } from "../../src/chat/apply.ts";
import type { ModelRef } from "../../src/chat/message.ts";
import { type Hooks, noOutcome } from "../../src/loop/hooks.ts";
import type { Model } from "../../src/loop/model.ts";
import type { ExternalTools } from "../../src/loop/setup/external-tools.ts";
import { openModel, type ProviderID, providerIDs } from "../../src/providers/providers.ts";
import { replay } from "../../src/record/replay.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { Harness } from "../loop/harness.ts";
import type { Block, ScriptedReply, StrictServer } from "./strict-server.ts";

/** The server that the story is about, and that of another provider. */
export interface Stage {
  server: StrictServer;
  other: StrictServer;
}

export type Story = (stage: Stage) => Promise<void>;

/** A picture of one point. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Answers with 24,000 characters, which pruning may leave out later. */
export const big: Tool = defineTool({
  name: "big",
  sideEffect: "read-only",
  description: "A test.",
  // What servers have refused: a choice, a number with bounds, a list, an object without properties.
  input: z.object({
    n: z.optional(z.union([z.number(), z.string()])),
    flag: z.optional(z.nullable(z.boolean())),
    list: z.optional(z.array(z.enum(["a", "b"]))),
    any: z.optional(z.record(z.string(), z.unknown())),
  }),
  prepare: async () => ({
    title: "Run big",
    preview: { type: "text", text: "big" },
    requires: [],
    writes: [],
    run: async () => ({ output: "word ".repeat(4_800), metadata: {} }),
  }),
});

const files = { "a.txt": "alpha\n", "b.txt": "beta\n" };

interface SessionOptions {
  chat?: Chat;
  rules?: string;
  externalTools?: ExternalTools;
  more?: ConstructorParameters<typeof Harness>[1];
}

/** A session whose models are the real providers before these servers; it begins with the first. */
export function openSession(
  servers: readonly StrictServer[],
  { chat, rules = "Be brief.", externalTools, more = {} }: SessionOptions = {},
): Harness {
  const h = new Harness([], {
    files,
    mode: "bypassPermissions",
    tools: [...coreTools, big],
    choices: { model: servers[0]?.ref ?? assert.fail(), mode: "bypassPermissions" },
    project: { rules: [{ path: "AGENTS.md", text: rules }] },
    openModel: (ref) => connect(servers, ref),
    limits: { maxRetries: 2, contextWindow: 200_000, forcedWindow: 200_000 },
    ...(chat && { chat }),
    ...(externalTools && { externalTools }),
    ...more,
  });
  h.writeBytes("dot.png", Buffer.from(png, "base64"));
  return h;
}

function connect(servers: readonly StrictServer[], { providerID, modelID }: ModelRef): Promise<Model> {
  const found = servers.find(({ ref }) => ref.providerID === providerID && ref.modelID === modelID) ?? assert.fail();
  const id = providerIDs.find((one) => one === providerID) ?? assert.fail();
  const { api, models } = found.provider;
  const access = { apiKey: "test-key-1", baseURL: found.baseURL, ...(api && { api }), ...(models && { models }) };
  return openModel(id satisfies ProviderID, access);
}

const think = (thinking: string): Block => ({ thinking });
const say = (text: string): Block => ({ text });
const call = (name: string, input: Record<string, unknown> = {}): Block => ({ call: { name, input } });
const read = (name: string): Block => call("read", { file_path: name });

/** A step with two calls at once. */
const both: Block[] = [think("I look at both."), say("Both files."), read("a.txt"), read("b.txt")];
/** A step with one call and no words. */
const one: Block[] = [think("One more."), call("glob", { pattern: "*.txt" })];
const done: Block[] = [think("That is all."), say("Done.")];

async function ends(h: Harness, text: string, more: Parameters<Harness["turn"]>[1] = {}): Promise<void> {
  const { reason, error } = await h.turn(text, more);
  assert.equal(reason, "end_turn", error?.message);
}

async function within(
  stage: Stage,
  play: (h: Harness) => Promise<void>,
  more: SessionOptions["more"] = {},
): Promise<void> {
  const h = openSession([stage.server, stage.other], { more });
  try {
    await play(h);
  } finally {
    await h.close();
  }
}

export const stories: Readonly<Record<string, Story>> = {
  "many steps with parallel calls": async (stage) => {
    stage.server.play(both, one, both, [call("read", { file_path: "missing.txt" })], both, one, done, both, done);
    await within(stage, async (h) => {
      await ends(h, "Look around.");
      await ends(h, "Once more.");
      assert.equal(h.calls.length, 11);
    });
  },

  "an image read": async (stage) => {
    const picture = [think("A picture."), read("dot.png"), read("a.txt")];
    stage.server.play(picture, both, done, one, done);
    const attached = {
      type: "file",
      mime: "image/png",
      filename: "b.png",
      url: `data:image/png;base64,${png}`,
    } as const;
    const pdf = {
      type: "file",
      mime: "application/pdf",
      filename: "c.pdf",
      url: "data:application/pdf;base64,JVBERi0=",
    } as const;
    await within(stage, async (h) => {
      await ends(h, "Look at the picture.");
      await ends(h, "And these.", { parts: [{ type: "text", text: "And these." }, attached, pdf] });
    });
  },

  pruning: async (stage) => {
    // Calls with the same input would count as a loop.
    const large = (step: number): Block[] => [
      think("Much to read."),
      ...[0, 1, 2, 3].map((n) => call("big", { n: step * 4 + n })),
    ];
    stage.server.play(large(0), large(1), large(2), done, both, done);
    await within(stage, async (h) => {
      await ends(h, "Read it all.");
      assert.ok(h.chat.pruned, "nothing was pruned");
      await ends(h, "Go on.");
    });
  },

  compaction: async (stage) => {
    stage.server.play(both, both, done, [think("I sum up."), say("The files say alpha and beta.")], both, done);
    await within(stage, async (h) => {
      await ends(h, "Look around.");
      await h.session.compact();
      await ends(h, "Go on.");
    });
  },

  "what is dropped and pinned": async (stage) => {
    const { server } = stage;
    // The text of a file stands in its output, and in no call.
    const sent = (words: string) => server.requests.map(({ raw }) => raw.includes(words));
    let drop = (): unknown => undefined;
    server.play(both, { blocks: one, before: () => drop() }, both, done, done, [say("All was read.")], one, done);
    await within(stage, async (h) => {
      const outputs = () => h.calls.filter(({ tool }) => tool === "read").map(({ id }) => id);
      drop = () => h.session.changePiece(outputs()[0] ?? assert.fail(), "drop");
      await ends(h, "Look around.");
      assert.deepEqual(sent("taken this output out"), [false, false, true, true], "it holds from the next request on");
      // Thoughts before it are left out with it, an answer has no data of the provider left, and a failed call its pair.
      const said = h.chat.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "text"));
      await h.session.changePiece(
        said.findLast(({ messageID }) => messageID !== h.chat.messages[0]?.info.id)?.id ?? "",
        "drop",
      );
      await h.session.changePiece(outputs()[3] ?? assert.fail(), "pin");
      await ends(h, "Go on.");
      assert.deepEqual(sent("taken this answer out"), [false, false, false, false, true]);
      await h.session.compact();
      await ends(h, "And on.");
      assert.deepEqual(sent("Pinned by the user"), [...Array(6).fill(false), true, true]);
    });
  },

  "reload after changed rules": async (stage) => {
    stage.server.play(both, done, one, both, done);
    await within(stage, async (h) => {
      await ends(h, "Look around.");
      h.transcript.flush();
      const { chat } = replay(h.transcript.path);
      const again = openSession([stage.server, stage.other], { chat, rules: "Be brief. Answer in French." });
      await ends(again, "Go on.");
      await again.close();
    });
  },

  "a changed model and back": async (stage) => {
    const { server, other } = stage;
    server.play(both, one, done, both, done);
    other.play(both, one, done, one, done);
    await within(stage, async (h) => {
      await ends(h, "Look around.");
      h.session.choose({ model: other.ref });
      await ends(h, "Go on.");
      h.session.choose({ model: server.ref });
      await ends(h, "And now?");
      h.session.choose({ model: other.ref });
      await ends(h, "Well?");
    });
  },

  "a changed model in the middle of a turn": async (stage) => {
    const { server, other } = stage;
    const switches: ScriptedReply = { blocks: both, before: () => change() };
    let change = (): void => undefined;
    server.play(one, switches);
    other.play(both, one, done);
    await within(stage, async (h) => {
      change = () => h.session.choose({ model: other.ref });
      await ends(h, "Look around.");
      h.session.choose({ model: server.ref });
      await ends(h, "Go on.");
    });
  },

  "a changed effort": async (stage) => {
    stage.server.play(both, done, one, done, one, done, done);
    await within(stage, async (h) => {
      await ends(h, "Look around.");
      for (const thinking of ["high", "off", "default"] as const) {
        h.session.choose({ thinking });
        await ends(h, "Go on.");
      }
    });
  },

  "a note while it runs": async (stage) => {
    let note = (): void => undefined;
    stage.server.play(one, { blocks: both, before: () => note() }, one, done, both, done);
    await within(stage, async (h) => {
      note = () => void h.send("Look at b.txt, too.");
      await ends(h, "Look around.");
      await ends(h, "Go on.");
    });
  },

  "a call that a hook changed": async (stage) => {
    const { server } = stage;
    server.play([think("One file."), read("a.txt")], one, done);
    await within(stage, (h) => ends(h, "Look at it."), { hooks: readingOf("b.txt") });
    for (const { raw } of server.requests.slice(1)) {
      assert.match(raw, /file_path\\*":\s*\\*"a\.txt/, "the call goes back as the model wrote it");
      assert.match(raw, /beta/, "what ran is the changed call");
    }
  },

  "a stop in the middle": async (stage) => {
    const { server } = stage;
    server.play(both, { blocks: both, hangAfter: 4 }, both, done, { blocks: both, hangAfter: 9 }, one, done);
    await within(stage, async (h) => {
      await stopped(h, server, 2);
      await ends(h, "Go on.");
      await stopped(h, server, 5);
      await ends(h, "Go on again.");
    });
  },
};

/** A hook that makes each call of `read` read this file. */
function readingOf(file_path: string): Hooks {
  return {
    has: (event) => event === "PreToolUse",
    fire: async (event, subject) =>
      event === "PreToolUse" && subject === "read" ? { ...noOutcome, updatedInput: { file_path } } : noOutcome,
  };
}

/** Sends a prompt and presses Stop in the middle of the reply to this request. */
async function stopped(h: Harness, { requests }: StrictServer, request: number): Promise<void> {
  let isOver = false;
  const turn = h.turn("Look around.").finally(() => {
    isOver = true;
  });
  while (requests.length < request && !isOver) await wait(2);
  await wait(20);
  await h.session.stop();
  assert.equal((await turn).reason, "interrupted");
}

/** Plays a story and checks that nothing was refused. */
export async function playStory(stage: Stage, story: Story): Promise<void> {
  stage.other.play();
  await story(stage);
  for (const { provider, refusals, requests } of [stage.server, stage.other]) {
    assert.deepEqual(refusals, [], `${provider.providerID} refused a request`);
    assert.ok(requests.length > 0 || provider === stage.other.provider);
  }
}
