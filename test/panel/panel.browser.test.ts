/** The panel in a real browser, with elements found by role and name, like assistive technology does. */
import assert from "node:assert/strict";
import { boxes, button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { anthropic, listing, ollama } from "./model-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
/** In ms: longer than the card ignores clicks. */
const guard = 450;

describe("the panel", () => {
  it("requests a snapshot, and again when a message is missing", async () => {
    const panel = await panelWith(f.snapshot(f.chat("One", [])));
    assert.deepEqual(await panel.sent(), [{ type: "ready" }]);
    panel.skip();
    await panel.post({ type: "notice", message: "lost", next: "", fix: "none" });
    assert.equal((await panel.sentOf("ready")).length, 2);
    await panel.post(f.snapshot(f.chat("Two", [])));
    assert.ok(await panel.page.getByRole("heading", { name: "Two" }).isVisible());
  });

  it("shows the conversation under its accessible names", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)])));
    const region = panel.page.getByRole("region", { name: "Rondo" });
    const log = region.getByRole("log", { name: "Conversation" });
    assert.match(await log.getByRole("article", { name: "You" }).innerText(), /rounding test/);
    const card = log.getByRole("article", { name: "Rondo" }).getByRole("group", { name: "Ran npm test -- cart" });
    assert.match((await card.textContent()) ?? "", /done\. *exit code 1/);
    for (const name of ["New session", "Sessions", "Attach", "Send", "Mode: Ask first", "Model: Claude Sonnet 4.5"]) {
      assert.equal(await button(panel, name).count(), 1, name);
    }
  });

  it("sends with Enter, breaks the line with Shift+Enter, queues while running, stops with Escape", async () => {
    const chat = f.chat("T", []);
    const panel = await panelWith(f.snapshot(chat));
    await message(panel).fill("one");
    await message(panel).press("Shift+Enter");
    await message(panel).pressSequentially("two");
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("prompt"), [
      { type: "prompt", text: "one\ntwo", attachments: [], agents: [], when: "next-step" },
    ]);
    assert.equal(await message(panel).inputValue(), "");
    await panel.post(events({ type: "status", status: busy }));
    await message(panel).fill("three");
    await button(panel, "Send").click();
    assert.equal((await panel.sentOf("prompt")).length, 2);
    await message(panel).press("Escape");
    await button(panel, "Stop").click();
    assert.equal((await panel.sentOf("stop")).length, 2);
  });

  it("keeps the draft in the page's state, with the host, and over a reload", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [])));
    await message(panel).fill("half a thought");
    await panel.page.waitForFunction(() => window.sent.some((sent) => sent.type === "draft"));
    await panel.page.reload();
    await panel.post(f.snapshot(f.chat("T", []), f.panelState(), "older"));
    assert.equal(await message(panel).inputValue(), "half a thought");
    const other = await panelWith(f.snapshot(f.chat("T", []), f.panelState(), "kept by the host"));
    assert.equal(await message(other).inputValue(), "kept by the host");
  });

  it("follows the end, stops when scrolled up, and returns by Newest", async () => {
    const reply = f.rondo([f.saying(f.answer.repeat(4))]);
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    const log = panel.page.getByRole("log");
    const below = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    const part = reply.parts[0];
    assert.ok(part);
    const grow = events({ type: "delta", messageID: part.messageID, partID: part.id, text: f.answer });
    await panel.post(grow);
    assert.ok((await below()) < 2);
    await panel.scrollUp(400);
    await button(panel, "Newest").waitFor();
    const top = await log.evaluate((element) => element.scrollTop);
    await panel.post(grow);
    assert.equal(await log.evaluate((element) => element.scrollTop), top);
    await button(panel, "Newest").click();
    await panel.post(grow);
    assert.ok((await below()) < 2);
  });

  it("expands a line in place, by mouse and keyboard", async () => {
    const panel = await panelWith(
      f.snapshot(f.chat("T", [f.asked, f.rondo(f.work), f.you("x"), f.rondo([f.said(f.answer)])])),
    );
    const line = panel.page.locator("summary", { hasText: "Ran npm test" });
    await line.scrollIntoViewIfNeeded();
    const [before] = await boxes(panel, line);
    await line.click();
    assert.ok(await panel.page.getByText("Tests 1 failed").isVisible());
    assert.equal((await boxes(panel, line))[0].y, before.y);
    await line.press("ArrowLeft");
    assert.ok(!(await panel.page.getByText("Tests 1 failed").isVisible()));
    await panel.page.getByRole("log").focus();
    await panel.page.keyboard.press("Home");
    assert.equal(await focused(panel), "You");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await panel.page.keyboard.press(key);
    await panel.page.getByText("So the place of the rounding").waitFor();
  });

  it("announces sentences, and the state only when it changes", async () => {
    const reply = f.rondo([f.saying("")]);
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    const part = reply.parts[0];
    assert.ok(part);
    const says = (text: string) => events({ type: "delta", messageID: part.messageID, partID: part.id, text });
    await panel.post(says("The sum is "), says("rounded once. And "));
    const live = panel.page.locator("[aria-live=polite]");
    await live.filter({ hasText: /^The sum is rounded once\.$/ }).waitFor({ state: "attached" });
    assert.equal(await panel.page.getByRole("log").getAttribute("aria-live"), "off");
    const counting = panel.page.getByRole("status").locator(".time");
    assert.equal(await counting.getAttribute("aria-hidden"), "true");
  });

  it("changes the time limit that a turn has reached in place, by keyboard alone", async () => {
    const error = { code: "execution-timeout", message: "The turn worked for 60 minutes", next: "" } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([], { error })])));
    const change = panel.page.getByRole("alert").getByRole("button", { name: "Change the limit" });
    await change.press("Enter");
    const form = panel.page.getByRole("form", { name: "Time limit" });
    await form.waitFor();
    await panel.page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent?.trim()), "Change the limit");
    await change.press("Enter");
    await form.waitFor();
    await panel.page.keyboard.press("ArrowRight");
    await form.getByRole("radio", { name: "4 hours", checked: true }).waitFor();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("set-time-limit"), [{ type: "set-time-limit", seconds: 14_400 }]);
    await change.press("Enter");
    await form.getByRole("spinbutton", { name: "Other time, in minutes" }).fill("90");
    await panel.page.keyboard.press("Enter");
    assert.equal((await panel.sentOf("set-time-limit")).at(-1)?.seconds, 5_400);
  });

  it("chooses mode and model in menus, by keyboard alone", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [])));
    await button(panel, /^Mode: /).focus();
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("3");
    await button(panel, /^Model: /).press("Enter");
    await panel.post(listing([anthropic, ollama]));
    await panel.page.keyboard.type("qwen");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual((await panel.sent()).slice(1), [
      { type: "set-mode", mode: "plan" },
      { type: "show-models" },
      { type: "set-model", providerID: "ollama", modelID: "qwen3-coder:30b" },
      { type: "hide-models" },
    ]);
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.getByRole("dialog").count(), 0);
    assert.equal(await focused(panel), "Model: Claude Sonnet 4.5");
  });

  it("V13 follows, ends following, and goes on where it pauses", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState()));
    const follow = button(panel, "Follow in the editor");
    assert.equal(await follow.getAttribute("aria-pressed"), "false");
    await follow.click();
    await panel.post({ type: "state", state: f.panelState({ follow: "on" }) });
    assert.equal(await follow.getAttribute("aria-pressed"), "true");
    await follow.click();
    await panel.post({ type: "state", state: f.panelState({ follow: "paused" }) });
    assert.match((await follow.getAttribute("title")) ?? "", /pauses/);
    await follow.click();
    assert.deepEqual(
      (await panel.sentOf("follow")).map(({ on }) => on),
      [true, false, true],
    );
  });

  it("reviews one file, and all files", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState({ review: f.review })));
    await button(panel, "Reject discount.ts").click();
    await button(panel, "Accept all").click();
    assert.deepEqual(await panel.sentOf("review"), [
      { type: "review", action: "reject", path: "/home/dev/tinyshop/src/discount.ts" },
      { type: "review", action: "accept" },
    ]);
  });
});

