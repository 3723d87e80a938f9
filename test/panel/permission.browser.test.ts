/** Cards of questions: changes, questions of the model, repeated calls, plans. */
import assert from "node:assert/strict";
import { boxes, button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { asked, busy, card, field, guard } from "./question-card.ts";
import { questionRequest } from "./trust-states.ts";

const preview = (panel: PanelPage) => card(panel).getByRole("region", { name: "Preview" });

describe("changes to several files", () => {
  it("are shown by file", async () => {
    const diffs = ["a.ts", "b.ts"].map((path) => ({
      path,
      added: 1,
      removed: 0,
      patch: `@@ -0,0 +1 @@\n+${path} new`,
    }));
    const panel = await asked(
      f.request({ tool: "apply_patch", title: "Edit 2 files?", preview: { type: "diffs", diffs } }),
    );
    assert.equal(await preview(panel).getByRole("group", { name: "Changed lines" }).count(), 2);
    await button(panel, "Open in editor").click();
    assert.equal((await panel.sentOf("open-diff")).length, 1);
  });
});

describe("questions from the model", () => {
  const one = (panel: PanelPage, name: string) => panel.page.getByRole("radiogroup", { name });
  const several = (panel: PanelPage, name: string) => panel.page.getByRole("group", { name });

  it("are answered one after the other, by keyboard alone", async () => {
    const panel = await asked(questionRequest);
    assert.equal(await focused(panel), "alertdialog");
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("2");
    assert.ok(
      await one(panel, "Which way should prices be rounded?").getByRole("radio", { name: "Half to even" }).isChecked(),
    );
    await panel.page.keyboard.press("Enter");
    await several(panel, "Where is it to be done?").waitFor();
    for (const key of ["1", "2", "1"]) await panel.page.keyboard.press(key);
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("answer"), [
      {
        type: "answer",
        requestID: "per_5",
        answer: { kind: "choices", type: "chosen", choices: [["Half to even"], ["Invoice"]] },
      },
    ]);
  });

  it("T15 say how far one is, which answer Rondo would take, and choose nothing beforehand", async () => {
    const panel = await asked(questionRequest);
    assert.ok(await card(panel).getByRole("img", { name: "Question 1 of 2" }).isVisible());
    const first = one(panel, "Which way should prices be rounded?");
    const half = first.getByRole("radio", { name: "Half up", exact: true });
    assert.ok(!(await half.isChecked()));
    assert.equal(await card(panel).getByText("Rondo would take this").count(), 1);
    assert.equal(await button(panel, "Next").getAttribute("aria-disabled"), "true");
    const rows = first.locator("label");
    for (let at = 0; at < 3; at++) assert.ok((await boxes(panel, rows.nth(at)))[0].height >= 28);
    // The whole row is the target.
    await rows.nth(0).click({ position: { x: 4, y: 4 } });
    assert.ok(await half.isChecked());
  });

  it("accept other text: instead of a choice, or in addition to several", async () => {
    const panel = await asked(questionRequest);
    const first = one(panel, "Which way should prices be rounded?");
    const other = panel.page.getByRole("textbox", { name: "Something else" });
    await first.getByRole("radio", { name: "Half up" }).check();
    await other.fill("As the tax office says");
    assert.ok(!(await first.getByRole("radio", { name: "Half up" }).isChecked()));
    await other.press("Enter");
    assert.equal(await other.inputValue(), "", "each question has its own");
    await panel.page.getByRole("checkbox", { name: "Cart" }).check();
    await other.fill("Receipts");
    await button(panel, "Back").click();
    assert.equal(await other.inputValue(), "As the tax office says");
    await button(panel, "Next").click();
    await button(panel, "Answer").click();
    assert.deepEqual((await panel.sentOf("answer")).at(-1)?.answer, {
      kind: "choices",
      type: "chosen",
      choices: [["As the tax office says"], ["Cart", "Receipts"]],
    });
  });

  it("are left to Rondo by a button and by Escape, without a field to deny all of them", async () => {
    const panel = await asked(questionRequest);
    assert.equal(await field(panel).count(), 0);
    assert.equal(await message(panel).count(), 0);
    const other = panel.page.getByRole("textbox", { name: "Something else" });
    await button(panel, "Let Rondo decide").click();
    await other.press("Escape");
    const skip = { kind: "choices", type: "skip", words: "" };
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [skip, skip],
    );
    assert.equal((await panel.sentOf("stop")).length, 0);
  });

  it("return the focus once they are answered", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    await message(panel).focus();
    await panel.post(events({ type: "asked", request: questionRequest }));
    assert.equal(await focused(panel), "alertdialog");
    await panel.page.keyboard.press("1");
    await panel.post(events({ type: "answered", requestID: "per_5" }));
    assert.equal(await focused(panel), "Message");
  });
});

