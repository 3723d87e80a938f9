/** Loop features beyond asking, calling and answering, as shown and controlled in the panel. */
import assert from "node:assert/strict";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { Part } from "../../src/chat/message.ts";
import { button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { agents, child, dearSteps, explorer, use } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
/** In ms: longer than a card ignores clicks. */
const guard = 450;
const status = (panel: PanelPage) => panel.page.getByRole("status").first();

describe("waiting states", () => {
  it("H1 counts down to the next attempt, which can be started or cancelled", async () => {
    const waits = {
      type: "retry",
      attempt: 1,
      message: "Anthropic is overloaded",
      nextAt: Date.now() + 30_000,
    } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: { ...waits, since: Date.now() } })));
    const notice = panel.page.getByRole("group", { name: "Anthropic is overloaded" });
    const shown = /Try 2 in (\d+) s/.exec(await notice.innerText())?.[1];
    // Opening the page takes a while.
    assert.ok(Number(shown) > 1 && Number(shown) <= 30, shown);
    await notice.getByText(`Try 2 in ${Number(shown) - 1} s`).waitFor();
    await button(panel, "Try now").click();
    await button(panel, "Go on with qwen3-coder:30b").click();
    await button(panel, "Stop").click();
    const sent = (await panel.sent()).slice(1);
    const [, other] = sent;
    assert.ok(other?.type === "set-model" && other.modelID === "qwen3-coder:30b");
    assert.deepEqual(sent, [{ type: "retry-now" }, other, { type: "retry-now" }, { type: "stop" }]);
    await panel.post(events({ type: "status", status: busy }));
    assert.equal(await notice.count(), 0);
  });

  it("R3 says that a turn was cut, with the to-dos that are done, and continues by click or key", async () => {
    const todos = ["completed", "completed", "in_progress", "pending"].map((status, at) => ({
      content: `T${at}`,
      status,
    }));
    const list = f.tool("todo_write", {
      status: "completed",
      input: { todos },
      output: "",
      title: "To-dos",
      metadata: {},
      start: 0,
      end: 1,
    });
    const cut = f.rondo([list, f.said("Half a")], { finish: "interrupted" });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, cut])));
    const name = "VS Code was closed while Rondo worked. 2 of 4 to-dos are done.";
    const notice = panel.page.getByRole("group", { name });
    await notice.getByRole("button", { name: "Continue" }).click();
    await message(panel).fill("words");
    await message(panel).press("Control+Enter");
    await message(panel).fill("");
    await message(panel).press("Control+Enter");
    const sent = (await panel.sent()).map((one) => (one as { type: string }).type);
    assert.equal(sent.filter((type) => type === "continue-turn").length, 2, "words are sent as a message");
    assert.equal(await panel.page.getByRole("alert").count(), 0, "it is no error");
  });

  it("H6 reports and counts silence, and removes the notice afterwards", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    const start = Date.now();
    // A busy page may leave out a second of its own clock.
    const setClock = (ms: number) =>
      panel.page.evaluate((at) => {
        Date.now = () => at;
      }, start + ms);
    await setClock(0);
    await panel.post(events({ type: "silence", since: start - 64_000 }));
    assert.match((await status(panel).textContent()) ?? "", /Not responding for 1 min [45] s/);
    await setClock(2_000);
    await status(panel)
      .getByText(/for 1 min 6 s/)
      .waitFor();
    assert.ok(await panel.page.getByRole("group", { name: /^Nothing from Anthropic for/ }).isVisible());
    assert.equal(await button(panel, "Stop").count(), 1);
    await button(panel, "Try again now").click();
    assert.equal((await panel.sentOf("retry-now")).length, 1);
    await button(panel, "Keep waiting").click();
    await panel.page.getByRole("group", { name: /^Nothing from/ }).waitFor({ state: "detached" });
    await panel.post(events({ type: "silence", since: start - 61_000 }));
    await button(panel, "Keep waiting").waitFor();
    await panel.post(events({ type: "silence", since: null }));
    assert.match((await status(panel).textContent()) ?? "", /Thinking/);
    assert.equal(await panel.page.getByText("Nothing from").count(), 0);
  });

  it("B2 asks about a limit of tokens, and about a model whose price is not known, with the settings that help", async () => {
    for (const [request, words] of [
      [
        f.tokenBudgetRequest,
        ["This session has used 1,200,000 tokens", "The limit of a session is 1,000,000 tokens", "2 M tokens"],
      ],
      [
        f.priceRequest,
        ["The price of ollama/qwen3 is unknown", "$2.00 cannot be kept", "rondo.prices", "rondo.maxBudgetTokens"],
      ],
    ] as const) {
      const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, requests: [request] })));
      const text = (await panel.page.textContent("body")) ?? "";
      for (const one of words) assert.ok(text.includes(one), `${one} in ${text}`);
    }
  });

  it("B2 asks about the budget: what was done and spent, the limit, and how far Continue goes; there is no field for words", async () => {
    const since = f.now - 64_000;
    const chat = f.chat("T", [f.asked, ...dearSteps], { status: { type: "busy", since }, requests: [f.budgetRequest] });
    const panel = await panelWith(f.snapshot(chat));
    const card = panel.page.getByRole("alertdialog", { name: "This session has cost $2.01. Continue?", exact: true });
    assert.match(await card.innerText(), /The limit of a session is \$2\.00\./);
    assert.match(await card.innerText(), /3 steps in 1 min 44 s, 3 files changed\.\s+The last 3 steps cost \$0\.63\./);
    assert.equal(await card.getByText("This session has cost").count(), 1);
    assert.equal(await card.getByRole("textbox").count(), 0);
    assert.equal(await card.getByRole("button", { name: "Always allow" }).count(), 0);
    await panel.page.waitForTimeout(guard);
    const further = card.getByRole("radiogroup", { name: "Go on until" });
    assert.equal(await further.innerText(), "$3.00\n$4.00\n$12.00\nNo limit");
    assert.ok(await further.getByRole("radio", { name: "$4.00" }).isChecked());
    await card.getByRole("button", { name: "Continue" }).click();
    await further.getByRole("radio", { name: "$4.00" }).press("ArrowRight");
    await panel.page.keyboard.press("Control+Enter");
    await panel.page.keyboard.press("ArrowRight");
    await card.getByText("This session then has no limit.").waitFor();
    await card.getByRole("button", { name: "Continue" }).click();
    await card.getByRole("button", { name: "Finish this step" }).click();
    await card.getByRole("button", { name: "Stop" }).click();
    const proceed = { kind: "budget", type: "continue" } as const;
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { ...proceed, limit: 4 },
        { ...proceed, limit: 12 },
        { ...proceed, limit: "none" },
        { kind: "budget", type: "finish" },
        { kind: "budget", type: "stop" },
      ],
    );
  });

  it("B2 offers to finish a step only where one has begun", async () => {
    for (const request of [f.budgetRequest, f.priceRequest]) {
      const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, requests: [request] })));
      await button(panel, "Continue").waitFor();
      assert.equal(await button(panel, "Finish this step").count(), 0);
    }
  });
});

