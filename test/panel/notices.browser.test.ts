/** No dead end: each error and each limit has one button that solves it. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ConnectCheck } from "../../src/chat/connect.ts";
import type { NoticeFix } from "../../src/chat/host-notice.ts";
import { type ErrorCode, errorCodes, type ModelRef } from "../../src/chat/message.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import { there } from "./connect-states.ts";
import { limited } from "./end-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const haiku = { providerID: "anthropic", modelID: "claude-haiku-4-5" };
const goOn = { type: "prompt", text: "Go on.", attachments: [], agents: [], when: "next-step" };
const again = { type: "try-again" };

/** What the first button of an end sends, or the name of what it opens or gives the focus to. */
type Effect = object[] | string;

const chooses: [string[], Effect] = [["Choose a model", "Try again"], "Choose a model"];
const busyServer: [string[], Effect] = [["Try again", "Go on with qwen3-coder:30b", "Show log"], [again]];

/** Buttons of each code, and what the first one does. A code without a row is a type error. */
const ways: Record<Exclude<ErrorCode, "aborted">, [buttons: string[], first: Effect]> = {
  "no-key": [["Set key", "Switch model", "Try again"], "API key"],
  auth: [["Set key", "Switch model", "Try again"], "API key"],
  quota: [
    ["Add credit", "Switch model", "Try again"],
    [{ type: "open-provider-page", providerID: "anthropic", page: "credit" }],
  ],
  "unknown-model": [
    ["Use claude-haiku-4-5", "Choose a model", "Try again"],
    [{ type: "set-model", ...haiku }, again],
  ],
  "no-access": chooses,
  flagged: chooses,
  refusal: chooses,
  "images-refused": chooses,
  "empty-reply": [["Try again", "Switch model"], [again]],
  network: busyServer,
  overloaded: busyServer,
  "rate-limit": busyServer,
  server: busyServer,
  "thoughts-refused": [["Try again", "Show log"], [again]],
  invalid: [["Try again", "Switch model", "Show log"], [again]],
  "context-full": [["New session", "Switch model", "Try again"], [{ type: "new-session" }]],
  "compaction-off": [["Compact and go on", "New session", "Switch model"], [{ type: "compact", goOn: true }]],
  compaction: [["Compact now", "New session", "Show log"], [{ type: "compact", goOn: false }]],
  paused: [["Continue"], [goOn]],
  "max-tokens": [["Continue"], [goOn]],
  hook: [["Continue", "Show log"], [goOn]],
  "execution-timeout": [["Try again", "Change the limit"], [again]],
  "price-unknown": [["Switch model", "Try again"], "Choose a model"],
  "doom-loop": [["Say what to do"], "Message"],
  "agent-not-found": [["Choose an agent", "Try again"], "Mode"],
  "agent-invalid": [["Choose an agent", "Try again"], "Mode"],
  "prompt-invalid": [["Say what to do"], "Message"],
  "session-terminated": [["New session"], [{ type: "new-session" }]],
  "session-locked": [["Try again", "New session"], [again]],
  "queue-full": [["Try again"], [again]],
  record: [["Try again", "New session", "Show log"], [again]],
  bug: [["Try again", "Show log"], [again]],
  other: [["Try again", "Show log"], [again]],
};

/** The message was for a model whose name was nearly that of one. */
function troubled(code: ErrorCode, state = f.panelState(), model: ModelRef = { ...haiku, modelID: "claude-haku-4-5" }) {
  const error = { code, message: "It failed.", next: "What to do." };
  return f.snapshot(f.chat("T", [f.asked, f.rondo([], { error, model })]), state);
}

const words = async (buttons: Locator) => (await buttons.allInnerTexts()).map((text) => text.trim());

/** Presses the first button, and checks that it does what it says. */
async function pressFirst(panel: PanelPage, notice: Locator, first: Effect, what: string): Promise<void> {
  const before = (await panel.sent()).length;
  await notice.getByRole("button").first().click();
  if (typeof first === "string") await panel.page.getByLabel(first, { exact: true }).first().waitFor();
  else assert.deepEqual((await panel.sent()).slice(before), first, what);
  if (first === "Message") assert.equal(await focused(panel), first);
}

