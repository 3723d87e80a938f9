/** The mode Bypass in the real VS Code: its strip, its ends, what asks in it, and who can turn it on. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { answer, choose, press, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });
const write = (file_path: string, content: string) => ({ call: { name: "write", input: { file_path, content } } });
const done = (text: string) => [{ text }];

const minutes = 30;
const strip = (panel: Frame) => panel.getByRole("note", { name: "Mode Bypass" });
const mode = (panel: Frame, name: string) => panel.getByRole("button", { name: `Mode: ${name}` });

/** Returns the time on the strip, in minutes of the day. */
async function untilMinute(panel: Frame): Promise<number> {
  const [, hour, minute] = /Until (\d\d):(\d\d)\./.exec(await strip(panel).innerText()) ?? assert.fail("no time");
  return Number(hour) * 60 + Number(minute);
}

function minuteOfDay(moment: number): number {
  const date = new Date(moment);
  return date.getHours() * 60 + date.getMinutes();
}

describe("Bypass", () => {
  let window: Window;
  before(async () => {
    const ofWorkspace = { "rondo.permission.mode": "bypassPermissions", "rondo.permission.bypassMinutes": 480 };
    window = await openWindow({
      settings: { "rondo.permission.bypassMinutes": minutes },
      files: { ".vscode/settings.json": JSON.stringify(ofWorkspace) },
    });
  });
  after(() => window?.close());

  it("U1 settings of a workspace neither turn it on nor change its time; the menu says what asks in it", async () => {
    const panel = await window.panel();
    await mode(panel, "Ask first").click();
    const row = panel.getByRole("menuitemradio", { name: /^Bypass/ });
    const words = await row.innerText();
    assert.match(words, /protected files and leaving the sandbox\. Deny rules still apply\./);
    assert.match(words, /For 30 minutes, then Ask first again/);
    await panel.getByRole("menuitemradio", { name: /^Ask first/ }).press("Escape");
    assert.equal(await strip(panel).count(), 0);
  });

  it("U1 its strip says until when; nothing asks but a protected file", async () => {
    const panel = await window.panel();
    const from = minuteOfDay(Date.now() + minutes * 60_000);
    await choose(panel, "Mode", "Bypass");
    const until = await untilMinute(panel);
    const to = minuteOfDay(Date.now() + minutes * 60_000);
    assert.ok(until === from || until === to, `${until} is ${from} or ${to}`);
    assert.match(await strip(panel).innerText(), /Nothing asks\s+but protected files/);
    window.plays([run("echo one > one.txt")], [write("AGENTS.md", "Be long.\n")], done("It is written."));
    await say(panel, "write two files");
    const card = await question(panel, /AGENTS\.md/);
    assert.equal(await window.read("one.txt"), "one\n", "the command did not ask");
    await assert.rejects(window.read("AGENTS.md"));
    await card.getByRole("button", { name: "Deny" }).click();
    await status(panel, /you denied/);
    await assert.rejects(window.read("AGENTS.md"));
  });

  it("U1 End now ends it: the next command asks", async () => {
    const panel = await window.panel();
    await press(panel, "End now");
    await mode(panel, "Ask first").waitFor();
    await strip(panel).waitFor({ state: "detached" });
    window.plays([run("echo two > two.txt")], done("It asked."));
    await say(panel, "one more");
    await question(panel, /command/);
    await assert.rejects(window.read("two.txt"));
    await answer(panel, "Allow once");
    await said(panel, "It asked.");
  });

  it("U1 a reload does not prolong it, and a new session begins in the mode before", async () => {
    let panel = await window.panel();
    await choose(panel, "Mode", "Accept edits");
    await choose(panel, "Mode", "Bypass");
    const until = await untilMinute(panel);
    panel = await window.reload();
    await strip(panel).waitFor();
    assert.equal(await untilMinute(panel), until);
    panel = await window.newSession();
    await mode(panel, "Accept edits").waitFor();
    assert.equal(await strip(panel).count(), 0);
    window.plays([run("echo three > three.txt")], done("It asked too."));
    await say(panel, "a command");
    await question(panel, /command/);
    await answer(panel, "Allow once");
    await said(panel, "It asked too.");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});

describe("Bypass for some seconds", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ settings: { "rondo.permission.bypassMinutes": 0.1 } });
  });
  after(() => window?.close());

  it("U1 ends within a running turn when its time is over: the next command asks", async () => {
    const panel = await window.panel();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const second = { blocks: [{ text: "And now?", pieces: 4 }, run("echo late > late.txt")] };
    window.plays(
      [write("early.txt", "early\n")],
      { ...second, pause: { writes: 3, until: promise } },
      done("Both are there."),
    );
    await choose(panel, "Mode", "Bypass");
    await say(panel, "write, wait, write");
    await strip(panel).waitFor({ state: "detached" });
    await mode(panel, "Ask first").waitFor();
    release();
    await question(panel, /command/);
    await assert.rejects(window.read("late.txt"));
    assert.equal(await window.read("early.txt"), "early\n", "before its end it did not ask");
    await answer(panel, "Allow once");
    await said(panel, "Both are there.");
    assert.equal(await window.read("late.txt"), "late\n");
  });
});
