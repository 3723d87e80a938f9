/** Calls, to-dos and lists of any size: the page has few elements for them, and the log goes on. */
import assert from "node:assert/strict";
import type { ToolState } from "../../src/chat/message.ts";
import { button, events, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const many = 5000;
/** An empty panel has about 200; one element for each of 5,000 things would be many more. */
const maxElements = 2500;

async function assertGoesOn(panel: PanelPage): Promise<void> {
  const { info, parts } = f.rondo([f.said("The next message.")]);
  await panel.post(
    events({ type: "message", message: info }, ...parts.map((part) => ({ type: "part", part }) as const)),
  );
  await panel.page.getByRole("log").getByText("The next message.", { exact: true }).waitFor();
  await assertSmall(panel);
}

async function assertSmall(panel: PanelPage): Promise<void> {
  const size = await panel.page.evaluate(() => ({
    elements: document.querySelectorAll("*").length,
    characters: document.body.textContent.length,
  }));
  assert.ok(size.elements < maxElements, `${size.elements} elements`);
  assert.ok(size.characters < 100_000, `${size.characters} characters`);
}

const long = "x".repeat(2_000_000);
const lines = "a line\n".repeat(100_000);
const done = { status: "completed", output: "", title: "", metadata: {}, start: 0, end: 0 } as const;

const calls: readonly [name: string, tool: string, state: ToolState][] = [
  ["a command of 2 MB in one line", "bash", { ...done, input: { command: long } }],
  ["a path of 2 MB", "edit", { ...done, input: { file_path: long } }],
  ["an output of 100,000 lines", "bash", { ...done, input: { command: "ls" }, output: lines }],
  ["an output of 2 MB in one line", "bash", { ...done, input: { command: "ls" }, output: long }],
  ["an error of 2 MB in one line", "bash", { status: "error", input: {}, error: long, start: 0, end: 0 }],
  ["an error of 100,000 lines", "bash", { status: "error", input: {}, error: lines, start: 0, end: 0 }],
  ["a file of 100,000 lines that is being written", "write", { status: "pending", input: {}, raw: writing(lines) }],
  ["2 MB in one line that is being written", "write", { status: "pending", input: {}, raw: writing(long) }],
  ["arguments that nest while they are written", "mcp__a__b", { status: "pending", input: {}, raw: "[{".repeat(many) }],
];

function writing(content: string): string {
  return JSON.stringify({ file_path: "a.txt", content }).slice(0, -2);
}

describe("large things in the panel", function () {
  this.timeout(180_000);

  for (const [name, tool, state] of calls) {
    it(`${name}: the log goes on`, async () => {
      const busy = { status: { type: "busy", since: 0 } } as const;
      const panel = await panelWith(f.snapshot(f.chat("x", [f.you("x"), f.rondo([f.tool(tool, state)])], busy)));
      await assertGoesOn(panel);
    });
  }

  it("5,000 to-dos are shown in batches, and none before the list is opened", async () => {
    const todos = Array.from({ length: many }, (_, at) => ({ content: `To-do ${at}`, status: "pending" }));
    const call = f.tool("todo_write", { ...done, input: { todos } });
    const panel = await panelWith(f.snapshot(f.chat("x", [f.you("x"), f.rondo([call])])));
    await panel.page.getByText(`0 of ${many}`).waitFor();
    const items = panel.page.getByRole("list", { name: "To do" }).getByRole("listitem");
    assert.equal(await items.count(), 0);
    await panel.page.getByText(`0 of ${many}`).click();
    await button(panel, `Show more (100 of ${many})`).click();
    await button(panel, `Show more (200 of ${many})`).waitFor();
    assert.equal(await items.count(), 200);
    await assertGoesOn(panel);
  });

  it("5,000 sessions are shown in batches", async () => {
    const [one = assert.fail()] = f.sessions();
    const sessions = Array.from({ length: many }, (_, at) => ({ ...one, id: `ses_${at}`, title: `Session ${at}` }));
    const panel = await panelWith(
      f.snapshot(f.chat("x", [])),
      { type: "show-sessions" },
      { type: "sessions", query: "", sessions },
    );
    await panel.page.getByText(/^5.?000 sessions$/).waitFor();
    await assertSmall(panel);
    await button(panel, `Show more (100 of ${many})`).click();
    await button(panel, `Show more (200 of ${many})`).waitFor();
    assert.equal(await panel.page.getByRole("listitem").count(), 200);
  });
});
