/** What stays word for word over compactions, however many there were (spec C3). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { newID } from "../../src/base/ids.ts";
import { apply, type Chat, newChat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { AssistantMessage, Part, UserMessage } from "../../src/chat/message.ts";
import { isRecorded } from "../../src/chat/recorded-events.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { requestCompaction } from "../../src/loop/context/compact.ts";
import { visibleEntries } from "../../src/loop/context/context.ts";
import { survivors } from "../../src/loop/context/survivors.ts";
import { eventsOf, forkChat, withNewIDs } from "../../src/loop/transfer/fork.ts";
import { replay } from "../../src/record/replay.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { todoWrite } from "../../src/tools/built-in/todo-write.ts";
import { randomly } from "../random.ts";
import { bareConfig } from "./bare.ts";
import { entriesOf, full, isSummary, small, textOf } from "./compacting.ts";
import { harnesses } from "./harness.ts";

const model = { providerID: "anthropic", modelID: "m" };
const window = 128_000;

/** A conversation that is written event by event, as the loop does it. */
class Story {
  chat = newChat({ id: "ses_1", createdAt: 0, title: "", cwd: "/project" });
  compactions = 0;

  emit = (event: ChatEvent): void => {
    assert.ok(isRecorded(event));
    apply(this.chat, structuredClone(event));
  };

  prompt(text: string): void {
    const message: UserMessage = { ...this.#base(), role: "user", agent: "build", model };
    this.emit({ type: "message", message });
    this.#part(message.id, { type: "text", text });
  }

  attach(file: Extract<PartBody, { type: "file" }>): void {
    this.#part(this.#lastUser().id, file);
  }

  reply(more: Partial<AssistantMessage> = {}, ...parts: PartBody[]): void {
    const parentID = this.#lastUser().id;
    const about = { role: "assistant", parentID, agent: "build", model, path: { cwd: "", root: "" } } as const;
    const message = { ...this.#base(), ...about, tokens: noTokens, finish: "stop", completedAt: 1, ...more } as const;
    this.emit({ type: "message", message });
    for (const part of [...parts, { type: "text", text: "Done." } as const]) this.#part(message.id, part);
  }

  compact(end: "stop" | "failed"): void {
    const config = bareConfig(window);
    const { signal } = new AbortController();
    const turn = { chat: this.chat, signal, emit: this.emit, flush() {}, resolveConfig: () => config };
    requestCompaction(turn, this.#lastUser(), true);
    const error = { code: "compaction", message: "It failed.", next: "" } as const;
    this.reply({ summary: true, ...(end === "failed" && { error }) });
    if (end === "stop") this.compactions += 1;
  }

  reload(): void {
    const again = newChat(this.chat.session);
    for (const event of JSON.parse(JSON.stringify([...eventsOf(this.chat)]))) apply(again, event);
    this.chat = again;
  }

  #lastUser(): UserMessage {
    const info = this.chat.messages.findLast((entry) => entry.info.role === "user")?.info;
    return info?.role === "user" ? info : assert.fail();
  }

  #base() {
    return { id: newID("msg"), sessionID: "ses_1", createdAt: 0 };
  }

  #part(messageID: string, part: PartBody): void {
    this.emit({ type: "part", part: { ...part, id: newID("prt"), sessionID: "ses_1", messageID } as Part });
  }
}

type WithoutIDs<P> = P extends unknown ? Omit<P, "id" | "sessionID" | "messageID"> : never;
type PartBody = WithoutIDs<Part>;

function call(tool: string, input: Record<string, unknown>, metadata: object = {}): PartBody {
  const state = { status: "completed", input, output: "", title: tool, metadata, start: 1, end: 2 } as const;
  return { type: "tool", callID: newID("prt"), tool, state };
}

const diff = (path: string) => ({ path, added: 1, removed: 0, patch: "" });
const todo = (content: string, status: string) => ({ content, status });

function section(text: string, title: string): string[] {
  const [, after = ""] = text.split(`# ${title}\n`);
  return after === "" ? [] : (after.split("\n\n#")[0] ?? "").split("\n");
}

const words = (text: string) => section(text, "What the user said, oldest first");
const files = (text: string) => section(text, "Files in work, newest first");
const todos = (text: string) => section(text, "Open to-dos");

