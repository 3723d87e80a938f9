/** Calls that are to run outside of the sandbox ask, whatever mode, hooks and rules for other permissions say. */
import assert from "node:assert/strict";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { type HookEvent, type Hooks, noOutcome } from "../../src/loop/hooks.ts";
import { harnesses } from "./harness.ts";

const outside = (command: string) => ({ call: "bash", input: { command, outside_sandbox: "needs the network" } });
const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({ permission, pattern, action });

/** A hook that allows everything. */
const allowing = (event: HookEvent): Hooks => ({
  has: (asked) => asked === event,
  fire: async () => ({ ...noOutcome, decision: "allow" }),
});

describe("outside of the sandbox", () => {
  const open = harnesses();

  it("the card says so, with the model's reason and both rules", async () => {
    const h = open([[outside("echo 1 && echo [$RONDO_SANDBOX]")], ["Done."]], { sandbox: "workspace" });
    const turn = h.turn();
    const asked = await h.answerNext({ kind: "permission", type: "once" });
    await turn;
    assert.equal(asked.title, "Run this command outside the sandbox?");
    const parts = asked.preview.type === "command" ? asked.preview.parts : [];
    assert.deepEqual(
      parts
        .filter(({ permission }) => permission === "outside_sandbox")
        .map(({ text, effect, why }) => [text, effect, why]),
      ["echo 1", "echo [$RONDO_SANDBOX]"].map((text) => [
        text,
        "The model's reason: needs the network",
        "It would run outside the sandbox, which always asks.",
      ]),
    );
    assert.deepEqual(h.results(), ["1\n[]"]);
  });

  it("an edited command leaves it as well: its parts say so, and it asks again", async () => {
    const h = open([[outside("echo 1")], ["Done."]], { sandbox: "workspace", mode: "bypassPermissions" });
    const turn = h.turn();
    const { id, preview } = await h.asked("permission");
    const outsideSandbox = preview.type === "command" ? (preview.outsideSandbox ?? "") : "";
    assert.equal(outsideSandbox, "needs the network");
    const { decision, parts } = await h.session.judge("echo 2 && echo 3", outsideSandbox);
    assert.equal(decision, "ask");
    assert.deepEqual(
      parts.map(({ permission, text }) => [permission, text]),
      [
        ["outside_sandbox", "echo 2"],
        ["outside_sandbox", "echo 3"],
        ["bash", "echo 2"],
        ["bash", "echo 3"],
      ],
    );
    assert.ok(h.session.answer(id, { kind: "permission", type: "command", command: "echo 2" }));
    const again = await h.answerNext({ kind: "permission", type: "once" });
    assert.equal(again.title, "Run this command outside the sandbox?");
    await turn;
    assert.match(h.results()[0] ?? "", /^2\b/);
  });

  const rows: [string, PermissionMode, Rule[], "asks" | "runs" | "denied"][] = [
    ["in Bypass", "bypassPermissions", [], "asks"],
    ["in Accept edits", "acceptEdits", [rule("bash", "*", "allow")], "asks"],
    ["with a rule for commands", "default", [rule("bash", "echo *", "allow")], "asks"],
    ["with a rule for everything", "default", [rule("*", "*", "allow")], "asks"],
    ["with a rule for everything in Bypass", "bypassPermissions", [rule("*", "*", "allow")], "asks"],
    [
      "with a rule of its own for another command",
      "bypassPermissions",
      [rule("outside_sandbox", "npm *", "allow")],
      "asks",
    ],
    ["with a rule of its own", "bypassPermissions", [rule("outside_sandbox", "echo *", "allow")], "runs"],
    ["with its own rule, but none for the command", "default", [rule("outside_sandbox", "*", "allow")], "asks"],
    [
      "with rules for both",
      "default",
      [rule("bash", "echo *", "allow"), rule("outside_sandbox", "echo *", "allow")],
      "runs",
    ],
    [
      "with a denied command",
      "default",
      [rule("bash", "echo *", "deny"), rule("outside_sandbox", "*", "allow")],
      "denied",
    ],
    ["when it is denied", "bypassPermissions", [rule("outside_sandbox", "*", "deny")], "denied"],
  ];
  for (const [title, mode, rules, expected] of rows) {
    it(`${title}: ${expected}`, async () => {
      const h = open([[outside("echo 1")], ["Done."]], { sandbox: "workspace", mode, rules });
      const turn = h.turn();
      if (expected === "asks") await h.answerNext({ kind: "permission", type: "once" });
      await turn;
      if (expected === "denied") assert.match(h.results()[0] ?? "", /Not allowed: Your rule .* denies it/);
      else assert.deepEqual(h.results(), ["1"]);
    });
  }

  it("hooks cannot allow it", async () => {
    for (const hooks of [allowing("PreToolUse"), allowing("PermissionRequest")]) {
      const h = open([[outside("echo 1")], ["Done."]], { sandbox: "workspace", hooks, attended: false });
      await h.turn();
      assert.match(h.results()[0] ?? "", /outside the sandbox, which always asks. Nobody can answer/);
    }
  });

  it("Always allow adds rules for both, and the next call runs", async () => {
    const h = open([[outside("uptime -p")], [outside("uptime -s")], ["Done."]], { sandbox: "workspace" });
    const turn = h.turn();
    const { always } = await h.asked();
    assert.deepEqual(
      always.map(({ permission }) => permission),
      ["outside_sandbox", "bash"],
    );
    await h.answerNext({
      kind: "permission",
      type: "always",
      rules: always.map((one) => ({ ...one, pattern: "uptime *" })),
    });
    assert.equal((await turn).reason, "end_turn");
  });

  it("the model is offered the parameter only where there is a sandbox", async () => {
    for (const sandbox of ["off", "workspace"] as const) {
      const h = open([["Done."]], { sandbox });
      await h.turn();
      const bash = h.model.requests[0]?.tools.find(({ name }) => name === "bash");
      assert.equal(JSON.stringify(bash).includes("outside_sandbox"), sandbox === "workspace");
      assert.equal(bash?.description.includes("Commands run in a sandbox"), sandbox === "workspace");
    }
  });

  it("without a sandbox the parameter means nothing", async () => {
    const h = open([[outside("echo 1")], ["Done."]], { rules: [rule("bash", "echo *", "allow")] });
    await h.turn();
    assert.deepEqual(h.results(), ["1"]);
  });
});
