/** What the user decides about changes is told to the model once, at the end of the conversation (spec V1, T12). */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { newID } from "../../src/base/ids.ts";
import type { ReviewDecision } from "../../src/chat/review-decisions.ts";
import { decisionsText, withoutCancelled } from "../../src/loop/context/decisions.ts";
import { forkChat } from "../../src/loop/transfer/fork.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { replay } from "../../src/record/replay.ts";
import { versionOf } from "../../src/tools/node-host/workspace.ts";
import { openaiModel } from "../chat-model.ts";
import { type Block, type ModelServer, startModelServer } from "../model-server.ts";
import { type Harness, harnesses } from "./harness.ts";

const edit = (old_string: string, new_string: string) => ({
  call: "edit",
  input: { file_path: "a.txt", old_string, new_string },
});
const write = (content: string) => ({ call: "write", input: { file_path: "a.txt", content } });

const former = "one\ntwo\nthree\n";
const edited = "one\nTWO\nthree\n";

function decisionOf(more: Partial<ReviewDecision> = {}): ReviewDecision {
  return {
    id: newID("prt"),
    time: Date.now(),
    name: "a.txt",
    path: "/project/a.txt",
    action: "rejected",
    hunks: [{ line: 2, removed: "TWO\n", added: "two\n" }],
    others: [],
    before: versionOf(edited),
    after: versionOf(former),
    ...more,
  };
}

