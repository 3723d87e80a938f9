/** A conversation only grows at its end (C7): what is fixed with it, and how changes are told. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import type { Chat } from "../../src/chat/apply.ts";
import { isShownEvent, shownChat } from "../../src/chat/shown-chat.ts";
import { forkChat } from "../../src/loop/transfer/fork.ts";
import { replay } from "../../src/record/replay.ts";
import type { Script } from "../scripted-model.ts";
import { failure } from "../scripted-model.ts";
import { textOf } from "./compacting.ts";
import { Harness, harnesses } from "./harness.ts";

/** A project whose files a test changes. */
function changing() {
  const rules = [
    { path: "AGENTS.md", text: "Be brief." },
    { path: "web/AGENTS.md", text: "Use tabs." },
  ];
  return { rules, memory: { path: ".rondo/MEMORY.md", text: "" }, branch: "main" };
}

/** What the last request told as news. */
function told(h: Harness): string[] {
  const { entries = [] } = h.model.requests.at(-1) ?? {};
  const newest = entries.slice(entries.findLastIndex(({ info }) => info.role === "assistant") + 1);
  const parts = newest.flatMap(({ parts }) => parts);
  return parts.flatMap((part) => (part.type === "text" && part.told && part.text ? [part.text] : []));
}

/** Another session with this chat; its record holds what is new alone. */
function goOn(script: Script, chat: Chat, project: ReturnType<typeof changing>): Harness {
  return new Harness(script, { chat, project });
}

const replies = (count: number) => Array.from({ length: count }, (_, at) => [`Reply ${at}.`]);