describe("the end of a turn before the model is done", () => {
  it("has one button that solves it, for each code of an error", async () => {
    const panel = await panelWith();
    await panel.resize({ width: 320, height: 700 });
    const alert = panel.page.getByRole("alert");
    for (const code of errorCodes) {
      if (code === "aborted") continue;
      const [buttons, first] = ways[code];
      await panel.post(troubled(code));
      assert.deepEqual(await words(alert.getByRole("button")), buttons, code);
      assert.deepEqual(await words(alert.locator(".primary")), [buttons[0]], code);
      assert.ok(!(await alert.evaluate((box) => box.scrollWidth > box.clientWidth)), `${code} is cut at 320 px`);
      await pressFirst(panel, alert, first, code);
      await panel.page.keyboard.press("Escape");
    }
  });

  it("leads on from limits, which are no failure, also after a reload", async () => {
    const panel = await panelWith();
    const ends: [Parameters<typeof limited>[0], string[]][] = [
      ["turn-limit", ["Continue", "Change the limit"]],
      ["budget", ["Raise budget", "Switch model"]],
    ];
    for (const [by, buttons] of ends) {
      await panel.post(limited(by));
      const notice = panel.page.getByRole("group", { name: /limit of replies|budget is used up/ });
      assert.deepEqual(await words(notice.getByRole("button")), buttons, by);
      await pressFirst(panel, notice, [again], by);
    }
    for (const by of ["time-limit", "error"] as const) {
      await panel.post(limited(by));
      const alert = panel.page.getByRole("alert").filter({ hasText: "The turn was stopped after 1 hour" });
      await pressFirst(panel, alert, [again], by);
    }
    assert.equal(await panel.page.getByText("VS Code was closed").count(), 0);
  });

  it("needs nothing where the user has ended it", async () => {
    const panel = await panelWith(troubled("aborted"));
    assert.equal(await panel.page.getByRole("alert").count(), 0);
  });

  it("chooses a model where no name is near", async () => {
    const panel = await panelWith(troubled("unknown-model", f.panelState(), { ...haiku, modelID: "nobody" }));
    const alert = panel.page.getByRole("alert");
    assert.deepEqual(await words(alert.getByRole("button")), ["Choose a model", "Try again"]);
  });

  it("sets another limit of replies in place", async () => {
    const panel = await panelWith(limited("turn-limit"));
    await button(panel, "Change the limit").press("Enter");
    const form = panel.page.getByRole("form", { name: "Limit of replies" });
    await form.getByRole("radio", { name: "200", checked: true }).waitFor();
    await panel.page.keyboard.press("ArrowRight");
    await panel.page.keyboard.press("ArrowRight");
    await form.getByRole("radio", { name: "No limit", checked: true }).waitFor();
    await button(panel, "Set and go on").click();
    assert.deepEqual(await panel.sentOf("set-reply-limit"), [{ type: "set-reply-limit", replies: 0 }]);
  });

  it("changes the address of a server of the user's own in place, and tries again with it", async () => {
    const account = { providerID: "ollama", name: "Ollama", takesKey: false, hasCreditPage: false, isOwnServer: true };
    const panel = await panelWith(troubled("network", f.panelState({ account })));
    await button(panel, "Change the address").click();
    const form = panel.page.getByRole("group", { name: "Address of Ollama" });
    assert.equal(await focused(panel), "Address");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent?.trim()), "Change the address");
    await panel.page.keyboard.press("Enter");
    await form.getByRole("textbox", { name: "Address" }).fill("localhost:1");
    await form.getByRole("button", { name: "Check" }).click();
    assert.equal((await panel.sentOf("check-server"))[0]?.address, "localhost:1");
    await panel.post({ type: "connected", label: "Qwen" });
    assert.equal((await panel.sentOf("try-again")).length, 1);
    assert.deepEqual(await panel.sentOf("prompt"), []);
  });

  it("takes a key in place, and tries again with it", async () => {
    const panel = await panelWith(troubled("auth"));
    await button(panel, "Set key").click();
    assert.equal(await panel.page.getByRole("alert").count(), 0);
    assert.deepEqual(await panel.sentOf("open-key-form"), [{ type: "open-key-form", providerID: "anthropic" }]);
    assert.equal(await focused(panel), "API key");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent?.trim()), "Set key");
    await button(panel, "Set key").click();
    const provider = { id: "anthropic", name: "Anthropic", hasKeyPage: true };
    const check = { type: "accepted", models: [], isNewKey: true } satisfies ConnectCheck;
    await panel.post({ type: "connect", view: { provider, masked: "", check } });
    await button(panel, "Try again").click();
    assert.equal((await panel.sentOf("try-again")).length, 1);
    await panel.page.getByRole("alert").waitFor();
  });

  it("sends nobody to a page for keys or credit that does not exist", async () => {
    const local = { providerID: "ollama", name: "Ollama", takesKey: false, hasCreditPage: false, isOwnServer: true };
    const panel = await panelWith();
    for (const account of [undefined, local]) {
      for (const code of ["auth", "quota"] as const) {
        await panel.post(troubled(code, f.panelState({ account })));
        const buttons = panel.page.getByRole("alert").getByRole("button");
        assert.deepEqual(await words(buttons), ["Switch model", "Try again"]);
      }
    }
  });

  it("has one primary button in view where a turn was cut and no model is connected", async () => {
    const state = f.panelState({ readiness: { type: "no-key", ...there() }, model: undefined, models: [] });
    const cut = f.rondo(f.work, { finish: "interrupted" });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, cut]), state));
    const primary = panel.page.locator(".Log .primary");
    assert.equal(await primary.getAttribute("aria-keyshortcuts"), "Control+Enter Meta+Enter");
    assert.match(await primary.innerText(), /^Continue\s+(Ctrl\+|⌘)↩$/);
    await message(panel).fill("Go on");
    await message(panel).press("Enter");
    const offer = panel.page.getByRole("region", { name: "Connect a model" });
    await offer.waitFor();
    assert.ok((await primary.count()) <= 1);
    assert.ok(!/primary/.test((await button(panel, "Continue").getAttribute("class")) ?? ""));
  });

  it("offers to connect a model where a session has messages and a new one cannot be sent", async () => {
    const state = f.panelState({ readiness: { type: "no-key", ...there() }, model: undefined, models: [] });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)]), state));
    assert.equal(await panel.page.getByRole("region", { name: "Connect a model" }).count(), 0);
    await message(panel).fill("Go on");
    await message(panel).press("Enter");
    const offer = panel.page.getByRole("region", { name: "Connect a model" });
    await offer.getByText("Your message waits").waitFor();
    await offer.getByRole("button", { name: /^Use an API key/ }).waitFor();
    assert.deepEqual(await panel.sentOf("prompt"), []);
    await panel.post({ type: "state", state: f.panelState() }, { type: "connected", label: "Claude Sonnet 5" });
    assert.equal((await panel.sentOf("prompt"))[0]?.text, "Go on");
    assert.equal(await offer.count(), 0);
  });
});

