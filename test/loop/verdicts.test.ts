/** How rules, hooks and the user together decide about a call (spec T6, T7). */
import assert from "node:assert/strict";
import type { PermissionRequest } from "../../src/chat/requests.ts";
import type { PermissionRequirement } from "../../src/tools/tool.ts";
import { about, call, deciding, need, once, rule, signal, silent } from "./deciding.ts";

describe("T7 the verdict about a call", () => {
  const allowing = { decision: "allow", reason: "" } as const;
  const ls = need("bash", "ls");
  const secret = need("read", ".env", { protection: "secret" });
  const outside = need("outside_sandbox", "ls");

  it("T7 says what allowed it: a rule, a hook, or that it needs nothing", async () => {
    const { permissions, used } = deciding({ user: [rule("bash", "ls *", "allow")] });
    const byRule = await permissions.allow(call([ls, need("read", "a.txt")]), silent, signal);
    assert.deepEqual(byRule, { type: "allowed", why: "Your rule `ls *` allows it." });
    assert.deepEqual(
      used.map(({ pattern }) => pattern),
      ["ls *", "*"],
    );
    const free = await permissions.allow(call([]), silent, signal);
    assert.deepEqual(free, { type: "allowed", why: "Needs no permission." });
    const byMode = deciding({ mode: "bypassPermissions" });
    assert.equal((await byMode.permissions.allow(call([ls]), silent, signal)).type, "allowed");
    assert.deepEqual(byMode.used, []);
    const byHook = await permissions.allow(call([need("bash", "rm x")], { hook: allowing }), silent, signal);
    assert.deepEqual(byHook, { type: "allowed", why: "Allowed by a hook." });
  });

  it("T7 a hook cannot allow what a rule denies, protected files, or a run outside the sandbox", async () => {
    const { permissions, asked } = deciding({ attended: false, user: [rule("bash", "rm *", "deny")] });
    const verdict = (...needs: PermissionRequirement[]) =>
      permissions.allow(call(needs, { hook: allowing }), silent, signal);
    const denied = { type: "forbidden", why: "Your rule `rm *` denies it." };
    assert.deepEqual(await verdict(ls, need("bash", "rm x")), denied);
    for (const guarded of [secret, outside]) {
      const { type, why = "" } = (await verdict(ls, guarded)) as { type: string; why?: string };
      assert.equal(type, "forbidden");
      assert.match(why, / Nobody can answer\.$/);
    }
    assert.deepEqual(asked(), []);
  });

  it("T7 an answer of a program counts like the user's, except that it cannot allow what is protected", async () => {
    const { permissions } = deciding({ attended: false });
    const answers = [
      once,
      { kind: "permission", type: "deny", words: "No." },
      { type: "forbidden", why: "No." },
    ] as const;
    for (const answer of answers) {
      assert.deepEqual(await permissions.allow(call([ls]), async () => answer, signal), answer);
      const guarded = await permissions.allow(call([secret]), async () => answer, signal);
      if (answer === once) assert.match((guarded as { why: string }).why, /may contain secrets.* Nobody can answer\.$/);
      else assert.deepEqual(guarded, answer);
    }
  });

  it("T7 a hook that asks: asks also for what is allowed, with its reason, and no rule can be added", async () => {
    for (const [reason, shown] of [
      ["Fridays.", "Fridays."],
      ["", "A hook wants you to be asked."],
    ] as const) {
      const { permissions, requests, asked } = deciding({ mode: "bypassPermissions" });
      const verdict = permissions.allow(call([ls], { hook: { decision: "ask", reason } }), silent, signal);
      await new Promise(setImmediate);
      const [request] = asked() as PermissionRequest[];
      assert.ok(request);
      assert.deepEqual([request.reason, request.patterns, request.always], [shown, ["ls"], []]);
      requests.reconsider();
      assert.ok(requests.find(request.id), "the mode does not answer it");
      requests.answer(request.id, once);
      assert.deepEqual(await verdict, once);
    }
    const { permissions, asked, requests } = deciding();
    const verdict = permissions.allow(call([], { hook: { decision: "ask", reason: "" } }), silent, signal);
    await new Promise(setImmediate);
    const [request] = asked() as PermissionRequest[];
    assert.deepEqual([request?.permission, request?.patterns], ["bash", []], "the tool, where nothing is needed");
    requests.answer(request?.id ?? "", once);
    await verdict;
  });

  it("T7 the question is about what asks alone, with the rules that would allow it", async () => {
    const { permissions, requests, asked, used } = deciding({ user: [rule("bash", "ls *", "allow")] });
    const needs = [ls, need("edit", "a.txt", { suggestedRule: "a.txt" }), need("bash", "make")];
    const verdict = permissions.allow(call(needs), silent, signal);
    await new Promise(setImmediate);
    const [request] = asked();
    assert.ok(request?.kind === "permission");
    const { id, reasons, noAlways, ...shown } = request;
    assert.deepEqual([reasons.map(({ risk }) => risk), noAlways], [["writes", "no-rule"], ""]);
    assert.match(id, /^per_/);
    assert.deepEqual(shown, {
      kind: "permission",
      sessionID: "s",
      messageID: "m",
      partID: "p",
      callID: "c",
      tool: "bash",
      title: "Run it?",
      preview: { type: "text", text: "" },
      reason: "Asks because the mode is Ask first.",
      permission: "edit",
      patterns: ["a.txt", "make"],
      always: [rule("edit", "a.txt", "allow"), rule("bash", "make *", "allow")],
    });
    assert.equal(used[0]?.pattern, "ls *");
    requests.answer(id, once);
    assert.deepEqual(await verdict, once);
  });

  it("T7 a rule or a mode that comes while it waits answers it once all of it is allowed", async () => {
    const { permissions, requests, book } = deciding();
    const verdict = permissions.allow(call([need("edit", "a.txt"), need("bash", "make")]), silent, signal);
    await new Promise(setImmediate);
    book.mode = "acceptEdits";
    requests.reconsider();
    book.user = [rule("bash", "make *", "allow")];
    book.mode = "default";
    requests.reconsider();
    book.mode = "acceptEdits";
    assert.equal(await Promise.race([verdict, "open"]), "open");
    requests.reconsider();
    assert.deepEqual(await verdict, once);
  });
});

