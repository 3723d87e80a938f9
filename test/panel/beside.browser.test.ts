/** Background commands, to-dos, rewinding, and streaming edits. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { RestoreFile } from "../../src/chat/review-views.ts";
import { button, events, focused, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { commands, restoreFiles, todoDone, todos } from "./trust-states.ts";

const busy = { type: "busy", since: Date.now() } as const;

describe("background commands", () => {
  const region = (panel: PanelPage) => panel.page.getByRole("region", { name: "Background" });

  it("are one line, which expands to what each command does", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { background: commands })));
    assert.match(await region(panel).innerText(), /2 commands in the background\s+1 waits for input/);
    await button(panel, "Show the commands").click();
    const rows = region(panel).getByRole("listitem");
    assert.match(await rows.nth(0).innerText(), /npm run dev[\s\S]*running (?:\d+ min )?\d+ s[\s\S]*localhost:4173/);
    assert.match(await rows.nth(1).innerText(), /waits for input: “package name: \(tinyshop\)”/);
    assert.match(await rows.nth(2).innerText(), /watch:types\s+exit code 1/);
    await button(panel, "End npm init").click();
    await button(panel, "Show terminal").click();
    assert.deepEqual((await panel.sent()).slice(1), [{ type: "end-command", id: "bash_2" }, { type: "show-terminal" }]);
    await button(panel, "Clear ended").click();
    assert.equal(await rows.count(), 2);
  });

  it("are shown and announced when they end", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    const [dev] = commands;
    assert.ok(dev);
    await panel.post(events({ type: "background", commands: [dev] }));
    assert.match(await region(panel).innerText(), /1 command/);
    const state = { type: "ended", words: "exit code 0", failed: false, at: 1 } as const;
    await panel.post(events({ type: "background", commands: [{ ...dev, state }] }));
    assert.match(await region(panel).innerText(), /1 background command ended/);
    const said = /npm run dev -- --port 4173 ended in the background, exit code 0\./;
    await panel.page.locator("[aria-live=polite]").filter({ hasText: said }).waitFor({ state: "attached" });
    await button(panel, "Clear ended").click();
    assert.equal(await region(panel).count(), 0);
  });

  it("begin when a call is moved to the background; a running call can be ended", async () => {
    const state = { status: "running", input: { command: "npm run build" }, start: Date.now() - 4000 } as const;
    const silent = f.tool("bash", state, "call_1");
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([silent])], { status: busy })));
    const card = panel.page.getByRole("group", { name: "Running npm run build" });
    await card.getByText("No output yet").waitFor();
    await card.getByRole("button", { name: "To background" }).click();
    await card.getByRole("button", { name: "End" }).click();
    assert.deepEqual((await panel.sent()).slice(1), [
      { type: "to-background", callID: "call_1" },
      { type: "end-call", callID: "call_1" },
    ]);
  });
});

describe("to-dos", () => {
  const line = (panel: PanelPage) => panel.page.locator(".Todo");

  it("are one line with the current item, hidden when all are done", async () => {
    const reply = f.rondo([todoDone(1)]);
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    assert.match(await line(panel).innerText(), /1 of 4 · Round once, at the end/);
    await line(panel).locator("summary").click();
    const list = panel.page.getByRole("list", { name: "To do" });
    await list.getByText("Run the cart tests").waitFor();
    assert.deepEqual(
      (await list.getByRole("listitem").allTextContents()).map((text) => text.trim()),
      [
        "Done: Find where total() rounds",
        "Now: Round once, at the end",
        "To do: Same for the discount",
        "To do: Run the cart tests",
      ],
    );
    const part = reply.parts[0];
    assert.ok(part?.type === "tool");
    const state = { status: "running", input: todos(4), start: 1 } as const;
    await panel.post(events({ type: "part", part: { ...part, state } }));
    assert.match(await line(panel).innerText(), /4 of 4 · all done/);
    await panel.post(events({ type: "status", status: { type: "idle" } }));
    assert.equal(await line(panel).count(), 0);
  });

  it("follow the conversation when it is rewound", async () => {
    const first = [f.you("a"), f.rondo([todoDone(1)])];
    const second = [f.you("b"), f.rondo([todoDone(3)])];
    const panel = await panelWith(f.snapshot(f.chat("T", [...first, ...second])));
    assert.match(await line(panel).innerText(), /3 of 4/);
    await panel.post(events({ type: "rewound", messageID: second[0]?.info.id ?? "" }));
    assert.match(await line(panel).innerText(), /1 of 4/);
  });
});

describe("rewinding", () => {
  const story: Entry[] = [
    f.you("First."),
    f.rondo([f.said("Done.")]),
    f.you("Then the second thing."),
    f.rondo([f.said("Done, too.")]),
  ];
  const second = story[2]?.info.id ?? "";
  const dialog = (panel: PanelPage) => panel.page.getByRole("dialog");
  const open = async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", story)));
    const you = panel.page.getByRole("article", { name: "You" }).last();
    await you.getByRole("button", { name: "Restore to here…" }).focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("preview-restore"), [{ type: "preview-restore", messageID: second }]);
    await panel.post({ type: "restore-preview", messageID: second, at: Date.now(), files: restoreFiles });
    return panel;
  };
  const box = (panel: PanelPage, name: string) => dialog(panel).getByRole("checkbox", { name });

  it("E1 previews the changes first, without files that the user has changed", async () => {
    const panel = await open();
    const name = /^Restore to \d\d:\d\d, before “Then the second thing\.”\?$/;
    assert.equal(await panel.page.getByRole("dialog", { name }).count(), 1);
    const rows = (await dialog(panel).getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    assert.match(rows[0] ?? "", /src\/cart\.ts \+6 lines added −4 lines removed/);
    assert.match(rows[1] ?? "", /comes back, 12 lines/);
    assert.match(rows[2] ?? "", /is deleted, 44 lines/);
    assert.match(rows[3] ?? "", /You have changed it since\. Tick it to restore it anyway/);
    assert.match(rows[4] ?? "", /stays It was too large to be kept\./);
    assert.ok(await box(panel, "src/cart.ts").isChecked());
    assert.ok(!(await box(panel, "README.md").isChecked()));
    assert.ok(await box(panel, "media/logo.png").isDisabled());
    await button(panel, "Compare").click();
    assert.deepEqual(await panel.sentOf("compare"), [{ type: "compare", messageID: second }]);
  });

  it("restores the selection: files and conversation, files, or conversation", async () => {
    const panel = await open();
    await box(panel, "README.md").check();
    await box(panel, "src/shipping.ts").uncheck();
    await button(panel, "Restore 3 files and the conversation").click();
    assert.equal(await dialog(panel).count(), 0);
    const paths = ["src/cart.ts", "src/checkout.ts", "README.md"];
    assert.deepEqual(await panel.sentOf("restore"), [{ type: "restore", messageID: second, paths, chat: true }]);
    for (const [choice, press] of [
      ["Files only", "Restore 3 files"],
      ["Conversation only", "Restore the conversation"],
    ] as const) {
      await panel.post({ type: "show-restore", messageID: second });
      await panel.post({ type: "restore-preview", messageID: second, at: 1, files: restoreFiles });
      await panel.page.getByRole("radio", { name: choice }).check();
      await button(panel, press).click();
    }
    const sent = (await panel.sentOf("restore")).slice(1);
    assert.deepEqual(
      sent.map(({ paths, chat }) => [paths.length, chat]),
      [
        [3, false],
        [0, true],
      ],
    );
  });

  it("first shows a hundred files, problematic ones at the top, and restores all selected ones", async () => {
    const panel = await open();
    const [plain] = restoreFiles;
    assert.ok(plain);
    const many = Array.from({ length: 1000 }, (_, at): RestoreFile => {
      return { ...plain, path: `src/${at}.ts`, edited: at === 999 && "user" };
    });
    await panel.post({ type: "restore-preview", messageID: second, at: 1, files: many });
    assert.equal(await dialog(panel).getByRole("checkbox").count(), 100);
    assert.match(await dialog(panel).getByRole("listitem").first().innerText(), /src\/999\.ts/);
    await button(panel, "Show all 1000 files").click();
    assert.equal(await dialog(panel).getByRole("checkbox").count(), 1000);
    await button(panel, "Restore 999 files and the conversation").click();
    assert.equal((await panel.sentOf("restore"))[0]?.paths.length, 999);
  });

  it("does nothing when there is nothing to restore or a turn runs; Escape leaves", async () => {
    const panel = await open();
    await panel.page.getByRole("radio", { name: "Files only" }).check();
    for (const { path } of restoreFiles.slice(0, 3)) await box(panel, path).uncheck();
    await button(panel, "Restore 0 files").dispatchEvent("click");
    await panel.page.getByRole("radio", { name: "Conversation only" }).check();
    await panel.post(events({ type: "status", status: busy }));
    await button(panel, "Restore the conversation").dispatchEvent("click");
    assert.deepEqual(await panel.sentOf("restore"), []);
    await panel.page.keyboard.press("Escape");
    assert.equal(await dialog(panel).count(), 0);
    assert.deepEqual(await panel.sentOf("stop"), []);
    assert.equal(
      await panel.page.getByRole("button", { name: "Restore to here…" }).and(panel.page.locator(":enabled")).count(),
      0,
    );
  });

  it("can be undone until a new message is sent", async () => {
    const panel = await open();
    await panel.page.keyboard.press("Escape");
    assert.equal(await focused(panel), "Restore to here…");
    const back: ChatEvent = { type: "rewound", messageID: second };
    const restored = { files: 3, at: Date.now(), open: 0, isUndo: false };
    await panel.post(events(back), { type: "state", state: f.panelState({ restored }) });
    const line = panel.page.getByRole("group", { name: "Restored" });
    assert.match(await line.innerText(), /3 files restored · 2 messages set aside/);
    await line.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual(await panel.sentOf("undo-restore"), [{ type: "undo-restore" }]);
    await panel.post(events({ type: "rewound", messageID: null }), { type: "state", state: f.panelState() });
    assert.equal(await line.count(), 0);
    assert.equal(await panel.page.getByRole("article", { name: "You" }).count(), 2);
    await panel.post(events(back));
    await line.getByRole("button", { name: "Bring back" }).waitFor();
  });
});

describe("a restore that was cut off", () => {
  it("V31 is finished or undone; an undo can only be finished", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    const restored = { files: 3, at: Date.now(), open: 4, isUndo: false };
    await panel.post({ type: "state", state: f.panelState({ restored }) });
    const line = panel.page.getByRole("group", { name: "Restored" });
    assert.match(await line.innerText(), /Restore interrupted: 3 of 7 files restored/);
    await line.getByRole("button", { name: "Finish" }).click();
    assert.deepEqual(await panel.sentOf("finish-restore"), [{ type: "finish-restore" }]);
    await line.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual(await panel.sentOf("undo-restore"), [{ type: "undo-restore" }]);
    await panel.post({ type: "state", state: f.panelState({ restored: { ...restored, isUndo: true } }) });
    await line.getByText("Undo interrupted: 3 of 7 files put back").waitFor();
    assert.equal(await line.getByRole("button", { name: "Undo" }).count(), 0);
    await line.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await line.count(), 0);
  });
});

describe("an edit of several files", () => {
  it("counts all files in its line, and shows each", async () => {
    const done = f.done("apply_patch", { patch: "*** Update File: a\n*** Add File: b" }, { diffs: f.diffs }, "Edited.");
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([done])])));
    const card = panel.page.getByRole("group", { name: "Edited 2 files" });
    assert.match((await card.locator("summary").textContent()) ?? "", /\+4 lines added\s+−6 lines removed/);
    await card.locator("summary").click();
    assert.equal(await card.getByRole("group", { name: "Changed lines" }).count(), 2);
    assert.ok(await card.getByText("src/sum.ts → src/exact.ts").isVisible());
  });
});

describe("an edit while its arguments stream", () => {
  it("grows file by file", async () => {
    const raw = JSON.stringify({
      patch:
        "*** Begin Patch\n*** Update File: a.ts\n@@\n-old\n+new\n*** Add File: b.ts\n+first\n+second\n*** End Patch",
    });
    const reply = f.rondo([f.tool("apply_patch", { status: "pending", input: {}, raw: "" })]);
    const part = reply.parts[0];
    assert.ok(part);
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    const grow = (text: string) => events({ type: "delta", messageID: part.messageID, partID: part.id, text });
    const files = panel.page.getByRole("group", { name: "Changed lines" });
    const at = raw.indexOf("*** Add");
    await panel.post(grow(raw.slice(0, at)));
    assert.deepEqual(await files.allInnerTexts(), ["removed\n− old\nadded\n+ new"]);
    await panel.post(grow(raw.slice(at, -30)));
    assert.equal(await files.count(), 2);
    await panel.page.getByRole("group", { name: "Editing 2 files" }).waitFor();
  });
});