describe("what could not be done", () => {
  const fixes: Record<NoticeFix, [button: string | undefined, Effect]> = {
    none: [undefined, []],
    connect: ["Connect a model", "Choose a model"],
    "choose-model": ["Choose a model", "Choose a model"],
    trust: ["Trust this workspace", [{ type: "run-fix", fix: "trust" }]],
    "new-session": ["New session", [{ type: "new-session" }]],
    "show-log": ["Show log", [{ type: "run-fix", fix: "show-log" }]],
    "open-record": ["Open record", [{ type: "run-fix", fix: "open-record" }]],
    "raise-budget": ["Raise budget", [{ type: "run-fix", fix: "raise-budget" }]],
  };

  it("has the button that helps, and goes away", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    const alert = panel.page.getByRole("alert");
    for (const [fix, [name, effect]] of Object.entries(fixes) as [NoticeFix, (typeof fixes)[NoticeFix]][]) {
      await panel.post({ type: "notice", message: "It was not done.", next: "", fix });
      assert.deepEqual(await words(alert.getByRole("button")), [...(name ? [name] : []), "Dismiss"]);
      await pressFirst(panel, alert, effect, fix);
      assert.equal(await alert.count(), 0, fix);
      await panel.page.keyboard.press("Escape");
    }
  });

  it("opens the way to a model where none is connected", async () => {
    const state = f.panelState({ readiness: { type: "no-key", ...there() }, model: undefined, models: [] });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)]), state));
    await panel.post({ type: "notice", message: "No model is connected.", next: "", fix: "connect" });
    await panel.page.getByRole("alert").getByRole("button", { name: "Connect a model" }).click();
    await panel.page.getByRole("region", { name: "Connect a model" }).waitFor();
  });
});