describe("C3 what survives", () => {
  const text = fc.integer({ min: 1, max: 999 }).map((n) => `Word ${n}.`);
  const path = fc.integer({ min: 1, max: 30 }).map((n) => `src/${n}.ts`);
  const did = fc.oneof(
    fc.record({ edit: path }),
    fc.record({ child: path }),
    fc.record({ command: path }),
    fc.record({ todos: fc.array(fc.constantFrom("pending", "in_progress", "completed"), { maxLength: 6 }) }),
  );
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ say: text, did: fc.array(did, { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ unanswered: text }) },
    { weight: 3, arbitrary: fc.constant("compaction" as const) },
    { weight: 1, arbitrary: fc.constantFrom("failed compaction", "reload", "copy", "fork", "rewind") },
  );

  randomly(
    "C3 I2 any number of compactions, reloads, forks and rewinds keeps the user's words, edited files and open to-dos",
    () => {
      let most = 0;
      const play = (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
        const story = new Story();
        story.prompt("The task.");
        story.reply();
        for (const one of steps) {
          if (typeof one === "object" && "unanswered" in one) story.prompt(one.unanswered);
          else if (typeof one === "object") {
            story.prompt(one.say);
            const parts = one.did.map((what): PartBody => {
              if ("edit" in what)
                return call("edit", { file_path: `/project/${what.edit}` }, { diff: diff(what.edit) });
              if ("child" in what) return call("task", {}, { childEdited: [what.child] });
              if ("command" in what) return { type: "patch", hash: "", files: [`/project/${what.command}`] };
              return call("todo_write", { todos: what.todos.map((status, at) => todo(`item ${at}`, status)) });
            });
            story.reply({}, ...parts);
          } else if (one === "compaction") story.compact("stop");
          else if (one === "failed compaction") story.compact("failed");
          else if (one === "reload") story.reload();
          else if (one === "copy") story.chat = withNewIDs(story.chat, story.chat.session);
          else {
            const prompts = story.chat.messages.filter(({ info, parts }) => info.role === "user" && !isOwn(parts));
            const { id = "" } = prompts.at(-1)?.info ?? {};
            // The task itself stays, so that there is something to compact.
            if (prompts.length > 1 && one === "fork") story.chat = forkChat(story.chat, id);
            if (prompts.length > 1 && one === "rewind") story.emit({ type: "rewound", messageID: id });
          }
          check(story.chat);
        }
        most = Math.max(most, story.compactions);
      };
      fc.assert(fc.property(fc.array(step, { maxLength: 60, size: "max" }), play), { numRuns: 300 });
      assert.ok(most >= 10, `at most ${most} compactions in one conversation`);
    },
  );

  /** Compares with what stands in the record, which knows nothing of survivors. */
  function check(chat: Chat): void {
    const kept = survivors(chat, window);
    const parts = chat.messages.flatMap((entry) => entry.parts);
    const calls = parts.filter((part) => part.type === "tool");
    const wanted = calls.flatMap(({ state }) => {
      if (state.status !== "completed") return [];
      return [...(state.metadata.childEdited ?? []), ...(state.metadata.diff ? [state.metadata.diff.path] : [])];
    });
    const byCommand = parts.flatMap((part) => (part.type === "patch" ? part.files : []));
    for (const name of [...wanted, ...byCommand]) {
      assert.ok(files(kept).includes(`- ${name.replace("/project/", "")} (changed)`), name);
    }
    assert.equal(new Set(files(kept)).size, files(kept).length, "each file once");
    const list = calls.findLast(({ tool }) => tool === "todo_write")?.state.input["todos"] ?? [];
    const open = (list as ReturnType<typeof todo>[]).filter(({ status }) => status !== "completed");
    assert.deepEqual(todos(kept).toSorted(), open.map(({ content, status }) => `- [${status}] ${content}`).toSorted());
    const replied = chat.messages.findLastIndex(({ info }) => info.role === "assistant" && !info.summary);
    const prompts = chat.messages.map(({ parts: own }, at) => ({ text: textOf({ parts: own } as never), own, at }));
    const said = prompts.filter(({ own, at }) => chat.messages[at]?.info.role === "user" && !isOwn(own));
    assert.deepEqual(
      words(kept),
      said.filter(({ at }) => at < replied).map((one) => `- ${one.text}`),
    );
    const shown = visibleEntries(chat).map(textOf);
    for (const one of said.filter(({ at }) => at > replied)) assert.ok(shown.includes(one.text), `open: ${one.text}`);
    const sent = visibleEntries(chat).flatMap((entry) => entry.parts.map((part) => ("text" in part ? part.text : "")));
    for (const one of said) assert.ok(sent.join("\n").includes(one.text), `sent: ${one.text}`);
  }

  const isOwn = (parts: readonly Part[]) => parts.some((part) => part.type === "compaction");
});

