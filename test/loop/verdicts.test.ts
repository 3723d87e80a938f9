/** How rules, hooks and the user together decide about a call (spec T6, T7). */
import assert from "node:assert/strict";
import { apply, newChat } from "../../src/chat/apply.ts";
import type { ChatEvent, PermissionMode } from "../../src/chat/events.ts";
import type { Answer, PermissionRequest, Rule, UserRequest } from "../../src/chat/requests.ts";
import { AnswerError, OpenRequests, Withdrawn } from "../../src/loop/permissions/open-requests.ts";
import { type BeforeAsking, type CallToJudge, Permissions } from "../../src/loop/permissions/permissions.ts";
import { deferred } from "../../src/loop/session/deferred.ts";
import type { CallEffects, PermissionRequirement } from "../../src/tools/tool.ts";
import { until } from "../timing.ts";

const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({ permission, pattern, action });
const once = { kind: "permission", type: "once" } as const;

function need(permission: string, pattern: string, more: Partial<PermissionRequirement> = {}): PermissionRequirement {
  return {
    permission,
    pattern,
    suggestedRule: `${pattern} *`,
    match: "pattern",
    protection: "none",
    effect: "",
    ...more,
  };
}

const about = { sessionID: "s", messageID: "m", partID: "p", callID: "c", tool: "bash", lineage: [] };

/** Decides with the given rules and mode, which a test may change. */
function deciding({
  attended = true,
  mode = "default" as PermissionMode,
  user = [] as Rule[],
  lookPatienceMs = undefined as number | undefined,
} = {}) {
  const events: ChatEvent[] = [];
  const kept: Rule[] = [];
  const used: Rule[] = [];
  const requests = new OpenRequests(
    (event) => void events.push(event),
    (rules) => void kept.push(...rules),
  );
  const book = { mode, user, workspace: kept };
  const note = (one: Rule) => void used.push(one);
  const permissions = new Permissions({ requests, book: () => book, used: note, attended, lookPatienceMs });
  const asked = () => events.flatMap((event) => (event.type === "asked" ? [event.request] : []));
  return { permissions, requests, events, kept, used, book, asked };
}

const call = (requires: PermissionRequirement[], more: Partial<CallToJudge> = {}): CallToJudge => ({
  ...about,
  title: "Run it?",
  preview: { type: "text", text: "" },
  input: { command: "x" },
  requires,
  hook: undefined,
  ...more,
});
const silent: BeforeAsking = async () => undefined;
const { signal } = new AbortController();

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

