/** Commands after "/": of Rondo, of the workspace, and skills. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { enter, message, said } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("slash commands", () => {
  let window: Window;
  let panel: Frame;
  beforeEach(async () => {
    window = await sharedWindow();
    panel = await window.panel();
  });
  after(async () => {
    const own = ["commands", "skills"].map((name) => path.join(window.folder, ".rondo", name));
    await Promise.all(own.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const list = () => panel.getByRole("listbox", { name: "Commands" });
  const type = (text: string) => message(panel).pressSequentially(text);

  async function put(file: string, text: string): Promise<void> {
    const place = path.join(window.folder, ".rondo", file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  }

  it("M1 a file becomes a command with arguments; the model gets its text, the conversation shows what was typed", async () => {
    await put(
      "commands/release-notes.md",
      "---\ndescription: Writes the entry of a release.\nargument-hint: <version> [date]\n---\nWrite the entry for $1, of $2. `!`touch ran``\n",
    );
    window.plays([{ text: "The entry is written." }]);
    await type("/release");
    await list()
      .getByRole("option", { name: /release-notes/, selected: true })
      .waitFor();
    await enter(panel);
    await type("4.2 'the first of May'");
    await enter(panel);
    await said(panel, "The entry is written.");
    const raw = window.requests.at(-1)?.raw ?? "";
    assert.match(raw, /\/release-notes 4\.2 'the first of May'/);
    assert.match(
      raw,
      /from \.rondo\/commands\/release-notes\.md\. It says:\\n\\nWrite the entry for 4\.2, of the first of May\./,
    );
    const shown = await panel.getByRole("article", { name: "You" }).last().innerText();
    assert.equal(shown.trim(), "/release-notes 4.2 'the first of May'");
    await assert.rejects(window.read("ran"));
  });

  it("M1 the model is told of a skill, and reads it with the tool of files", async () => {
    await put("skills/money/SKILL.md", "---\ndescription: How amounts are rounded here.\n---\nRound half to even.\n");
    panel = await window.newSession();
    window.plays(
      [{ call: { name: "read", input: { file_path: ".rondo/skills/money/SKILL.md" } } }],
      [{ text: "Amounts are rounded half to even." }],
    );
    await type("How do we round?");
    await enter(panel);
    await said(panel, "Amounts are rounded half to even.");
    assert.match(
      window.requests[0]?.raw ?? "",
      /- money \(\.rondo\/skills\/money\/SKILL\.md\): How amounts are rounded here\./,
    );
    assert.doesNotMatch(window.requests[0]?.raw ?? "", /Round half to even/);
    assert.match(window.requests.at(-1)?.raw ?? "", /Round half to even/);
  });

  it("commands of the panel act and send nothing", async () => {
    const before = window.requests.length;
    await type("/context");
    await enter(panel);
    await panel.getByRole("region", { name: "Context" }).waitFor();
    await panel.getByRole("button", { name: "Back to the conversation" }).click();
    await type("/mode");
    await enter(panel);
    await panel.getByRole("menu", { name: "Mode" }).waitFor();
    await panel.page().keyboard.press("Escape");
    assert.equal(window.requests.length, before);
  });
});