describe("C3 the size of what survives", () => {
  const answered = (texts: readonly string[], ...parts: PartBody[]): Chat => {
    const story = new Story();
    for (const text of texts) story.prompt(text);
    story.reply({}, ...parts);
    return story.chat;
  };
  const line = (length: number, name: string) => `${name} `.padEnd(length - 2, "x");

  it("12,000 characters of the user's words are kept; with one more, the first is cut", () => {
    const exact = ["first", "between", "last"].map((name) => line(4000, name));
    assert.deepEqual(
      words(survivors(answered(exact), window)),
      exact.map((text) => `- ${text}`),
    );
    const [first = "", between = "", last = ""] = exact;
    const kept = words(survivors(answered([first, `${between}x`, last]), window));
    assert.deepEqual(kept, [`- ${first.slice(0, -1)} …`, `- ${between}x`, `- ${last}`]);
  });

  it("the first message keeps a quarter, and the newest ones the rest; what is left out is counted", () => {
    const all = [line(8000, "first"), ...Array.from({ length: 9 }, (_, at) => line(3000, `later ${at}`))];
    const kept = words(survivors(answered(all), window));
    assert.match(kept[0] ?? "", /^- first x{2992} …$/);
    assert.equal(kept[1], "- (6 between these left out)");
    assert.deepEqual(
      kept.slice(2),
      all.slice(-3).map((text) => `- ${text}`),
    );
  });

  it("one endless message, or one that is not whole characters, stays within the size", () => {
    for (const texts of [["😀".repeat(50_000)], ["a", "😀".repeat(50_000)], ["😀".repeat(50_000), "b"]]) {
      const kept = survivors(answered(texts), window);
      assert.ok(kept.length > 9000 && kept.length < 12_400, String(kept.length));
      assert.ok(kept.isWellFormed());
    }
  });

  it("files and to-dos have 4,000 characters each: what was only read gives way first, then the oldest", () => {
    const name = (n: number) => `src/${String(n).padStart(4, "0")}`.padEnd(27, "x");
    const edits = (count: number) =>
      Array.from({ length: count }, (_, at) => call("edit", {}, { diff: diff(name(at)) }));
    // Each line has 40 characters with its end.
    const whole = files(survivors(answered(["x"], call("read", { file_path: "read.txt" }), ...edits(99)), window));
    assert.equal(whole.length, 100);
    assert.deepEqual([whole[0], whole.at(-1)], [`- ${name(98)} (changed)`, "- read.txt (read)"]);
    const more = files(survivors(answered(["x"], call("read", { file_path: "read.txt" }), ...edits(101)), window));
    assert.equal(more.length, 101);
    assert.deepEqual(more.slice(-2), [`- ${name(1)} (changed)`, "- (2 more)"]);
    // Each of these, too, is a line of 400 characters with its end.
    const item = (at: number) =>
      at === 10 ? todo("10 ".padEnd(383, "y"), "in_progress") : todo(`${at} `.padEnd(387, "y"), "pending");
    const list = Array.from({ length: 11 }, (_, at) => item(at));
    const open = todos(survivors(answered(["x"], call("todo_write", { todos: list })), window));
    assert.match(open[0] ?? "", /^- \[in_progress\] 10 /);
    assert.deepEqual([open.length, open.at(-1)], [11, "- (1 more)"]);
  });

  it("ten files that were only read are kept, the newest", () => {
    const reads = Array.from({ length: 11 }, (_, at) => call("read", { file_path: `${at}.txt` }));
    const kept = files(survivors(answered(["x"], ...reads), window));
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [10, "- 10.txt (read)", "- 1.txt (read)"]);
  });

  it("files that the user attached count as read; calls that have not succeeded, and lists of another form, as nothing", () => {
    const story = new Story();
    story.prompt("x");
    const seen = { "/project/b.txt": "1", "/elsewhere/c.txt": "2" };
    story.attach({ type: "file", mime: "text/plain", filename: "b.txt", url: "data:,", seen });
    const input = { file_path: "gone.txt" };
    const unsure = [
      { status: "pending", input, raw: "" },
      { status: "running", input, title: "", start: 1 },
      { status: "error", input, error: "It is gone.", start: 1, end: 2 },
    ] as const;
    const calls = unsure.map((state) => ({ type: "tool", callID: "c", tool: "read", state }) as const);
    story.reply({}, call("todo_write", { todos: ["another form"] }), ...calls);
    const kept = survivors(story.chat, window);
    assert.deepEqual(files(kept), ["- /elsewhere/c.txt (read)", "- b.txt (read)"]);
    assert.deepEqual(todos(kept), []);
  });

  it("each file stands once, by the last thing that was done to it; a list that was not accepted is none", () => {
    const edit = (path: string) => call("edit", {}, { diff: diff(path) });
    const read = (path: string) => call("read", { file_path: `/project/${path}` });
    const refused = {
      status: "error",
      input: { todos: [todo("Refused", "pending")] },
      error: "No.",
      start: 1,
      end: 2,
    } as const;
    const parts: PartBody[] = [
      ...["a.ts", "b.ts", "a.ts"].map(edit),
      ...["a.ts", "c.ts", "d.ts", "c.ts", "made.txt"].map(read),
      { type: "patch", hash: "", files: ["/project/made.txt", "/project/b.ts"] },
      call("stat", { file_path: "e.ts" }),
      call("read", { file_path: 5 }),
      call("todo_write", { todos: [todo("Test", "pending")] }),
      { type: "tool", callID: "c", tool: "todo_write", state: refused },
    ];
    const kept = survivors(answered(["x"], ...parts), window);
    const changed = ["a.ts", "b.ts", "made.txt"].map((path) => `- ${path} (changed)`);
    assert.deepEqual(files(kept), [...changed, "- c.ts (read)", "- d.ts (read)"]);
    assert.deepEqual(todos(kept), ["- [pending] Test"]);
  });

  it("one endless path or to-do cannot displace the others", () => {
    const parts = [
      call("edit", {}, { diff: diff("a.ts") }),
      call("edit", {}, { diff: diff("b".repeat(9999)) }),
      call("todo_write", { todos: [todo("c".repeat(9999), "pending"), todo("Test", "pending")] }),
    ];
    const kept = survivors(answered(["x"], ...parts), window);
    assert.deepEqual([files(kept).at(-1), todos(kept).at(-1)], ["- a.ts (changed)", "- [pending] Test"]);
  });

  it("windows below 20,000 tokens keep less", () => {
    const long = answered([line(12_000, "first")]);
    const length = (tokens: number) => words(survivors(long, tokens)).join("").length;
    assert.deepEqual([length(20_000), length(10_000)], [12_000, 6002]);
    const name = (at: number) => `${at}`.padEnd(388, "x");
    const edits = Array.from({ length: 10 }, (_, at) => call("edit", {}, { diff: diff(name(at)) }));
    const list = edits.map((_, at) => todo(name(at), "pending"));
    const work = answered(["x"], ...edits, call("todo_write", { todos: list }));
    // Nine whole lines, or four, and how many others there are.
    for (const [tokens, lines] of [
      [20_000, 10],
      [10_000, 5],
    ] as const) {
      const kept = survivors(work, tokens);
      assert.deepEqual([files(kept).length, todos(kept).length], [lines, lines], `${tokens} tokens`);
    }
  });

  it("a section is there only if it has something, and words are more than spaces", () => {
    const opening = "The conversation so far was compacted. The summary follows; this was kept word for word.";
    assert.equal(survivors(new Story().chat, window), opening);
    const story = new Story();
    for (const words of ["  \n", "\n Mend it. \n", ""]) story.prompt(words);
    story.reply();
    assert.equal(survivors(story.chat, window), `${opening}\n\n# What the user said, oldest first\n- Mend it.`);
  });
});