describe("the prefix of requests", () => {
  const open = harnesses();

  it("C7 rules files that change, come or go are told once, by name, with their text", async () => {
    const project = changing();
    const h = open(replies(5), { project });
    await h.turn();
    assert.match(told(h).join(), /^Today is [\d-]+\.$/);
    project.rules = [
      { path: "AGENTS.md", text: "Be polite." },
      { path: "new/AGENTS.md", text: "Use spaces." },
    ];
    await h.turn();
    assert.deepEqual(told(h), [
      "The rules file AGENTS.md now says:\n\nBe polite.\n\nThe rules file new/AGENTS.md now says:\n\nUse spaces.\n\nThe rules file web/AGENTS.md is gone: its rules no longer hold.",
    ]);
    await h.turn();
    assert.deepEqual(told(h), []);
    project.branch = "topic";
    h.session.choices.appended = "Speak French.";
    await h.turn();
    assert.match(told(h).join(), /branch is now topic\.[\s\S]*Speak French\.$/);
    const [first, ...later] = h.model.requests;
    for (const { system, tools } of later) assert.deepEqual([system, tools], [first?.system, first?.tools]);
  });

  it("C7 after a reload with other rules the prefix is the same, and nothing is told twice", async () => {
    const project = changing();
    const h = open(replies(2), { project });
    await h.turn();
    project.branch = "topic";
    await h.turn();
    h.transcript.flush();
    const { chat } = replay(h.transcript.path);
    const again = goOn(replies(2), chat, { ...project, rules: [{ path: "AGENTS.md", text: "Be polite." }] });
    await again.turn();
    assert.deepEqual(again.model.requests[0]?.system, h.model.requests[0]?.system);
    assert.deepEqual(again.model.requests[0]?.tools, h.model.requests[0]?.tools);
    assert.equal(again.model.requests[0]?.unboundEntries, 0);
    assert.equal(told(again).length, 1);
    assert.match(told(again).join(), /^The rules file AGENTS\.md now says[\s\S]*web\/AGENTS\.md is gone/);
    await again.turn();
    assert.deepEqual(told(again), []);
  });

  it("C5 C7 notes that the model wrote are not told to it; those of others are", async () => {
    const project = changing();
    const write = { call: "write", input: { file_path: ".rondo/MEMORY.md", content: "Tests: npm test" } };
    const h = open([[write], ...replies(4)], { project, mode: "bypassPermissions" });
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "once" });
    await turn;
    project.memory.text = h.read(".rondo/MEMORY.md");
    await h.turn();
    assert.deepEqual(told(h), []);
    project.memory.text = "Tests: npm run check";
    h.write(".rondo/MEMORY.md", project.memory.text);
    await h.turn();
    assert.deepEqual(told(h), ["Your notes in .rondo/MEMORY.md are now:\n\nTests: npm run check"]);
  });

  it("C7 the mode is told when it changes, within a turn, too", async () => {
    const read = { call: "glob", input: { pattern: "*" } };
    const h: Harness = open([{ say: [read], before: () => h.session.setMode("plan") }, ...replies(3)]);
    await h.turn();
    assert.match(told(h).join(), /^The mode is Plan:/);
    const { toolUse } = h.model.requests[1] ?? {};
    assert.ok(typeof toolUse === "object" && toolUse.only.includes("read") && !toolUse.only.includes("bash"));
    h.session.setMode("default");
    await h.turn();
    assert.deepEqual(told(h), ["The mode is no longer Plan."]);
    assert.equal(h.model.requests[2]?.toolUse, "auto");
  });

  it("T1 a tool that may not be used now is refused with the reason", async () => {
    const bash = { call: "bash", input: { command: "ls" } };
    const h = open([["Hello."], [bash], ["I see."]]);
    await h.turn();
    await h.turn("Go on.", { tools: { bash: false } });
    assert.match(h.results().join(), /^ERROR bash is switched off for this message/);
    assert.ok(
      h.model.requests[1]?.tools.some(({ name }) => name === "bash"),
      "it stays defined",
    );
  });

  it("T1 a message that switches all tools off lets the model call none", async () => {
    const h = open(replies(2));
    await h.turn();
    const names = h.model.requests[0]?.tools.map(({ name }) => name) ?? [];
    await h.turn("Only talk.", { tools: Object.fromEntries(names.map((name) => [name, false])) });
    assert.deepEqual(
      h.model.requests.map(({ toolUse }) => toolUse),
      ["auto", "none"],
    );
  });

  it("C7 a rules file that cannot be looked at is told, as the model cannot have seen it", async () => {
    const project = { ...changing(), rules: [{ path: "loop.md", text: "Be brief." }] };
    const h = open(replies(2), { project });
    symlinkSync("loop.md", path.join(h.folder, "loop.md"));
    await h.turn();
    project.rules = [{ path: "loop.md", text: "Be polite." }];
    await h.turn();
    assert.deepEqual(told(h), ["The rules file loop.md now says:\n\nBe polite."]);
  });

  it("C7 before the first reply, and when all messages are removed, the prefix is made again", async () => {
    const project = changing();
    const h = open(replies(3), { project });
    await h.turn();
    await h.session.rewind(h.chat.messages[0]?.info.id ?? "");
    project.rules = [];
    await h.turn();
    assert.ok(!h.model.requests[1]?.system.includes("Be brief."));
    assert.equal(h.model.requests[1]?.unboundEntries, 0);
    assert.equal(h.events.filter(({ type }) => type === "prefix").length, 2);
  });

  it("C7 going back to before news forgets them, so that they are told again", async () => {
    const project = changing();
    const h = open(replies(4), { project });
    await h.turn();
    project.branch = "topic";
    await h.turn();
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    await h.session.rewind(second);
    await h.turn();
    assert.deepEqual(told(h), ["The git branch is now topic."]);
  });
});

describe("the stored prefix", () => {
  const open = harnesses();

  it("C2 is what sizes are reckoned with, whatever a conversation would begin with now", async () => {
    const project = changing();
    const h = open([{ say: ["Hello."], tokens: "none" }], { project });
    await h.turn();
    const before = h.session.contextUse();
    project.rules = [{ path: "AGENTS.md", text: "Be brief. ".repeat(5_000) }];
    const again = goOn([{ say: ["Hello."], tokens: "none" }], h.chat, project);
    const sizes = ({ parts }: typeof before) => parts.filter(({ name }) => name === "system" || name === "rules");
    const total = (use: typeof before) => sizes(use).reduce((sum, { tokens }) => sum + tokens, 0);
    assert.ok(Math.abs(total(again.session.contextUse()) - total(before)) < 50);
    await again.close();
  });

  it("C7 is not sent to the panel, nor is that of a subagent", async () => {
    const h = open(replies(1));
    await h.turn();
    const child = structuredClone(h.chat);
    h.chat.children[child.session.id] = child;
    const json = JSON.stringify(shownChat(h.chat));
    assert.ok(!json.includes(h.chat.prefix?.system.slice(0, 40) ?? "") && json.length < 6_000, `${json.length}`);
    const events = h.events.filter(isShownEvent);
    assert.equal(events.length, h.events.length - 1);
    const prefix = h.events.find(({ type }) => type === "prefix") ?? assert.fail();
    assert.ok(!isShownEvent({ type: "child", sessionID: "ses_1", event: prefix }));
    h.chat.children = {};
  });
});

