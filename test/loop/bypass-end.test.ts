/** A mode that ends on its own (spec U1): the clock is asked at each decision, no timer is. */
import assert from "node:assert/strict";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { harnesses } from "./harness.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const hour = 3_600_000;

describe("Bypass that ends", () => {
  const open = harnesses();

  it("U1 its time is over within a turn: the next command asks, in the mode before", async () => {
    const h = open(
      (_, index) => {
        if (index === 1) h.session.setMode("bypassPermissions", { at: Date.now(), next: "acceptEdits" });
        const write = { call: "write", input: { file_path: `${h.folder}/after.txt`, content: "x" } };
        return [[bash("echo 1 > one")], [write, bash("echo 2 > two")], ["Done."]][index] ?? [];
      },
      { tools: coreTools },
    );
    h.session.setMode("bypassPermissions", { at: Date.now() + hour, next: "acceptEdits" });
    const turn = h.turn();
    const request = await h.answerNext({ kind: "permission", type: "once" });
    assert.equal(h.read("one"), "1\n", "it did not ask in Bypass");
    assert.equal(h.read("after.txt"), "x", "Accept edits holds");
    assert.deepEqual(request.patterns, ["echo 2"]);
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.events.filter(({ type }) => type === "asked").length, 1);
  });

  it("U1 it ends in the mode before it, also before Plan", async () => {
    const h = open([["Yes."]], { mode: "acceptEdits" });
    for (const mode of ["plan", "bypassPermissions"] as const) {
      h.session.setMode(mode);
      assert.equal(h.session.buildMode, "acceptEdits");
    }
    const opened = open([["Yes."]], {
      choices: { mode: "bypassPermissions", modeEnd: { at: Date.now() + hour, next: "acceptEdits" } },
    });
    assert.equal(opened.session.buildMode, "acceptEdits", "after a reload, too");
  });

  it("U1 another choice takes the end away", async () => {
    const h = open([[bash("echo 1 > one")], ["Done."]], {});
    h.session.setMode("bypassPermissions", { at: Date.now(), next: "default" });
    h.session.setMode("bypassPermissions", { at: Date.now() + hour, next: "default" });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.read("one"), "1\n");
  });
});