describe("T6 the verdict about a repeated call", () => {
  const repeated = { ...about, tool: "read", input: { file_path: "a.txt" } };
  const always = rule("doom_loop", "read", "allow");

  it("T6 a rule for loops decides without a question, and is counted", async () => {
    for (const [action, verdict] of [
      ["allow", { kind: "loop", type: "continue" }],
      ["deny", { type: "forbidden", why: "Your rule `read` denies it." }],
    ] as const) {
      const user = [rule("doom_loop", "read", action)];
      const { permissions, used, asked } = deciding({ user });
      assert.deepEqual(await permissions.allowRepeat(repeated, () => assert.fail(), signal), verdict);
      assert.deepEqual([used, asked()], [user, []]);
    }
  });

  it("T6 the question shows the call's input, cut, and what Always allow would add", async () => {
    const { permissions, requests, asked } = deciding();
    let told = 0;
    const verdict = permissions.allowRepeat({ ...repeated, input: { text: "x".repeat(20_000) } }, () => told++, signal);
    const [request] = asked();
    assert.ok(request?.kind === "loop");
    assert.deepEqual([told, request.always, request.tool], [1, [always], "read"]);
    assert.equal(request.reason, "The model repeated the same call, or the same few calls.");
    assert.equal(request.input, JSON.stringify({ text: "x".repeat(20_000) }, undefined, 2).slice(0, 10_000));
    requests.answer(request.id, { kind: "loop", type: "hint", words: "Stop it." });
    assert.deepEqual(await verdict, { kind: "loop", type: "hint", words: "Stop it." });
  });

  it("T6 the answer to one holds for the same call beside it, and Always allow for all of the tool", async () => {
    const { permissions, requests, kept, asked } = deciding();
    const ask = (path: string) => {
      const verdict = permissions.allowRepeat({ ...repeated, input: { file_path: path } }, () => {}, signal);
      return { id: asked().at(-1)?.id ?? "", verdict };
    };
    const [one, same, other, third] = [ask("a.txt"), ask("a.txt"), ask("b.txt"), ask("c.txt")];
    requests.answer(one.id, { kind: "loop", type: "continue" });
    for (const { verdict } of [one, same]) assert.deepEqual(await verdict, { kind: "loop", type: "continue" });
    assert.ok(requests.find(other.id) && requests.find(third.id));
    requests.answer(other.id, { kind: "loop", type: "always", rules: [always] });
    assert.deepEqual(kept, [always]);
    assert.equal((await other.verdict).type, "always");
    assert.deepEqual(await third.verdict, { kind: "loop", type: "continue" });
  });

  it("T6 where nobody can answer, and in Bypass, it is refused with the reason", async () => {
    for (const [options, end] of [
      [{ attended: false }, "Nobody can answer."],
      [{ mode: "bypassPermissions" }, "In Bypass nobody is asked."],
    ] as const) {
      const { permissions } = deciding(options);
      assert.deepEqual(await permissions.allowRepeat(repeated, () => assert.fail(), signal), {
        type: "forbidden",
        why: `The model repeated the same call, or the same few calls. ${end}`,
      });
    }
  });
});