describe("compaction", () => {
  const marker = f.unsaid({ type: "compaction", auto: false });
  const reply = f.rondo([f.saying("So **far**.")], { summary: true });

  it("C3 shows that it is running, becomes a line, and expands to the summary", async () => {
    const chat = f.chat("T", [f.you("a"), f.rondo([f.said("b")])], { status: busy });
    const panel = await panelWith(f.snapshot(chat));
    await panel.post(events({ type: "message", message: marker.info }, ...parts(marker.parts)));
    const log = panel.page.getByRole("log");
    await log.getByText("Compacting the conversation…").waitFor();
    assert.match((await status(panel).textContent()) ?? "", /Compacting ·/);
    await panel.post(events({ type: "message", message: reply.info }, ...parts(reply.parts)));
    assert.equal(await log.getByText("So far.").count(), 0, "it is not an answer");
    const whole = { ...reply.info, completedAt: Date.now() } as typeof reply.info;
    await panel.post(events({ type: "message", message: whole }, { type: "status", status: { type: "idle" } }));
    await log.locator("summary", { hasText: "Conversation compacted by you" }).click();
    assert.equal(await log.getByText("far", { exact: true }).evaluate(({ tagName }) => tagName), "STRONG");
    assert.equal(await log.getByRole("article", { name: "You" }).count(), 1);
  });

  it("C3 reports a failure", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you("a"), marker])));
    await panel.page.getByText("The conversation was not compacted").waitFor();
  });
});

const parts = (list: readonly Part[]): ChatEvent[] => list.map((part) => ({ type: "part", part }));