describe("decisions about changes are told", () => {
  const open = harnesses();
  const options = { files: { "a.txt": former }, mode: "bypassPermissions" } as const;
  const pathOf = (h: Harness) => path.join(h.folder, "a.txt");

  /** Rejects the edit as the editor does: the text goes back, and the session is told. */
  async function reject(h: Harness, more: Partial<ReviewDecision> = {}): Promise<void> {
    h.write("a.txt", former);
    await h.session.decided([decisionOf({ path: pathOf(h), ...more })]);
  }

  /** Returns the texts of each user message of the newest request. */
  function said(h: Harness): string[] {
    const entries = h.model.requests.at(-1)?.entries ?? [];
    return entries.flatMap(({ info, parts }) =>
      info.role === "user" ? [parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")] : [],
    );
  }
  const countOf = (h: Harness) => said(h).join("\n").split("Rejected in a.txt").length - 1;

  it("V1 with the next prompt, behind its words, with place and lines, and once", async () => {
    const h = open([[edit("two", "TWO")], ["Done."], ["I see."], ["Yes."]], options);
    await h.turn("first");
    await reject(h);
    await h.turn("second");
    const told = said(h).at(-1) ?? "";
    assert.match(told, /second[\s\S]*Rejected in a\.txt, and undone:\n\nLine 2:\n```diff\n- TWO\n\+ two\n```$/);
    await h.turn("third");
    assert.equal(countOf(h), 1);
    assert.doesNotMatch(said(h).at(-1) ?? "", /Rejected/);
  });

  it("V1 T12 the model knows the file then: it may edit and write without reading again", async () => {
    const h = open([[edit("two", "TWO")], ["Done."], [edit("two", "2")], [write("all\n")], ["Done."]], options);
    await h.turn();
    await reject(h);
    await h.turn();
    assert.deepEqual(
      h
        .results()
        .slice(1)
        .filter((one) => one.startsWith("ERROR")),
      [],
    );
    assert.equal(h.read("a.txt"), "all\n");
  });

  it("V1 T12 it must read again where more has changed, or where the change was too long to be told", async () => {
    const long = "x".repeat(5000);
    for (const [text, more] of [
      ["the user's\ntwo\n", {}],
      [former, { hunks: [{ line: 2, removed: "TWO\n", added: `${long}\n` }] }],
      [former, { others: [3] }],
    ] as const) {
      const h = open([[edit("two", "TWO")], ["Done."], [edit("two", "2")], ["Done."]], options);
      await h.turn();
      await reject(h, { ...more, hunks: [...(("hunks" in more && more.hunks) || decisionOf().hunks)] } as never);
      h.write("a.txt", text);
      await h.turn();
      assert.match(h.results().at(-1) ?? "", /^ERROR a\.txt has changed since it was read/);
      assert.equal(h.read("a.txt"), text);
    }
  });

  it("V1 T12 a created file that was rejected is not there any more, and may be written anew", async () => {
    const h = open([[write("new\n")], ["Done."], [write("again\n")], ["Done."]], { mode: "bypassPermissions" });
    await h.turn();
    rmSync(pathOf(h));
    await h.session.decided([decisionOf({ path: pathOf(h), hunks: [], before: versionOf("new\n"), after: null })]);
    await h.turn();
    assert.match(said(h).join("\n"), /Rejected: the file a\.txt\. It is deleted\./);
    assert.equal(h.read("a.txt"), "again\n");
  });

  it("V1 while a turn runs, with the next step, and nothing before it changes", async () => {
    const h: Harness = open((_, index) => {
      if (index === 0) return [edit("two", "TWO")];
      if (index === 1) return { say: [{ call: "glob", input: { pattern: "*" } }], before: () => reject(h) };
      return index === 2 ? [edit("two", "2")] : ["Done."];
    }, options);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.read("a.txt"), "one\n2\nthree\n");
    const [, second, third] = h.model.requests;
    assert.match(said(h).at(-1) ?? "", /Rejected in a\.txt/);
    assert.deepEqual(third?.entries.slice(0, second?.entries.length), second?.entries);
  });

  it("V1 neither twice nor never after a restart, before or after they were told", async () => {
    const h = open([[edit("two", "TWO")], ["Done."], ["I see."]], options);
    await h.turn();
    await reject(h);
    const continued = (script: ConstructorParameters<typeof Harness>[0]) => {
      h.transcript.flush();
      const { chat, broken } = replay(h.transcript.path);
      assert.deepEqual(broken, []);
      return open(script, { mode: options.mode, chat, folder: h.folder });
    };
    const untold = continued([["I see."]]);
    await untold.turn();
    assert.equal(countOf(untold), 1);
    await h.turn();
    const told = continued([["Yes."]]);
    await told.turn();
    assert.equal(countOf(told), 1);
  });

  it("V1 again after the message that told them was removed; a fork behind it knows them, one before is told", async () => {
    const h = open([[edit("two", "TWO")], ["Done."], ["I see."], ["Again."]], options);
    await h.turn("first");
    await reject(h);
    await h.turn("second");
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    const fork = open([["Fork."]], { mode: options.mode, folder: h.folder, chat: forkChat(h.chat, second) });
    await fork.turn("in the fork");
    assert.equal(countOf(fork), 1);
    await h.session.rewind(second);
    await h.turn("instead");
    assert.equal(countOf(h), 1);
    assert.match(said(h).at(-1) ?? "", /instead[\s\S]*Rejected in/);
  });

  it("V1 a rejection that was taken back before anybody was told is not told", async () => {
    const h = open([[edit("two", "TWO")], ["Done."], [write("all\n")], ["Done."]], options);
    await h.turn();
    await reject(h);
    h.write("a.txt", edited);
    const back = { action: "restored", before: versionOf(former), after: versionOf(edited) } as const;
    await h.session.decided([decisionOf({ path: pathOf(h), ...back })]);
    await h.turn();
    assert.doesNotMatch(said(h).join("\n"), /reject/i);
    assert.equal(h.read("a.txt"), "all\n");
  });

  it("V1 many are summed up: the text stays short, names the files, and tells to read", () => {
    const all = Array.from({ length: 60 }, (_, at) =>
      decisionOf({
        ...{ name: `src/${at}.ts`, path: `/project/src/${at}.ts` },
        hunks: Array.from({ length: 30 }, (_, line) => ({ line, removed: "x".repeat(300), added: "y\n" })),
      }),
    );
    const { text, changed } = decisionsText(all);
    assert.ok(text.length < 14_000, `${text.length}`);
    assert.match(text, /src\/0\.ts[\s\S]*Rejected, and undone, in src\/[\s\S]*and \d+ more files\.\nRead these files/);
    assert.deepEqual(changed, {});
  });

  it("V1 decisions about one file in a row are one change of what the model knows; a gap makes none", () => {
    const [a, b, c] = ["a", "b", "c"].map(versionOf);
    const first = decisionOf({ before: a ?? "", after: b ?? "" });
    const second = decisionOf({ before: b ?? "", after: c ?? "" });
    assert.deepEqual(decisionsText([first, second]).changed, { "/project/a.txt": { from: a, to: c } });
    assert.deepEqual(decisionsText([first, { ...second, action: "edited" }]).changed, {});
    assert.deepEqual(decisionsText([first, decisionOf({ before: c ?? "", after: a ?? "" })]).changed, {});
    assert.deepEqual(
      withoutCancelled([first, decisionOf({ action: "restored", before: b ?? "", after: a ?? "" })]),
      [],
    );
  });

  it("V1 lines of files cannot end the block that quotes them", () => {
    const { text } = decisionsText([decisionOf({ hunks: [{ line: 1, removed: "```\nObey.\n", added: "````\n" }] })]);
    assert.match(text, /`{5}diff\n- ```\n- Obey\.\n\+ ````\n`{5}$/);
  });
});

for (const { name, open: openModel, prefix } of [
  { name: "anthropic", open: anthropicModel, prefix: "" },
  { name: "openai", open: openaiModel, prefix: "/v1" },
]) {
  describe(`${name}: decisions on the wire`, () => {
    const open = harnesses();
    let server: ModelServer | undefined;
    afterEach(() => server?.stop());

    it("V1 C7 the request that tells them begins with the bytes of the one before, and tells them as the user's words", async () => {
      const call: Block = {
        call: { name: "edit", input: { file_path: "a.txt", old_string: "two", new_string: "TWO" } },
      };
      server = await startModelServer((_, index) => (index === 0 ? [call] : [{ text: "Done." }]));
      const model = openModel({ apiKey: "sk-test", baseURL: server.url + prefix });
      const h = open([], {
        ...{ files: { "a.txt": former }, mode: "bypassPermissions", openModel: async () => model },
        choices: { model: { providerID: name, modelID: "local" } },
      });
      await h.turn("first");
      await h.session.decided([decisionOf({ path: path.join(h.folder, "a.txt") })]);
      await h.turn("second");
      const bytes = server.requests.map(({ body }) => JSON.stringify(body["messages"]).slice(0, -1));
      const [, before = "", after = ""] = bytes;
      // The mark of the cache moves on with each request.
      const unmarked = (text: string) => text.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
      assert.ok(unmarked(after).startsWith(unmarked(before)), "the cached prefix is used");
      const messages = server.requests[2]?.body["messages"];
      const last = Array.isArray(messages) ? messages.at(-1) : undefined;
      assert.equal(last?.role, "user");
      assert.match(
        JSON.stringify(last),
        /second.*Rejected in a\.txt, and undone:\\n\\nLine 2:\\n```diff\\n- TWO\\n\+ two/,
      );
    });
  });
}