describe("thoughts that are bound", () => {
  const open = harnesses();
  const thought = (text: string) => [{ thinking: text, signature: "c2ln" }, text];

  it("C7 another model's reply leaves out the thoughts before it, for good", async () => {
    const h = open((_, index) => thought(String(index)));
    await h.turn();
    await h.turn();
    const first = h.session.choices.model;
    h.session.choose({ model: { providerID: "anthropic", modelID: "claude-haiku-4-5" } });
    await h.turn();
    h.session.choose({ model: first });
    await h.turn();
    await h.turn();
    assert.deepEqual(
      h.model.requests.map(({ unboundEntries }) => unboundEntries),
      [0, 0, 4, 6, 6],
    );
  });

  it("E5 thoughts that the server refuses are left out, and it is asked again, once", async () => {
    const refusal = { fail: failure("thoughts-refused") };
    const h = open([thought("1"), refusal, thought("2"), thought("3"), refusal, refusal]);
    await h.turn();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(
      h.model.requests.map(({ unboundEntries }) => unboundEntries),
      [0, 0, 2],
    );
    assert.match(h.notes.join(), /refused thoughts of earlier replies/);
    await h.turn();
    assert.equal((await h.turn()).error?.code, "thoughts-refused");
    assert.equal(h.model.requests.length, 6);
  });

  it("E5 pictures that the server refuses are left out, the user is told, and it is asked again", async () => {
    const h = open([{ fail: failure("images-refused") }, ["A cat?"], ["Yes."]]);
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const parts = [{ type: "file", mime: "image/png", filename: "cat.png", url } as const];
    assert.equal((await h.turn("", { parts })).reason, "end_turn");
    await h.turn();
    assert.deepEqual(
      h.model.requests.map(({ imagelessEntries }) => imagelessEntries),
      [0, 1, 1],
    );
    const shown = h.chat.messages[0]?.parts.flatMap((part) =>
      part.type === "text" && part.ignored ? [part.text] : [],
    );
    assert.deepEqual(shown, ["The model takes no such images or files: they are left out from now on."]);
  });

  it("C7 a picture that is left out changes an earlier message, so the thoughts after it go, too", async () => {
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const parts = [{ type: "file", mime: "image/png", filename: "cat.png", url } as const];
    const h = open([thought("1"), { fail: failure("images-refused") }, thought("2")]);
    await h.turn("", { parts });
    await h.turn("", { parts });
    assert.deepEqual(
      h.model.requests.map(({ unboundEntries }) => unboundEntries),
      [0, 0, 2],
    );
  });

  it("C7 thoughts stay left out after a failed summary, and after going back and returning", async () => {
    const h = open((_, index) => (index === 1 || index === 2 ? [""] : thought(String(index))));
    await h.turn();
    await h.session.compact();
    h.session.choose({ model: { providerID: "anthropic", modelID: "claude-haiku-4-5" } });
    await h.turn();
    assert.equal(h.model.requests.at(-1)?.unboundEntries, 2);
    await h.session.rewind(h.chat.messages[0]?.info.id ?? "");
    await h.session.rewind(null);
    await h.turn();
    assert.equal(h.model.requests.at(-1)?.unboundEntries, 2);
  });

  it("R6 a fork goes on with the same prefix, without the thoughts of the original", async () => {
    const h = open([thought("1"), thought("2")], { project: changing() });
    await h.turn();
    await h.turn("And?");
    const asked = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    const fork = goOn([["3"]], forkChat(h.chat, asked), changing());
    await fork.turn("Or?");
    const [request] = fork.model.requests;
    assert.deepEqual([request?.system, request?.tools], [h.model.requests[0]?.system, h.model.requests[0]?.tools]);
    assert.deepEqual(request?.entries.map(textOf).at(-1), "Or?", "nothing is told again");
    assert.equal(request?.unboundEntries, 2);
  });
});