describe("the context meter", () => {
  it("opens by keyboard to tokens by category, compacts, and closes with Escape", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)])));
    const meter = button(panel, "Context: 18 % used, cost of this session $0.06");
    await meter.press("Enter");
    assert.deepEqual(await panel.sentOf("show-context"), [{ type: "show-context" }]);
    await panel.post({ type: "context", use });
    const region = panel.page.getByRole("region", { name: "Context" });
    assert.equal(await focused(panel), "Context");
    assert.match(await region.innerText(), /49 k of 200 k tokens\s+24\s% used\..*at 170 k \(85\s%\)/);
    const table = region.getByRole("table", { name: "Tokens by part" });
    assert.match(
      await table.getByRole("row", { name: /github/ }).innerText(),
      /Tools: github \(MCP\)\s.*38 tools\s+14,800\s+7\s%/,
    );
    assert.match(await table.getByRole("row", { name: /Memory/ }).innerText(), /420\s+<\s1\s%/);
    const numbers = await table.locator("td.num:nth-child(3)").allInnerTexts();
    const sum = numbers.reduce((all, text) => all + Number(text.replaceAll(",", "")), 0);
    assert.equal(sum, use.window, "it adds up to the window");
    await panel.page.keyboard.press("Escape");
    assert.equal(await region.count(), 0);
    assert.match((await focused(panel)) ?? "", /^Context: 18 %/);
    await meter.press("Enter");
    await panel.post({ type: "context", use });
    await button(panel, "Compact now").click();
    assert.equal((await panel.sentOf("compact")).length, 1);
    assert.ok(await panel.page.getByRole("log").isVisible());
  });

  it("is updated only after a step", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    await button(panel, /^Context: /).click();
    await panel.post({ type: "context", use }, { type: "state", state: f.panelState({ mode: "plan" }) });
    assert.equal((await panel.sentOf("show-context")).length, 1);
    await panel.post({ type: "state", state: f.panelState({ contextUsed: 0.3 }) });
    assert.equal((await panel.sentOf("show-context")).length, 2);
  });

  it("B1 tells what is known of the cost", async () => {
    const cost = { session: 0, today: 1.24, partial: true, estimated: false };
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked]), f.panelState({ cost })));
    const meter = button(panel, "Context: 18 % used, cost of this session unknown");
    assert.doesNotMatch(await meter.innerText(), /\$/);
    await meter.click();
    const facts = await panel.page.getByRole("region", { name: "Context" }).locator("dl").innerText();
    assert.match(facts, /This session\s+unknown\s+Today, all sessions\s+at least \$1\.24/);
  });
});

describe("the queue", () => {
  const queue = ["one", "two", "three"].map((text) => f.waiting(`q_${text}`, text));
  const waiting = () => panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue })));
  const rows = (panel: PanelPage) => panel.page.getByRole("list", { name: "Queue" }).getByRole("listitem");

  it("Q2 is edited in place", async () => {
    const panel = await waiting();
    await rows(panel).nth(1).hover();
    await rows(panel).nth(1).getByRole("button", { name: "Edit" }).click();
    const field = panel.page.getByRole("textbox", { name: "Waiting message 2" });
    assert.equal(await field.inputValue(), "two");
    await field.fill("two, but better");
    await field.press("Enter");
    assert.deepEqual(await panel.sentOf("edit-queued"), [
      { type: "edit-queued", queuedID: "q_two", text: "two, but better" },
    ]);
    assert.equal(await focused(panel), "Message");
    await message(panel).press("ArrowUp");
    const last = panel.page.getByRole("textbox", { name: "Waiting message 3" });
    await last.fill("something else");
    await last.press("Escape");
    assert.equal((await panel.sentOf("edit-queued")).length, 1);
    assert.deepEqual(await panel.sentOf("stop"), [], "Escape left the field only");
  });

  it("Q2 is reordered by buttons and keys, and keeps the focus", async () => {
    const panel = await waiting();
    assert.ok(await rows(panel).nth(0).getByRole("button", { name: "Move up" }).isDisabled());
    await rows(panel).nth(2).getByRole("button", { name: "Move up" }).focus();
    await panel.page.keyboard.press("Enter");
    const [one, two, three] = queue;
    assert.ok(one && two && three);
    await panel.post(events({ type: "queued", queue: [one, three, two] }));
    assert.equal(await focused(panel), "Move up");
    await panel.page.keyboard.press("Alt+ArrowUp");
    await panel.post(events({ type: "queued", queue: [three, one, two] }));
    assert.equal(await focused(panel), "Move down", "there is no way further up");
    await panel.page.keyboard.press("Alt+ArrowUp");
    await panel.page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await panel.sentOf("move-queued"), [
      { type: "move-queued", queuedID: "q_three", to: 1 },
      { type: "move-queued", queuedID: "q_three", to: 0 },
      { type: "move-queued", queuedID: "q_three", to: 1 },
    ]);
  });

  it("Q2 returns a message until it is sent, and loses no text if it was sent meanwhile", async () => {
    const panel = await waiting();
    await rows(panel).nth(0).hover();
    await rows(panel).nth(0).getByRole("button", { name: "Withdraw" }).click();
    assert.deepEqual(await panel.sentOf("withdraw"), [{ type: "withdraw", queuedID: "q_one" }]);
    await rows(panel).nth(1).getByRole("button", { name: "Edit" }).click();
    await panel.page.getByRole("textbox", { name: "Waiting message 2" }).fill("two, half writ");
    await panel.post(events({ type: "queued", queue: [] }));
    assert.equal(await message(panel).inputValue(), "two, half writ");
  });
});

