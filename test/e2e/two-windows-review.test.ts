/** Two windows on one folder: what is under review, and each decision, is the same in both, whoever writes or dies. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { changes, press, said, say } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const former = `${Array.from({ length: 40 }, (_, at) => `a${at + 1};`).join("\n")}\n`;
const edit = (old_string: string, new_string: string) => ({
  call: { name: "edit", input: { file_path: "src/long.js", old_string, new_string } },
});

describe("one review in two windows", () => {
  let first: Window;
  let second: Window;
  before(async () => {
    first = await openWindow({
      settings: { "rondo.permission.mode": "acceptEdits", "files.autoSave": "off" },
      files: { "src/long.js": former },
    });
    second = await first.another();
  });
  after(() => first?.close());

  const isNow = (text: string) => until(async () => (await first.read("src/long.js")) === text);
  const lens = (window: Window, title: string) =>
    window.page.locator(".codelens-decoration a", { hasText: title }).first();
  /** Waits until both windows say how much is under review. */
  const both = async (words: string) => {
    for (const window of [first, second]) await changes(await window.panel(), words).waitFor();
  };
  const none = async () => {
    for (const window of [first, second])
      await changes(await window.panel(), "5 changes").waitFor({ state: "detached" });
  };

  it("V9 a change in one window is under review in the other, and an accept holds in both", async () => {
    first.plays(
      [edit("a5;", "b5;"), edit("a15;", "b15;"), edit("a25;", "b25;"), edit("a35;", "b35;")],
      [{ text: "Four changes." }],
    );
    const panel = await first.panel();
    await say(panel, "change four lines");
    await said(panel, "Four changes.");
    await both("4 changes");
    await first.open("src/long.js");
    await clickUntil(lens(first, "Accept"), () => changes(panel, "3 changes").isVisible());
    await both("3 changes");
  });

  it("V9 a reject in the other window holds in both, and what one then changes keeps it", async () => {
    await second.open("src/long.js");
    const panel = await second.panel();
    await clickUntil(lens(second, "Reject"), () => changes(panel, "2 changes").isVisible());
    await both("2 changes");
    const text = former.replace("a5;", "b5;").replace("a25;", "b25;").replace("a35;", "b35;");
    await isNow(text);
    second.plays([edit("a1;", "b1;")], [{ text: "One more." }]);
    await say(panel, "change another line");
    await said(panel, "One more.");
    await both("3 changes");
    await isNow(text.replace("a1;", "b1;"));
  });

  it("V9 each window takes back what the other has decided, once", async () => {
    await first.command("Rondo: Undo Last Accept or Reject");
    await both("4 changes");
    await second.command("Rondo: Undo Last Accept or Reject");
    await both("5 changes");
  });

  // A reload cancels what VS Code does, which logs that.
  it("logs no error of its own to the console", () => {
    assert.deepEqual([...first.errors, ...second.errors], []);
  });

  it("V9 a reload, and a decision after it, lose nothing", async () => {
    await first.reload();
    await both("5 changes");
    await press(await second.panel(), "Accept all");
    await none();
    await first.reload();
    await none();
    await isNow(former.replace(/a(1|5|15|25|35);/g, "b$1;"));
    assert.deepEqual(second.errors, []);
  });
});