describe("a question", () => {
  const ask = (request = f.request()) => events({ type: "asked", request });
  const card = (panel: PanelPage) => panel.page.getByRole("alertdialog");

  it("takes the focus from an empty composer, is answered, and returns the focus", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    await message(panel).focus();
    await panel.post(ask());
    assert.equal(await focused(panel), "alertdialog");
    assert.equal(await panel.page.getByRole("alertdialog", { name: "Run this command?", exact: true }).count(), 1);
    assert.match(await card(panel).getByRole("region", { name: "Command" }).innerText(), /rm -rf coverage/);
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await panel.sentOf("answer"), [], "a press in the first 400 ms is not for the card");
    await panel.page.waitForTimeout(guard);
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await panel.sentOf("answer"), [
      { type: "answer", requestID: "per_1", answer: { kind: "permission", type: "once" } },
    ]);
    await panel.post(events({ type: "answered", requestID: "per_1" }));
    assert.equal(await focused(panel), "Message");
  });

  it("does not take the focus while the user types", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    await message(panel).pressSequentially("wait");
    await panel.post(ask());
    assert.equal(await focused(panel), "Tell Rondo what to do instead", "the same text box, as the question's field");
  });

  it("is denied by Escape, and with a reason by Enter", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })), ask(), ask(f.editRequest));
    assert.match(await panel.page.getByRole("status").innerText(), /Waiting for you · 1 of 2/);
    await panel.page.waitForTimeout(guard);
    await card(panel).press("Escape");
    await panel.post(events({ type: "answered", requestID: "per_1" }));
    const field = panel.page.getByRole("textbox", { name: "Tell Rondo what to do instead" });
    await field.fill("Keep the name.");
    await panel.page.waitForTimeout(guard);
    await field.press("Enter");
    await button(panel, /^Open in editor$/).click();
    assert.deepEqual((await panel.sent()).slice(1), [
      { type: "answer", requestID: "per_1", answer: { kind: "permission", type: "deny", words: "" } },
      { type: "answer", requestID: "per_2", answer: { kind: "permission", type: "deny", words: "Keep the name." } },
      { type: "open-diff", requestID: "per_2" },
    ]);
  });
});