describe("agents", () => {
  const several = f.panelState({ agents });

  it("P4 are chosen in a menu when there are several", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), several));
    await button(panel, "Mode: Ask first").click();
    await panel.page.getByRole("menuitemradio", { name: /^reviewer/ }).click();
    assert.deepEqual(await panel.sentOf("set-agent"), [{ type: "set-agent", name: "reviewer" }]);
    const alone = await panelWith(f.snapshot(f.chat("T", [])));
    await button(alone, "Mode: Ask first").click();
    assert.equal(await alone.page.getByRole("menuitemradio").count(), 4, "the modes alone");
    const other = await panelWith(f.snapshot(f.chat("T", []), f.panelState({ agents, agent: "reviewer" })));
    assert.ok(await button(other, "Mode: Ask first, agent reviewer").isVisible());
  });

  it("S1 are mentioned: suggested while the name is typed, sent with the prompt", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), several));
    const list = panel.page.getByRole("listbox", { name: "Mentions" });
    await message(panel).pressSequentially("Let @");
    const named = list.getByRole("group", { name: "Agents" }).getByRole("option");
    assert.equal(await named.count(), 3, "build cannot be mentioned");
    await message(panel).pressSequentially("g");
    const active = await message(panel).getAttribute("aria-activedescendant");
    assert.match(await panel.page.locator(`[id="${active}"]`).innerText(), /^general/);
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), "Let @general ");
    await message(panel).pressSequentially("count, not @nobody, and @ex");
    await message(panel).press("Escape");
    assert.equal(await list.count(), 0);
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("prompt"), [
      {
        type: "prompt",
        text: "Let @general count, not @nobody, and @ex",
        attachments: [],
        agents: ["general"],
        when: "next-step",
      },
    ]);
  });
});

