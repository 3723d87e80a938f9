import assert from "node:assert/strict";
import { survivors } from "../../src/loop/context/survivors.ts";
import { askUser } from "../../src/tools/built-in/ask-user.ts";
import { todoWrite } from "../../src/tools/built-in/todo-write.ts";
import { ToolError } from "../../src/tools/tool.ts";
import { planOf, refusalOf } from "./context.ts";

describe("todo_write", () => {
  const todos = [
    { content: "Read", status: "completed" },
    { content: "Write", status: "in_progress" },
    { content: "Test", status: "pending" },
  ];

  it("T11 reports its progress, and needs no permission", async () => {
    const plan = await planOf(todoWrite, { todos });
    assert.deepEqual([plan.requires, plan.writes], [[], []]);
    assert.deepEqual(await plan.run(() => {}), { output: "1 of 3 done", metadata: { fact: "1 of 3 done" } });
    const empty = await planOf(todoWrite, { todos: [] });
    assert.equal((await empty.run(() => {})).output, "empty");
  });

  it("T11 rejects a list that is too long, an empty step and an unknown status", () => {
    const many = Array.from({ length: 51 }, () => ({ content: "x", status: "pending" }));
    for (const wrong of [many, [{ content: " ", status: "pending" }], [{ content: "x", status: "done" }]]) {
      assert.equal(todoWrite.input.safeParse({ todos: wrong }).success, false);
    }
  });

  it("T11 C3 open to-dos survive a compaction", () => {
    const base = { id: "p", sessionID: "s", messageID: "m" };
    const model = { providerID: "anthropic", modelID: "m" };
    const state = {
      status: "completed" as const,
      input: { todos },
      output: "",
      title: "",
      metadata: {},
      start: 1,
      end: 2,
    };
    const info = {
      ...{ id: "m", sessionID: "s", createdAt: 1, role: "assistant" as const, parentID: "u", agent: "build", model },
      ...{ path: { cwd: "/", root: "/" }, tokens: { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 } },
    };
    const part = { ...base, type: "tool" as const, callID: "c", tool: todoWrite.name, state };
    const session = { id: "s", createdAt: 1, title: "", cwd: "/" };
    const text = survivors({ pieces: {}, session, messages: [{ info, parts: [part] }] }, 128_000);
    assert.match(text, /- \[in_progress\] Write\n- \[pending\] Test/);
    assert.doesNotMatch(text, /Read/);
  });
});

describe("ask_user", () => {
  const options = [{ label: "Tabs", description: "as in Go" }, { label: "Spaces" }];
  const questions = [
    { question: "Tabs or spaces?", header: "Style", options, favorite: "Spaces" },
    { question: "Which ones?", header: "", options, multiple: true, favorite: "Both" },
  ];

  it("T11 asks the user the questions and returns each with its answer", async () => {
    const plan = await planOf(
      askUser,
      { questions },
      {
        askUser: async (asked) => {
          assert.deepEqual(asked, [
            {
              question: "Tabs or spaces?",
              header: "Style",
              options: [options[0], { label: "Spaces", description: "" }],
              favorite: "Spaces",
              multiple: false,
            },
            {
              question: "Which ones?",
              header: "",
              options: [options[0], { label: "Spaces", description: "" }],
              // No option has this label.
              favorite: "",
              multiple: true,
            },
          ]);
          return [["Tabs"], ["Tabs", "and two blanks"]];
        },
      },
    );
    assert.equal(plan.title, "Ask 2 questions");
    const { output } = await plan.run(() => {});
    assert.equal(output, "Tabs or spaces?\n→ Tabs\n\nWhich ones?\n→ Tabs; and two blanks");
  });

  it("T11 says when nobody answers one or all questions", async () => {
    const [question] = questions;
    const alone = await planOf(askUser, { questions: [question] });
    assert.equal(alone.title, "Tabs or spaces?");
    assert.match(await refusalOf(() => alone.run(() => {})), /Nobody can answer/);
    const silent = await planOf(askUser, { questions: [question] }, { askUser: async () => [[]] });
    assert.equal((await silent.run(() => {})).output, "Tabs or spaces?\n→ (no answer)");
    const refused = async () => {
      throw new ToolError("The user does not want to answer.");
    };
    const plan = await planOf(askUser, { questions: [question] }, { askUser: refused });
    assert.equal(await refusalOf(() => plan.run(() => {})), "The user does not want to answer.");
  });

  it("T11 accepts one to four questions with two to six choices", () => {
    const [question] = questions;
    const many = (count: number) => Array.from({ length: count }, () => options[0]);
    for (const [wrong, fits] of [
      [[], false],
      [[question, question, question, question], true],
      [[question, question, question, question, question], false],
      [[{ ...question, options: many(1) }], false],
      [[{ ...question, options: many(6) }], true],
      [[{ ...question, options: many(7) }], false],
    ] as const) {
      assert.equal(askUser.input.safeParse({ questions: wrong }).success, fits);
    }
  });
});
