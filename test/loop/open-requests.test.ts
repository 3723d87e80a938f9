/** Questions that wait for the user: how each ends, and what is shown of it meanwhile (spec T7). */
import assert from "node:assert/strict";
import { apply, newChat } from "../../src/chat/apply.ts";
import type { Answer, PermissionRequest, UserRequest } from "../../src/chat/requests.ts";
import { AnswerError, OpenRequests, Withdrawn } from "../../src/loop/permissions/open-requests.ts";
import { deferred } from "../../src/loop/session/deferred.ts";
import type { CallEffects } from "../../src/tools/tool.ts";
import { until } from "../timing.ts";
import { about, call, deciding, need, once, rule, signal, silent } from "./deciding.ts";

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
