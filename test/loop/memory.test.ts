import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { failure, type Reply, type Said } from "../scripted-model.ts";
import { isSummary, textOf } from "./compacting.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const glob = (pattern: string) => ({ call: "glob", input: { pattern } });
const save = { call: "write", input: { file_path: ".rondo/MEMORY.md", content: "Tests run with mocha.\n" } };

const isFlush = ({ entries }: ModelRequest) => textOf(entries.at(-1)).includes("NO_REPLY");

describe("C5 saving notes to memory", () => {
  const open = harnesses();

  /** A window in which the threshold for notes is below that for compaction: 116,000 and 121,600 tokens. */
  const wide = {
    choices: { model: { providerID: "anthropic", modelID: "local" } },
    limits: { compactAt: 0.95 },
    project: { memory: { path: ".rondo/MEMORY.md", text: "" } },
  };

  /** `work` in order; requests for notes get `notes` in order. */
  function session(
    work: (Reply | Said[])[],
    notes: (Reply | Said[])[],
    more: { mode?: PermissionMode; files?: Record<string, string>; attended?: boolean; limits?: object } = {},
  ): Harness {
    const left = { work: [...work], notes: [...notes] };
    return open(
      (request) => {
        if (isSummary(request)) return ["The summary."];
        const silent = request.entries.findLast(({ info }) => info.role === "user")?.info.silent === true;
        return (silent ? left.notes : left.work).shift() ?? { fail: failure("invalid") };
      },
      { ...wide, ...more, limits: { ...wide.limits, ...more.limits } },
    );
  }

  it("C5 near the end of the window the model is silently asked for lasting notes, and the work continues", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [["NO_REPLY"]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.model.requests.length, 3);
    const [, flush, next] = h.model.requests;
    assert.match(
      textOf(flush?.entries.at(-1)),
      /Session nearing compaction.*\n\nWrite any lasting notes to \.rondo\/MEMORY\.md/,
    );
    assert.equal(flush?.toolUse, "auto");
    const silent = h.chat.messages.filter(({ info }) => info.silent);
    assert.deepEqual(silent.map(textOf).slice(1), ["NO_REPLY"], "kept, and marked as not to be shown");
    assert.match(textOf(next?.entries.at(-1)), /go on with what the user asked/);
    assert.equal(h.text(), "Done.");
    assert.equal(h.chat.ended?.steps, 2, "it is no step of the turn");
    h.checkRecord();
  });

  it("B2 notes end with the budget", async () => {
    const large = { input: 116_000 };
    const limits = { maxBudgetTokens: 230_000 };
    const more = { limits, mode: "bypassPermissions", attended: false } as const;
    const h = session([{ say: [glob("a*")], tokens: large }], [{ say: [glob("b*")], tokens: large }, ["Never."]], more);
    assert.equal((await h.turn()).reason, "error_max_budget_usd");
    assert.equal(h.model.requests.length, 2);
  });

  const kindsOf = (h: Harness) =>
    h.model.requests.map((request) => (isSummary(request) ? "summary" : isFlush(request) ? "notes" : "step"));

  it("C5 notes are asked for from 12,000 tokens below the window on, and no longer when it is full", async () => {
    for (const [input, kinds] of [
      [62_000, ["step", "step"]],
      [115_900, ["step", "step"]],
      [116_000, ["step", "notes", "step"]],
      [128_100, ["step", "summary", "step"]],
    ] as const) {
      const h = session([{ say: [glob("a*")], tokens: { input } }, ["Done."]], [["NO_REPLY"]]);
      assert.equal((await h.turn()).reason, "end_turn");
      assert.deepEqual(kindsOf(h), kinds, String(input));
    }
  });

  it("C5 in a window that is always near its end, from half of where compaction begins", async () => {
    const limits = { contextWindow: 16_000, compactAt: 0.9 };
    for (const [input, kinds] of [
      [5_900, ["step", "step"]],
      [6_100, ["step", "notes", "step"]],
    ] as const) {
      const h = session([{ say: [glob("a*")], tokens: { input, output: 0 } }, ["Done."]], [["NO_REPLY"]], { limits });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.deepEqual(kindsOf(h), kinds, String(input));
    }
  });

  it("C5 without automatic compaction none are asked for, and none of a subagent", async () => {
    const near = { say: [glob("a*")], tokens: { input: 116_000 } };
    const off = session([near, ["Done."]], [["Never."]], { limits: { autoCompact: false } });
    assert.equal((await off.turn()).reason, "end_turn");
    assert.deepEqual(kindsOf(off), ["step", "step"]);
    const task = { call: "task", input: { description: "Look", prompt: "Look", subagent_type: "general" } };
    const child = session([[task], near, ["Found."], ["Done."]], [["Never."]], { mode: "bypassPermissions" });
    assert.equal((await child.turn()).reason, "end_turn");
    assert.deepEqual(kindsOf(child), ["step", "step", "step", "step"]);
  });

  it("C5 has three replies for it", async () => {
    const work = [{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]];
    const h = session(work, [[glob("b*")], [glob("c*")], [glob("d*")], ["Never."]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.model.requests.length, 5);
    assert.equal(h.text(), "Done.");
  });

  it("C5 the model is told whether the file exists", async () => {
    const ask = async (text: string) => {
      const h = open(
        (request, index) =>
          isFlush(request) ? ["NO_REPLY"] : index === 0 ? { say: [glob("a*")], tokens: { input: 116_000 } } : ["Done."],
        { ...wide, project: { memory: { path: ".rondo/MEMORY.md", text } } },
      );
      await h.turn();
      return textOf(h.model.requests.find(isFlush)?.entries.at(-1));
    };
    assert.match(await ask(""), /MEMORY\.md, which does not exist yet: .* nothing secret\. Reply with NO_REPLY/);
    assert.match(
      await ask("Old."),
      /MEMORY\.md: .* nothing secret\. Read it before you replace it\. Reply with NO_REPLY/,
    );
  });

  it("C5 the notes are written by the usual tools", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [[save], ["NO_REPLY"]], {
      mode: "bypassPermissions",
    });
    await h.turn();
    assert.equal(h.read(".rondo/MEMORY.md"), "Tests run with mocha.\n");
  });

  it("C5 in Accept edits the notes are written without a question", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [[save], ["NO_REPLY"]], {
      mode: "acceptEdits",
      attended: false,
    });
    await h.turn();
    assert.equal(h.read(".rondo/MEMORY.md"), "Tests run with mocha.\n");
  });

  it("C5 happens once per compaction cycle", async () => {
    const near = (pattern: string) => ({ say: [glob(pattern)], tokens: { input: 117_000 } });
    const h = session(
      [near("a*"), near("b*"), { say: [glob("c*")], tokens: { input: 125_000 } }, near("d*"), ["Done."]],
      [["NO_REPLY"], ["NO_REPLY"]],
    );
    assert.equal((await h.turn()).reason, "end_turn");
    const kinds = h.model.requests.map((request) =>
      isSummary(request) ? "summary" : isFlush(request) ? "notes" : "step",
    );
    assert.deepEqual(kinds, ["step", "notes", "step", "step", "summary", "step", "notes", "step"]);
  });

  // The window has 128,000 tokens; the second one leaves less than a reply needs.
  for (const input of [128_500, 127_500]) {
    it(`C5 I7 ends when its own calls have filled the window with ${input} tokens, and the compaction follows`, async () => {
      const work = [{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]];
      const h = session(work, [{ say: [glob("b*")], tokens: { input } }, ["NO_REPLY"]]);
      assert.equal((await h.turn()).reason, "end_turn");
      const kinds = h.model.requests.map((request) =>
        isSummary(request) ? "summary" : isFlush(request) ? "notes" : "step",
      );
      assert.deepEqual(kinds, ["step", "notes", "summary", "step"]);
    });
  }

  it("C5 a failure is logged and never ends the turn", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [{ fail: failure("server") }], {
      limits: { maxRetries: 0 },
    });
    assert.deepEqual(await h.turn(), { reason: "end_turn", error: undefined });
    assert.ok(h.notes.some((note) => /notes could not be asked for/.test(note)));
    assert.equal(h.text(), "Done.");
  });

  it("C5 a memory file that cannot be written only fails that call", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [[save], ["NO_REPLY"]], {
      mode: "acceptEdits",
    });
    // There is a folder in place of the file.
    mkdirSync(path.join(h.folder, ".rondo/MEMORY.md"), { recursive: true });
    assert.deepEqual(await h.turn(), { reason: "end_turn", error: undefined });
    assert.match(h.results().join("\n"), /ERROR .*MEMORY\.md/);
  });

  it("C5 does not happen when notes cannot be saved: no memory, Plan mode, untrusted folder", async () => {
    for (const options of [{ project: { memory: undefined } }, { mode: "plan" }, { trusted: false }] as const) {
      const replies = [{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]];
      const h = open(replies, { ...wide, ...options });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(h.model.requests.length, 2);
    }
  });

  it("C5 does not happen where the write would be denied: by a rule, or since nobody can answer", async () => {
    const rule = (action: "allow" | "deny") => [{ permission: "memory", pattern: "*", action }];
    for (const [options, requests] of [
      [{ attended: false }, 2],
      [{ rules: rule("deny") }, 2],
      [{ rules: rule("deny"), mode: "bypassPermissions" }, 2],
      [{ attended: false, rules: rule("allow") }, 3],
      [{ attended: false, mode: "acceptEdits" }, 3],
      [{}, 3],
    ] as const) {
      const h = open(
        (request, index) =>
          isFlush(request) ? ["NO_REPLY"] : index === 0 ? { say: [glob("a*")], tokens: { input: 116_000 } } : ["Done."],
        { ...wide, ...options, rules: "rules" in options ? [...options.rules] : [] },
      );
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(h.model.requests.length, requests, JSON.stringify(options));
    }
  });

  it("C5 L11 Stop during it: the next prompt is answered, and notes are not requested again", async () => {
    const work = [
      { say: [glob("a*")], tokens: { input: 116_000 } },
      { say: ["Done."], tokens: { input: 117_000 } },
    ];
    const h = session(work, [{ say: ["I wri"], hang: true }]);
    const turn = h.turn();
    await until(() => h.text() === "I wri");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.equal((await h.turn("Go on.")).reason, "end_turn");
    assert.equal(h.text(), "Done.");
    assert.equal(h.chat.messages.filter(({ info }) => info.silent && info.role === "user").length, 1);
  });

  it("C5 Q2 a prompt sent meanwhile joins afterwards", async () => {
    const notes: Reply = { say: ["NO_REPLY"], before: () => h.send("And this?") };
    const h: Harness = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [notes]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.model.requests.at(-1)?.entries.map(textOf).join("\n") ?? "", /And this\?/);
    assert.equal(h.chat.queue.length, 0);
    assert.equal(h.text(), "Done.");
  });

  it("C5 C3 when even its request does not fit, the conversation is compacted anyway", async () => {
    const h = session(
      [{ say: [glob("a*")], tokens: { input: 122_000 } }, ["Done."]],
      [{ fail: failure("context-full") }],
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(h.model.requests.some(isSummary));
    assert.equal(h.text(), "Done.");
  });

  it("C5 T7 a denial ends the notes, not the turn, and each call has its result before the next request", async () => {
    const h = session([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["Done."]], [[save, glob("b*")]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "" });
    assert.equal((await turn).reason, "end_turn");
    const shown = h.model.requests.at(-1)?.entries.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
    assert.deepEqual(
      shown?.map(({ state }) => state.status),
      ["completed", "error", "error"],
    );
  });
});