describe("T7 open requests", () => {
  const base = { sessionID: "s" };
  const permission = (id: string): PermissionRequest => {
    const { lineage: _, ...of } = about;
    const preview = { type: "text", text: "" } as const;
    return {
      ...of,
      id,
      kind: "permission",
      permission: "bash",
      patterns: [],
      title: "",
      reason: "",
      reasons: [],
      preview,
      always: [],
      noAlways: "",
    };
  };
  const others: UserRequest[] = [
    { ...about, id: "choices", kind: "choices", questions: [] },
    { ...base, id: "plan", kind: "plan", messageID: "m", buildMode: "default" },
    { ...base, id: "budget", kind: "budget", scope: "price", model: "m", limitUsd: 1 },
    { ...about, id: "loop", kind: "loop", reason: "", input: "", always: [] },
  ];

  /** Opens requests, and notes how each ends. */
  function opening(...all: UserRequest[]) {
    const { requests, events } = deciding();
    const ends: Record<string, unknown> = {};
    const note = (id: string, asked: Promise<unknown>) => {
      const end = (how: unknown) => {
        ends[id] = how;
      };
      void asked.then(end, end);
    };
    for (const request of all) note(request.id, requests.ask(request, { signal }));
    return { requests, events, ends, note };
  }
  const settled = () => new Promise(setImmediate);

  it("T7 a refusal without words, and Stop, end the turn's other requests, each in its way; a plan stays", async () => {
    const stops: [string, Answer][] = [
      ["first", { kind: "permission", type: "deny", words: " \n" }],
      ["budget", { kind: "budget", type: "stop" }],
      ["loop", { kind: "loop", type: "stop" }],
    ];
    for (const [id, answer] of stops) {
      const { requests, ends } = opening(permission("first"), permission("second"), ...others);
      assert.equal(requests.answer(id, answer), true);
      await settled();
      const { choices, ...rest } = ends;
      assert.ok(choices instanceof Withdrawn && choices.name === "Withdrawn");
      assert.equal(choices.message, "The user stopped the turn before answering.");
      const denied = { kind: "permission", type: "deny", words: "" };
      assert.deepEqual(rest, {
        first: denied,
        second: denied,
        budget: { kind: "budget", type: "stop" },
        loop: { kind: "loop", type: "stop" },
        ...{ [id]: answer },
      });
      assert.equal(requests.find("plan")?.kind, "plan");
    }
  });

  it("T7 any other answer settles its own request alone", async () => {
    for (const [id, answer] of [
      ["first", { kind: "permission", type: "deny", words: "Not so." }],
      ["first", once],
      ["choices", { kind: "choices", type: "skip", words: "" }],
      ["budget", { kind: "budget", type: "continue" }],
      ["loop", { kind: "loop", type: "hint", words: "No." }],
      ["plan", { kind: "plan", type: "keep" }],
    ] as const) {
      const { requests, ends } = opening(permission("first"), permission("second"), ...others);
      requests.answer(id, answer);
      await settled();
      assert.deepEqual(ends, { [id]: answer });
      assert.equal(requests.find(id), undefined);
      assert.equal(requests.answer(id, answer), false, "it is no longer open");
    }
  });

  it("T7 an answer of another kind names what is open and what came", () => {
    const { requests } = opening(permission("first"), ...others);
    const wrong = (id: string, answer: Answer) => {
      try {
        requests.answer(id, answer);
      } catch (error) {
        assert.ok(error instanceof AnswerError && error.name === "AnswerError");
        assert.ok(requests.find(id));
        return error.message;
      }
      return assert.fail();
    };
    const told = [
      wrong("first", { kind: "plan", type: "keep" }),
      wrong("choices", { kind: "budget", type: "stop" }),
      wrong("loop", { kind: "choices", type: "skip", words: "" }),
      wrong("budget", once),
    ];
    assert.deepEqual(told, [
      "The open question is about a permission, the answer about a plan. Answer it again.",
      "The open question is about the model's questions, the answer about the budget. Answer it again.",
      "The open question is about a repeated call, the answer about the model's questions. Answer it again.",
      "The open question is about the budget, the answer about a permission. Answer it again.",
    ]);
  });

  it("L11 the end of its turn ends a request, also one that is made afterwards; it is told like an answer", async () => {
    const turn = new AbortController();
    const reason = new Error("Stop.");
    const { requests, events, ends, note } = opening();
    note("one", requests.ask(permission("one"), { signal: turn.signal }));
    turn.abort(reason);
    note("late", requests.ask(permission("late"), { signal: turn.signal }));
    await settled();
    assert.deepEqual(ends, { one: reason, late: reason });
    assert.deepEqual(
      events.map((event) => (event.type === "asked" ? `asked ${event.request.id}` : event.type)),
      ["asked one", "answered", "asked late", "answered"],
    );
    assert.equal(requests.answer("one", once), false);
  });

  it("T7 a request that was answered is told once, whatever happens to its turn later", async () => {
    const turn = new AbortController();
    const { requests, events } = opening();
    const asked = requests.ask(permission("one"), { signal: turn.signal });
    requests.answer("one", once);
    turn.abort(new Error("Stop."));
    assert.deepEqual(await asked, once);
    assert.equal(events.filter(({ type }) => type === "answered").length, 1);
  });

  it("T7 requests with the same subject share an answer if they are of one kind; those without a subject never do", async () => {
    const { requests, ends, note } = opening(permission("none"), permission("also none"));
    const [, , , loop] = others as [never, never, never, Extract<UserRequest, { kind: "loop" }>];
    note("one", requests.ask(permission("one"), { signal, subject: { path: "a" } }));
    note("same", requests.ask(permission("same"), { signal, subject: { path: "a" } }));
    note("other", requests.ask(permission("other"), { signal, subject: { path: "b" } }));
    note("loop", requests.ask(loop, { signal, subject: { path: "a" } }));
    requests.answer("one", once);
    await settled();
    assert.deepEqual(Object.keys(ends), ["one", "same"]);
    requests.answer("none", once);
    await settled();
    assert.deepEqual(Object.keys(ends), ["one", "same", "none"]);
  });

  it("T7 Always allow says how far its rules hold: the workspace, if the answer does not say it", () => {
    for (const scope of ["session", "workspace", "everywhere", undefined] as const) {
      const scopes: string[] = [];
      const requests = new OpenRequests(
        () => {},
        (_, kept) => void scopes.push(kept),
      );
      const request = { ...permission("p"), always: [rule("bash", "ls *", "allow")] };
      void requests.ask(request, { signal });
      requests.answer("p", { kind: "permission", type: "always", rules: request.always, ...(scope && { scope }) });
      assert.deepEqual(scopes, [scope ?? "workspace"]);
    }
  });

  it("T7 what the call would do is looked at only where it asks; without an end it counts as unreadable after 2 s", async () => {
    const { permissions, asked, requests } = deciding({ user: [rule("bash", "ls *", "allow")] });
    const looks: AbortSignal[] = [];
    const endless = (stopped: AbortSignal) => {
      looks.push(stopped);
      return new Promise<never>(() => {});
    };
    await permissions.allow(call([need("bash", "ls")], { effects: endless }), silent, signal);
    assert.equal(looks.length, 0);
    const started = performance.now();
    const verdict = permissions.allow(call([need("bash", "make")], { effects: endless }), silent, signal);
    while (asked().length === 0) await new Promise((tick) => setTimeout(tick, 20));
    assert.ok(performance.now() - started > 1_900);
    assert.ok(looks[0]?.aborted, "it is told to stop");
    const [request] = asked() as PermissionRequest[];
    assert.deepEqual(
      request?.reasons.map(({ sentence }) => sentence),
      ["Rondo cannot read this call."],
    );
    requests.answer(request?.id ?? "", once);
    await verdict;
  });

  it("T7 a question whose look takes long is shown meanwhile, can only be denied, and gets its reasons under the same id", async () => {
    const { permissions, asked, requests, events } = deciding({ lookPatienceMs: 1 });
    const look = deferred<CallEffects>();
    const verdict = permissions.allow(call([need("bash", "make")], { effects: () => look.promise }), silent, signal);
    await until(() => asked().length > 0);
    const [first] = asked() as PermissionRequest[];
    assert.ok(first);
    assert.deepEqual([first.looking, first.reasons], [true, []]);
    const chat = newChat({ id: "s", createdAt: 0, title: "", cwd: "/w" });
    for (const event of events) apply(chat, event);
    for (const answer of [once, { kind: "permission", type: "always", rules: first.always } as const])
      assert.equal(requests.answer(first.id, answer), false, `${answer.type} waits`);
    assert.ok(requests.find(first.id));
    const reason = { risk: "deletes", sentence: "It deletes 3 files.", detail: "", marks: [] } as const;
    look.resolve({ effects: [{ ...reason, marks: [] }], connectors: [] });
    await until(() => asked().length > 1);
    const [, whole] = asked() as PermissionRequest[];
    assert.deepEqual([whole?.id, whole?.looking], [first.id, undefined]);
    assert.equal(whole?.reasons[0]?.sentence, "It deletes 3 files.");
    for (const event of events.slice(1)) apply(chat, event);
    assert.deepEqual(chat.requests, [whole], "one question");
    assert.equal(requests.answer(first.id, once), true);
    assert.deepEqual(await verdict, once);
  });

  it("T7 a question that is denied while it is looked at stops the look and does not come again", async () => {
    const { permissions, asked, requests } = deciding({ lookPatienceMs: 1 });
    const stopped = deferred<void>();
    const effects = (end: AbortSignal) =>
      new Promise<never>((_, reject) => {
        end.addEventListener("abort", () => {
          stopped.resolve();
          reject(end.reason);
        });
      });
    const verdict = permissions.allow(call([need("bash", "make")], { effects }), silent, signal);
    await until(() => asked().length > 0);
    requests.answer(asked()[0]?.id ?? "", { kind: "permission", type: "deny", words: "No." });
    assert.equal((await verdict).type, "deny");
    await stopped.promise;
    await new Promise(setImmediate);
    assert.equal(asked().length, 1);
  });

  it("T7 a look that fails counts as a call that cannot be read", async () => {
    const { permissions, asked, requests } = deciding();
    const effects = () => Promise.reject(new Error("no such file"));
    const verdict = permissions.allow(call([need("bash", "make")], { effects }), silent, signal);
    await until(() => asked().length > 0);
    const [request] = asked() as PermissionRequest[];
    assert.equal(request?.reasons[0]?.sentence, "Rondo cannot read this call.");
    requests.answer(request?.id ?? "", once);
    await verdict;
  });

  it("T7 Always allow takes no rule for everything that was not offered", () => {
    const { requests, kept } = deciding();
    const offered = [rule("bash", "ls *", "allow"), rule("edit", "src/*", "allow"), rule("mcp__a__b", "*", "allow")];
    void requests.ask({ ...permission("one"), always: offered }, { signal });
    const widest = ["*", "**", " * ", "?*", "* *", ""].flatMap((text) => [
      rule("bash", text, "allow"),
      rule("edit", text, "allow"),
    ]);
    requests.answer("one", { kind: "permission", type: "always", rules: [...widest, ...offered] });
    assert.deepEqual(kept, offered);
  });

  it("T7 Always allow keeps no rule but those that were offered, and none of a request that offers none", () => {
    const { requests, kept } = deciding();
    const offered = rule("bash", "ls *", "allow");
    void requests.ask({ ...permission("one"), always: [offered, rule("edit", "*", "allow")] }, { signal });
    const rules = [rule("bash", "l*", "allow"), rule("bash", "ls *", "deny"), rule("read", "*", "allow")];
    requests.answer("one", { kind: "permission", type: "always", rules });
    assert.deepEqual(kept, [rule("bash", "l*", "allow")]);
    void requests.ask(permission("two"), { signal });
    requests.answer("two", { kind: "permission", type: "always", rules });
    assert.equal(kept.length, 1);
  });
});