describe("C3 ten compactions in one session", () => {
  const open = harnesses();

  it("the last request still has the words of the beginning, open to-dos, own and a subagent's files; a reload changes nothing", async () => {
    const beginning = [
      [
        { call: "write", input: { file_path: "made.txt", content: "x" } },
        { call: "todo_write", input: { todos: [todo("test it", "in_progress"), todo("make it", "completed")] } },
        { call: "task", input: { description: "Make", prompt: "Make it", subagent_type: "general" } },
      ],
      [{ call: "write", input: { file_path: "child.txt", content: "y" } }],
      ["Made."],
      ["Begun."],
    ];
    const left = [...beginning];
    const script = (request: Parameters<typeof isSummary>[0]) =>
      isSummary(request) ? ["S"] : (left.shift() ?? { say: ["More."], tokens: full });
    const options = { ...small, mode: "bypassPermissions", tools: [...coreTools, todoWrite] } as const;
    const h = open(script, options);
    await h.turn("Never touch b.txt!");
    for (let n = 0; n < 6; n++) await h.turn(`Go on, ${n}.`);
    h.transcript.flush();
    const again = open(script, { ...options, chat: replay(h.transcript.path).chat });
    for (let n = 6; n < 12; n++) await again.turn(`Go on, ${n}.`);
    const summaries = again.chat.messages.filter(({ info }) => info.role === "assistant" && info.summary);
    assert.ok(summaries.length >= 10, String(summaries.length));
    const kept = textOf(entriesOf(again, again.model.requests.length - 1)[0]);
    assert.deepEqual(words(kept), ["- Never touch b.txt!", ...Array.from({ length: 11 }, (_, n) => `- Go on, ${n}.`)]);
    assert.deepEqual(files(kept).toSorted(), ["- child.txt (changed)", "- made.txt (changed)"]);
    assert.deepEqual(todos(kept), ["- [in_progress] test it"]);
  });
});
