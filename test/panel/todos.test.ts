/** To-dos parsed from the model's input. */
import assert from "node:assert/strict";
import type { Part } from "../../src/chat/message.ts";
import { newestTodos, todosOf } from "../../src/chat/todos.ts";
import * as f from "./fixtures.ts";
import { todoDone } from "./trust-states.ts";

function partOf(part: f.LoosePart): Part {
  return f.rondo([part]).parts[0] ?? assert.fail();
}

describe("to-dos", () => {
  it("T11 are read from completed calls, not from streaming or failed ones", () => {
    const input = {
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
      ],
    };
    const of = (part: f.LoosePart) => todosOf(partOf(part))?.map(({ content, state }) => `${content} ${state}`);
    assert.deepEqual(of(f.tool("todo_write", { status: "running", input, start: 0 })), ["a done", "b now"]);
    assert.equal(of(f.tool("todo_write", { status: "pending", input, raw: "" })), undefined);
    assert.equal(of(f.tool("todo_write", { status: "error", input, error: "no", start: 0, end: 1 })), undefined);
    assert.equal(of(f.testFailed), undefined);
  });

  it("are read from partly invalid input as far as possible", () => {
    const list = [
      null,
      1,
      "x",
      {},
      { content: 1 },
      { content: " " },
      { content: "a" },
      { content: "b", status: "odd" },
    ];
    const of = (todos: unknown) =>
      todosOf(partOf(f.tool("todo_write", { status: "running", input: { todos }, start: 0 })));
    assert.deepEqual(of(list), [
      { content: "a", state: "open" },
      { content: "b", state: "open" },
    ]);
    assert.deepEqual(of([]), []);
    for (const strange of ["x", 1, undefined, { length: 3 }]) assert.equal(of(strange), undefined);
  });

  it("are the newest of a chat", () => {
    const chat = f.chat("", [f.you("a"), f.rondo([todoDone(1), todoDone(2), f.said("x")]), f.you("b"), f.rondo([])]);
    assert.equal(newestTodos(chat.messages).filter(({ state }) => state === "done").length, 2);
    assert.deepEqual(newestTodos([f.you("a")]), []);
  });
});
