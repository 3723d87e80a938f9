/** The context inspector: a file's content is dropped, put back, pinned, and kept by a compaction (C8). */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { seriousFindings } from "../accessibility.ts";
import { press, said, say, status } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("the context inspector", () => {
  const files = { "kept.txt": "the kept marmalade\n", "gone.txt": "the dropped cucumber\n" };
  let window: Window;
  let panel: Frame;
  before(async () => {
    window = await sharedWindow();
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(window.folder, name), text);
    panel = await window.newSession();
  });
  after(() => Promise.all(Object.keys(files).map((name) => rm(path.join(window.folder, name), { force: true }))));

  const page = () => panel.getByRole("region", { name: "Context" });
  const list = (name: string) => page().getByRole("region", { name });
  const pieceButton = (name: string) => page().getByRole("button", { name, exact: true });
  const open = () => panel.getByRole("button", { name: /^Context: / }).click();
  const holds = (words: string) => window.requests.at(-1)?.raw.includes(words);

  async function ask(text: string, answer: string): Promise<void> {
    window.plays([{ text: answer }]);
    await say(panel, text);
    await said(panel, answer);
    await status(panel, /Done/);
  }

  it("C8 a dropped output is put back, or missing from the next request; a pinned one survives a compaction and a reload", async () => {
    const reads = Object.keys(files).map((name) => ({ call: { name: "read", input: { file_path: name } } }));
    window.plays(reads, [{ text: "Both are read." }]);
    await say(panel, "Read both files.");
    await said(panel, "Both are read.");
    await status(panel, /Done/);

    await open();
    await pieceButton("Drop kept.txt").click();
    await pieceButton("Put back kept.txt").click();
    await pieceButton("Drop gone.txt").click();
    await pieceButton("Put back gone.txt").waitFor();
    await pieceButton("Pin kept.txt").click();
    await list("Pinned").getByText("kept.txt").waitFor();
    assert.deepEqual(await seriousFindings(panel), []);
    await page().press("Escape");
    await ask("What do you know?", "I know the marmalade.");
    assert.deepEqual([holds("marmalade"), holds("cucumber"), holds("taken this output out")], [true, false, true]);

    panel = await window.reload();
    await open();
    await list("Pinned").getByText("kept.txt").waitFor();
    assert.equal(await pieceButton("Put back gone.txt").count(), 0, "a request was sent without it");
    window.plays([{ text: "This is the summary." }]);
    await press(panel, "Compact now");
    await panel.getByRole("log").getByText("Conversation compacted").waitFor();
    await ask("And now?", "Still the marmalade.");
    const { raw = "" } = window.requests.at(-1) ?? {};
    assert.match(raw, /Pinned by the user: the output of read[^"]*the kept marmalade/);
    assert.doesNotMatch(raw, /cucumber/);
  });

  it("C8 keep only what is pinned, undone as a whole until the next request; the rules file opens from its row", async () => {
    const rules = path.join(window.folder, "AGENTS.md");
    await writeFile(rules, "Say little.\n");
    try {
      panel = await window.newSession();
      window.plays([{ call: { name: "read", input: { file_path: "kept.txt" } } }], [{ text: "It is read." }]);
      await say(panel, "Read the kept file.");
      await said(panel, "It is read.");
      await ask("Think of a radish.", "I think of a radish.");
      await open();
      await pieceButton("Pin kept.txt").click();
      await list("Pinned").getByText("kept.txt").waitFor();
      await press(panel, "Keep only what is pinned");
      await pieceButton("Put all back").click();
      await pieceButton("Drop “I think of a radish.”").waitFor();
      await press(panel, "Keep only what is pinned");
      await pieceButton("Put all back").waitFor();
      assert.deepEqual(await seriousFindings(panel), []);
      await page().press("Escape");
      await ask("What is left?", "The marmalade.");
      assert.deepEqual(
        [holds("marmalade"), holds("I think of a radish"), holds("Read the kept file")],
        [true, false, false],
      );
      await open();
      await page().getByRole("button", { name: "Rules: AGENTS.md" }).click();
      await window.page.getByRole("tab", { name: /^AGENTS\.md/ }).waitFor();
    } finally {
      // VS Code reports an editor whose file is gone.
      await window.command("View: Close All Editors");
      await window.page.getByRole("tab", { name: /^AGENTS\.md/ }).waitFor({ state: "detached" });
      await rm(rules, { force: true });
    }
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
