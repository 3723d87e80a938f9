import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { harnesses, until } from "./harness.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const write = (file_path: string, content = "new") => ({ call: "write", input: { file_path, content } });
const read = (file_path: string) => ({ call: "read", input: { file_path } });
const rule = (permission: string, pattern: string, action: "allow" | "ask" | "deny") => ({
  permission,
  pattern,
  action,
});

describe("permission questions", () => {
  const open = harnesses();

  it("T7 allowed once: it runs, and the same call asks again", async () => {
    const h = open([[bash("echo 1")], [bash("echo 1")], ["Done."]]);
    const turn = h.turn();
    const first = await h.answerNext({ kind: "permission", type: "once" });
    assert.equal(first.title, "Run this command?");
    assert.deepEqual(first.patterns, ["echo 1"]);
    assert.match(first.reason, /no rule allows it/);
    assert.deepEqual(first.preview.type === "command" && first.preview.parts, [
      { text: "echo 1", permission: "bash", effect: "", decision: "ask", why: "Asks because no rule allows it." },
    ]);
    await until(() => h.open("permission").some(({ id }) => id !== first.id));
    await h.answerNext({ kind: "permission", type: "once" });
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(h.results(), ["1", "1"]);
  });

  it("D4 while a question is open the call is running without any effect", async () => {
    const h = open([[write("a.txt")], ["Done."]]);
    const turn = h.turn();
    const request = await h.asked();
    assert.equal(request.title, "Create a.txt?");
    assert.equal(request.preview.type === "diff" && request.preview.diff.added, 1);
    assert.equal(h.calls[0]?.state.status, "running");
    assert.equal(h.calls[0]?.callID, request.callID);
    assert.throws(() => h.read("a.txt"));
    h.session.answer(request.id, { kind: "permission", type: "once" });
    await turn;
    assert.equal(h.read("a.txt"), "new");
  });

  it("T7 denied without a reason: blocked, and no other call of the reply runs", async () => {
    const h = open([[bash("echo 1"), write("a.txt")], ["Never."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "  " });
    assert.deepEqual(await turn, { reason: "blocked", error: undefined });
    assert.equal(h.model.requests.length, 1);
    assert.deepEqual(h.results(), [
      "ERROR The user refused this call and stopped the turn.",
      "ERROR Tool execution aborted",
    ]);
  });

  it("T7 denied with a reason: the reason is the result, and the loop continues", async () => {
    const h = open([[bash("rm -r build")], ["As you say."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "Use npm run clean." });
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(h.results(), ["ERROR The user refused this call and says: Use npm run clean."]);
  });

  it("T7 denied by a rule: an error result that names it, without a question, and the loop continues", async () => {
    const h = open([[bash("git push --force")], ["I see."]], { rules: [rule("bash", "git push *", "deny")] });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR Not allowed: Your rule `git push \*` denies it\./);
    const { state } = h.calls[0] ?? assert.fail();
    assert.equal(state.status === "error" && state.metadata?.denied, true);
  });

  it("T7 nobody can answer: calls that would ask are denied, allowed calls run", async () => {
    const h = open([[bash("echo 1"), read("a.txt")], ["Done."]], { attended: false, files: { "a.txt": "x" } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /Nobody can answer/);
    assert.equal(h.results()[1], "1\tx");
  });

  it("always allowed: the displayed rule is stored, and identical calls no longer ask", async () => {
    const h = open([[bash("git status")], [bash("git status -s")], ["Done."]]);
    const turn = h.turn();
    const request = await h.asked();
    assert.deepEqual(request.always, [rule("bash", "git status *", "allow")]);
    h.session.answer(request.id, { kind: "permission", type: "always", rules: request.always });
    await turn;
    assert.deepEqual(h.kept, request.always);
    assert.equal(h.events.filter((event) => event.type === "asked").length, 1);
  });

  it("always allowed answers identical open questions", async () => {
    const h = open([[read("/etc/hostname"), read("/etc/passwd"), read("/usr/lib/os-release")], ["Done."]]);
    const turn = h.turn();
    await until(() => h.open("permission").length === 3);
    const request = h.open("permission")[0] ?? assert.fail();
    h.session.answer(request.id, { kind: "permission", type: "always", rules: request.always });
    await until(() => h.open("permission").length === 1);
    assert.deepEqual(h.open("permission")[0]?.patterns, ["/usr/lib/os-release"]);
    await h.answerNext({ kind: "permission", type: "once" });
    assert.equal((await turn).reason, "end_turn");
  });

  it("T7 a denial without a reason withdraws the turn's other questions", async () => {
    const h = open([[read("/etc/hostname"), read("/etc/passwd")], ["Never."]]);
    const turn = h.turn();
    await until(() => h.open("permission").length === 2);
    await h.answerNext({ kind: "permission", type: "deny", words: "" });
    assert.equal((await turn).reason, "blocked");
  });

  it("always allowed accepts an edited pattern, but no other rule than the suggested one", async () => {
    const h = open([[bash("git status")], ["Done."]]);
    const turn = h.turn();
    const rules = [rule("bash", "git *", "allow"), rule("edit", "*", "allow"), rule("bash", "*", "deny")];
    await h.answerNext({ kind: "permission", type: "always", rules });
    await turn;
    assert.deepEqual(h.kept, [rule("bash", "git *", "allow")]);
  });

  it("a command that cannot be parsed can only be allowed once", async () => {
    const h = open([[bash("eval '$THIS'")], ["Done."]]);
    const turn = h.turn();
    const request = await h.asked();
    assert.deepEqual(request.always, []);
    h.session.answer(request.id, { kind: "permission", type: "always", rules: [rule("bash", "*", "allow")] });
    await turn;
    assert.deepEqual(h.kept, []);
  });

  for (const [how, answer, result] of [
    ["an allowing answer", { kind: "permission", type: "once" }, /^1\t/],
    ["a denial with a reason", { kind: "permission", type: "deny", words: "Not that." }, /says: Not that\./],
  ] as const) {
    it(`T7 ${how} answers all identical questions, and no others`, async () => {
      const h = open([[read("/etc/hostname"), read("/etc/hostname"), read("/etc/passwd")], ["Done."]]);
      const turn = h.turn();
      await until(() => h.open("permission").length === 3);
      await h.answerNext(answer);
      assert.deepEqual(
        h.open("permission").map(({ patterns }) => patterns),
        [["/etc/passwd"]],
      );
      await h.answerNext({ kind: "permission", type: "once" });
      assert.equal((await turn).reason, "end_turn");
      for (const one of h.results().slice(0, 2)) assert.match(one.replace("ERROR", "").trim(), result);
    });
  }

  it("T7 an answer may change the input, which is then run and recorded", async () => {
    const h = open([[bash("rm -rf build")], ["Done."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "input", input: { command: "echo spared" } });
    await turn;
    assert.deepEqual(h.results(), ["spared\n\nThe call was changed before it was allowed. It ran as: echo spared"]);
    assert.deepEqual(h.calls[0]?.state.input, { command: "echo spared" });
    assert.ok(JSON.stringify(h.model.requests[1]?.entries).includes("echo spared"));
  });

  it("T7 changed input must be valid, and deny rules still apply to it", async () => {
    const h = open([[bash("a")], [bash("b")], ["Done."]], { rules: [rule("bash", "git push *", "deny")] });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "input", input: { command: "git push" } });
    await until(() => h.open("permission")[0]?.patterns[0] === "b");
    await h.answerNext({ kind: "permission", type: "input", input: {} });
    await turn;
    const [first = "", second = ""] = h.results();
    assert.match(first, /Your rule `git push \*` denies it/);
    assert.match(second, /The arguments of bash do not fit/);
  });

  it("an answer to a closed question does nothing", async () => {
    const h = open([[bash("echo 1")], ["Done."]]);
    const turn = h.turn();
    const { id } = await h.answerNext({ kind: "permission", type: "once" });
    assert.equal(h.session.answer(id, { kind: "permission", type: "deny", words: "" }), false);
    assert.equal((await turn).reason, "end_turn");
  });

  it("settings of Rondo and the editor ask each time, in all modes and with all rules", async () => {
    for (const file of [
      ".rondo/rules/a.md",
      ".vscode/settings.json",
      "packages/a/.vscode/tasks.json",
      ".git/config",
      ".claude/settings.json",
      ".mcp.json",
      "link/settings.json",
    ]) {
      const h = open([[write(file)], ["Done."]], { mode: "bypassPermissions", rules: [rule("edit", "*", "allow")] });
      h.write(".claude/a.md", "");
      symlinkSync(path.join(h.folder, ".claude"), path.join(h.folder, "link"));
      const turn = h.turn();
      const request = await h.asked();
      assert.match(request.reason, /asks each time, in every mode/);
      assert.deepEqual(request.always, []);
      h.session.answer(request.id, { kind: "permission", type: "deny", words: "No." });
      await turn;
    }
  });
});

describe("modes", () => {
  const open = harnesses();
  const script = [[read("a.txt"), write("b.txt"), bash("echo 1")], ["Done."]];
  const files = { "a.txt": "x" };
  const outcomes = (results: string[]) => results.map((result) => (/^ERROR/.test(result) ? "denied" : "ran"));

  for (const [mode, expected] of [
    ["default", ["ran", "denied", "denied"]],
    ["acceptEdits", ["ran", "ran", "denied"]],
    ["bypassPermissions", ["ran", "ran", "ran"]],
    ["plan", ["ran", "denied", "denied"]],
  ] as const) {
    it(`${mode}, when nobody can answer`, async () => {
      const h = open([...script], { mode, files, attended: false });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.deepEqual(outcomes(h.results()), expected);
    });
  }

  it("plan never asks and gives the reason", async () => {
    const h = open([...script], { mode: "plan", files, rules: [rule("*", "*", "allow")] });
    await h.turn();
    assert.match(h.results()[1] ?? "", /The mode is Plan: nothing is changed or run, so write is off/);
  });

  it("a mode chosen during a question answers it", async () => {
    const h = open([[write("b.txt")], [bash("echo 1")], ["Done."]]);
    const turn = h.turn();
    await h.asked();
    h.session.setMode("acceptEdits");
    const request = await until(() => h.open("permission")[0]?.tool === "bash").then(() => h.asked());
    assert.equal(request.reason, "Accept edits only covers edits; everything else asks.");
    h.session.setMode("bypassPermissions");
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(outcomes(h.results()), ["ran", "ran"]);
  });

  it("bypass does not override a deny rule", async () => {
    const h = open([[bash("echo 1 && git push")], ["Done."]], {
      mode: "bypassPermissions",
      rules: [rule("bash", "git push *", "deny")],
    });
    await h.turn();
    assert.match(h.results()[0] ?? "", /denies it/);
  });

  it("an untrusted workspace: reading works, writing and running are denied with the reason, in all modes", async () => {
    const h = open([...script], { mode: "bypassPermissions", files, trusted: false });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(outcomes(h.results()), ["ran", "denied", "denied"]);
    for (const result of h.results().slice(1)) assert.match(result, /not trusted/);
  });
});