describe("a repeated call", () => {
  const hint = (panel: PanelPage) => panel.page.getByRole("textbox", { name: "Say what Rondo misses" });

  it("continues always or once, or stops", async () => {
    const panel = await asked(f.loopRequest);
    assert.equal(await panel.page.getByRole("alertdialog", { name: "The model repeats itself. Continue?" }).count(), 1);
    assert.match(await preview(panel).innerText(), /npm test -- cart/);
    for (const name of ["Continue", "Always continue", "Stop"]) {
      await card(panel).getByRole("button", { name, exact: true }).click();
    }
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { kind: "loop", type: "continue" },
        { kind: "loop", type: "always", rules: f.loopRequest.always },
        { kind: "loop", type: "stop" },
      ],
    );
  });

  it("shows the last three of the equal calls, and the field has the focus: Continue is not primary", async () => {
    const again = f.tool("bash", { status: "pending", input: { command: "npm test -- cart" }, raw: "" }, "call_asks");
    const messages = [f.asked, f.rondo([f.testFailed, f.testFailed, f.testFailed, again])];
    const panel = await panelWith(f.snapshot(f.chat("T", messages, { status: busy, requests: [f.loopRequest] })));
    const calls = await card(panel).getByRole("listitem").allInnerTexts();
    assert.equal(calls.length, 3);
    for (const call of calls) assert.match(call, /Run npm test -- cart\s+(now|.* ago)$/);
    assert.match(calls.at(-1) ?? "", /now$/);
    assert.equal(await focused(panel), "Say what Rondo misses");
    assert.equal(await card(panel).locator(".Button.primary").count(), 0);
  });

  it("accepts a hint by button, Enter and the card's keys, and typed text never continues it", async () => {
    const panel = await asked(f.loopRequest);
    await hint(panel).press("Enter");
    await hint(panel).fill("The fixture is wrong.");
    await button(panel, "Send hint").click();
    for (const key of ["Enter", "Control+Enter"]) await hint(panel).press(key);
    const answers = (await panel.sentOf("answer")).map(({ answer }) => answer);
    const expected = { kind: "loop", type: "hint", words: "The fixture is wrong." };
    assert.deepEqual(answers, [expected, expected, expected]);
  });
});

describe("a plan", () => {
  const mode = (panel: PanelPage, name: string) => card(panel).getByRole("radio", { name });
  async function planned(): Promise<PanelPage> {
    const chat = f.chat("T", [f.asked, f.rondo([f.said("1. Round once.")])], { requests: [f.planRequest] });
    const panel = await panelWith(f.snapshot(chat, f.panelState({ mode: "plan" })));
    await panel.page.waitForTimeout(guard);
    return panel;
  }

  it("is built in the user's earlier mode, or another one", async () => {
    const panel = await planned();
    assert.match(await panel.page.getByRole("status").innerText(), /Waiting for you/);
    assert.ok(await mode(panel, "Accept edits").isChecked());
    await button(panel, "Start building").click();
    await mode(panel, "Ask first").check();
    await button(panel, "Start building").click();
    const fresh = card(panel).getByRole("checkbox", { name: /With a fresh context/ });
    assert.ok(!(await fresh.isChecked()));
    await fresh.check();
    await button(panel, "Start building").click();
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { kind: "plan", type: "build", mode: "acceptEdits" },
        { kind: "plan", type: "build", mode: "default" },
        { kind: "plan", type: "build", mode: "default", fresh: true },
      ],
    );
  });

  it("leaves the focus to the composer for comments; Keep planning leads there", async () => {
    const panel = await planned();
    assert.notEqual(await focused(panel), "alertdialog");
    await button(panel, "Keep planning").focus();
    await button(panel, "Keep planning").click();
    assert.equal(await focused(panel), "Message");
    await message(panel).fill("Half up, please.");
    await message(panel).press("Control+Enter");
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [{ kind: "plan", type: "keep" }],
    );
    assert.equal((await panel.sentOf("prompt"))[0]?.text, "Half up, please.");
  });
});