describe("a subagent", () => {
  const input = { description: "every caller of total()", prompt: "Find them.", subagent_type: "explore" };
  const call = f.tool("task", { status: "running", input, metadata: { childID: "ses_2" }, start: Date.now() });
  const chat = (children = {}) => f.chat("T", [f.asked, f.rondo([call])], { status: busy, children });
  const group = (panel: PanelPage, name: string) => panel.page.getByRole("group", { name, exact: true });

  it("S1 shows its agent, task and newest calls live", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    const card = group(panel, "explore every caller of total()");
    const calls = card.getByRole("list", { name: "Newest calls" });
    assert.match(await card.locator("summary").innerText(), /3 steps/);
    assert.match(await calls.innerText(), /Reading src\/admin\/refunds\.ts/);
    const { id, sessionID } = explorer.messages.at(-1)?.info ?? { id: "", sessionID: "" };
    const [grep] = f.rondo([f.done("grep", { pattern: "refund(" }, { fact: "2 in 1 file" }, "")]).parts;
    assert.ok(grep);
    const part = { ...grep, messageID: id, sessionID };
    await panel.post(events({ type: "child", sessionID: "ses_2", event: { type: "part", part } }));
    assert.match(await calls.innerText(), /Searched refund\(\s+done\.\s+2 in 1 file/);
    assert.equal(await calls.getByRole("listitem").count(), 3);
  });

  it("S1 expands to its whole conversation, and that to nested subagents", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    await button(panel, "Show the conversation").click();
    const log = panel.page.getByRole("log");
    await log
      .getByRole("article", { name: "Task" })
      .getByText(/Find every caller/)
      .waitFor();
    await log
      .getByRole("article", { name: "explore" })
      .getByText(/Nine callers so far/)
      .waitFor();
    await panel.page.locator("summary", { hasText: "check the tests" }).click();
    await panel.page.locator("summary", { hasText: "count roundings" }).click();
    await log.getByText("Three places round.").waitFor();
    assert.equal(await log.getByRole("article", { name: "You" }).count(), 1);
    const { id = "" } = explorer.messages.at(-1)?.parts[0] ?? {};
    const { id: messageID = "" } = explorer.messages.at(-1)?.info ?? {};
    const delta = { type: "delta", messageID, partID: id, text: " Then the rest." } as const;
    await panel.post(events({ type: "child", sessionID: "ses_2", event: delta }));
    await log.getByText("Next, the admin pages. Then the rest.").waitFor();
    assert.deepEqual(await panel.sentOf("open-child"), []);
  });

  it("S1 stays open for a reader, and otherwise collapses when it is done", async () => {
    const [part] = f.rondo([call]).parts;
    assert.ok(part?.type === "tool");
    const message = f.rondo([]);
    const state = { status: "completed", input, output: "Nine.", title: "t", metadata: { childID: "ses_2" } } as const;
    const done = { ...part, messageID: message.info.id, state: { ...state, start: 0, end: 1 } };
    const entry = { ...message, parts: [{ ...part, messageID: message.info.id }] };
    for (const reads of [true, false]) {
      const chat = f.chat("T", [f.asked, entry], { status: busy, children: { ses_2: explorer } });
      const panel = await panelWith(f.snapshot(chat));
      if (reads) await button(panel, "Show the conversation").click();
      await panel.post(events({ type: "part", part: done }));
      assert.equal(await panel.page.getByRole("article", { name: "explore" }).count(), reads ? 1 : 0);
      assert.equal(await panel.page.locator(".Subagent[open]").count(), reads ? 1 : 0);
    }
  });

  it("S1 requests a conversation that is missing or incomplete", async () => {
    const panel = await panelWith(f.snapshot(chat()));
    assert.deepEqual(await panel.sentOf("open-child"), [{ type: "open-child", sessionID: "ses_2" }]);
    await panel.post(events({ type: "child", sessionID: "ses_2", event: { type: "status", status: busy } }));
    await panel.post({ type: "child", chat: child("ses_2", explorer.messages) });
    await group(panel, "explore every caller of total()").getByText("Reading").waitFor();
    assert.equal((await panel.sentOf("open-child")).length, 1);
  });

  it("S1 asks on behalf of its session, and its line says so", async () => {
    const panel = await panelWith(f.snapshot(chat({ ses_2: explorer })));
    await panel.post(events({ type: "asked", request: f.request({ sessionID: "ses_2" }) }));
    const card = panel.page.getByRole("alertdialog", { name: "Run this command?" });
    assert.match(await card.innerText(), /The subagent build asks\./);
    assert.match(
      (await group(panel, "explore every caller of total()").locator("summary").textContent()) ?? "",
      /waiting for you/,
    );
    assert.match(await status(panel).innerText(), /Waiting for you/);
  });
});

describe("a user message", () => {
  it("can be edited again or forked", async () => {
    const mine = f.you("Move amounts to cents.");
    const panel = await panelWith(f.snapshot(f.chat("T", [mine, f.rondo([f.said("Done.")])])));
    await message(panel).press("ArrowUp");
    assert.equal(await message(panel).inputValue(), "Move amounts to cents.");
    assert.deepEqual(await panel.sentOf("prompt"), []);
    await panel.page.getByRole("article", { name: "You" }).hover();
    await button(panel, "Edit from here").click();
    assert.deepEqual(await panel.sentOf("fork"), [{ type: "fork", messageID: mine.info.id }]);
  });

  it("shows a hook's message about it as a notice", async () => {
    const notice: f.LoosePart = { type: "text", text: "Hook: the ticket is SHOP-12.", ignored: true };
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you("Fix it.", notice)])));
    assert.equal((await panel.page.getByRole("article", { name: "You" }).innerText()).trim(), "Fix it.");
    assert.ok(await panel.page.getByText("Hook: the ticket is SHOP-12.").isVisible());
  });
});
