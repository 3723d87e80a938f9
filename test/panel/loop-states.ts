/** Loop states beyond asking, calling and answering: waits, compaction, budgets, subagents. */
import type { Page } from "playwright-core";
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { newChat } from "../../src/chat/apply.ts";
import type { ContextUse } from "../../src/chat/context-views.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

const busy = { type: "busy", since: f.now - 64_000 } as const;
const title = "Rename total() to orderValue()";
const asked = f.you("Rename total() to orderValue() everywhere, and tell me which callers round on their own.");
const tokens = (input: number, output: number) => ({ input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 });

export const agents: PanelState["agents"] = [
  { name: "build", description: "Does the work: reads, edits, runs.", mode: "primary" },
  { name: "reviewer", description: "Reads changes and finds mistakes in them; changes nothing.", mode: "all" },
  { name: "explore", description: "Finds things out: searches and reads, changes nothing.", mode: "subagent" },
  { name: "general", description: "Does a piece of work by itself.", mode: "subagent" },
];

/** A call of `task` with its chat. */
function task(agent: string, description: string, id: string, done: boolean): f.LoosePart {
  const input = { description, prompt: `Please ${description}.`, subagent_type: agent };
  const metadata = { childID: id };
  const start = f.now - 52_000;
  if (!done) return f.tool("task", { status: "running", input, title: description, metadata, start });
  const output = "Two of nine callers round on their own: receipt.ts and refunds.ts.";
  return f.tool("task", {
    status: "completed",
    input,
    output,
    title: description,
    metadata,
    start,
    end: f.now - 14_000,
  });
}

export function child(id: string, messages: Entry[], change: Partial<Chat> = {}): Chat {
  const session = { id, createdAt: f.now, title: "", cwd: "/home/dev/tinyshop", parentID: "ses_1" };
  return { ...newChat(session), messages, ...change };
}

const step = (parts: f.LoosePart[]) =>
  f.rondo(parts, { agent: "explore", tokens: tokens(9200, 310), cost: 0.03, completedAt: f.now });
const reading = f.tool("read", {
  status: "running",
  input: { file_path: "/home/dev/tinyshop/src/admin/refunds.ts" },
  start: f.now - 800,
});
const deepest = child("ses_4", [
  f.you("Count the roundings of src/money.ts."),
  step([f.readDone("src/money.ts", 41), f.said("Three places round.")]),
]);
const deeper = child(
  "ses_3",
  [
    f.you("Look at the tests of src/cart.ts."),
    step([task("general", "count roundings", "ses_4", true), f.said("All of them are in `money.ts`.")]),
  ],
  { children: { ses_4: deepest } },
);
export const explorer = child(
  "ses_2",
  [
    f.you("Find every caller of total() in this repository and say for each whether it rounds on its own."),
    step([f.thought("Search first.", 2), f.done("grep", { pattern: "total(" }, { fact: "11 in 6 files" }, "", 100)]),
    step([
      f.readDone("src/cart.ts", 64),
      f.readDone("src/receipt.ts", 90),
      task("explore", "check the tests", "ses_3", true),
    ]),
    f.rondo([f.said("Nine callers so far. Next, the admin pages."), reading], { agent: "explore" }),
  ],
  { children: { ses_3: deeper }, status: busy },
);
const finished = child("ses_5", [f.you("Find the tests that cover rounding."), step([f.said("Four tests.")])]);

const withHelpers = f.snapshot(
  f.chat(
    title,
    [
      asked,
      f.rondo([
        f.thought("Two things at once.", 11),
        task("explore", "tests that cover rounding", "ses_5", true),
        task("explore", "every caller of total()", "ses_2", false),
      ]),
    ],
    { status: busy, children: { ses_2: explorer, ses_5: finished } },
  ),
  f.panelState({ agents }),
);

const summary = `## What was asked

Move all prices to **integer cents**, then free shipping over €50.

## Where it stands

- \`total()\` rounds once, at the end; its tests pass.
- \`shipping.ts\` is new and half done: bulky items are missing.

## Next

1. Finish \`shipping.ts\`.
2. Show how much is missing until free shipping.`;
const compaction = (auto: boolean, reply: Entry[]) => [
  f.you("Move all prices to integer cents."),
  f.rondo([...f.work, f.said("Done: all prices are integer cents.")], { tokens: tokens(94_800, 1300) }),
  f.unsaid({ type: "compaction", auto }, { type: "text", text: "Open files: src/cart.ts", synthetic: true }),
  ...reply,
];
const summarised = (auto: boolean) =>
  compaction(auto, [f.rondo([f.said(summary)], { summary: true, tokens: tokens(90_000, 7100), completedAt: f.now })]);
const going = f.unsaid({ type: "text", text: "Go on with the next step.", synthetic: true });

export const use: ContextUse = {
  window: 200_000,
  limit: 170_000,
  reported: 47_120,
  parts: [
    { name: "system", tokens: 3_180 },
    {
      ...{ name: "rules", tokens: 1_030, detail: "AGENTS.md" },
      place: { type: "file", path: "/home/ada/shop/AGENTS.md" },
    },
    { name: "memory", tokens: 420, place: { type: "file", path: "/home/ada/shop/.rondo/MEMORY.md" } },
    { name: "tools", tokens: 6_410, count: 22 },
    { name: "tools", tokens: 14_800, count: 38, detail: "github", place: { type: "servers" } },
    { name: "messages", tokens: 9_620 },
    { name: "outputs", tokens: 13_170 },
  ],
  pieces: [],
  pieceCount: 0,
  waiting: { count: 0, tokens: 0 },
  loose: { count: 0, tokens: 0 },
  dropCost: undefined,
  cache: undefined,
  locked: false,
};

const found = f.sessions().flatMap((session, at) => {
  const match = ["… the sum is rounded once, so the cents of each line stay exact …", undefined][at];
  return match === undefined ? [] : [{ ...session, match }];
});
const list = (act: (page: Page) => Promise<void>): State => ({
  messages: [
    f.snapshot(f.chat(title, [f.asked])),
    { type: "show-sessions" },
    { type: "sessions", query: "", sessions: f.sessions() },
  ],
  act,
});

/** Steps of a turn that reaches a budget, with what they cost. */
export const dearSteps = [f.work, [f.editDone("src/cart.ts")], [f.editDone("src/receipt.ts")]].map((parts, at) => {
  const patch = { type: "patch", hash: "", files: at === 0 ? [] : ["src/cart.ts", `src/${at}.ts`] } as const;
  const completedAt = f.now + at * 20_000;
  return f.rondo([{ type: "step-start" }, ...parts, patch], { cost: 0.21, tokens: tokens(31_000, 900), completedAt });
});

const repeatedCall = f.tool(
  "bash",
  { status: "pending", input: { command: "npm test -- cart" }, raw: "" },
  "call_asks",
);

export const loopStates: Record<string, State> = {
  subagents: { messages: [withHelpers] },
  "subagent-open": {
    messages: [withHelpers],
    act: async (page) => {
      await page.getByRole("button", { name: "Show the conversation" }).click();
      await page.locator("summary", { hasText: "check the tests" }).click();
      await page.locator("summary", { hasText: "count roundings" }).click();
    },
  },
  compacted: {
    messages: [
      f.snapshot(
        f.chat("Free shipping over €50", [
          ...summarised(true),
          going,
          f.rondo([f.readDone("src/shipping.ts", 44), f.said("Free shipping applies over €50.")]),
          f.you("Also show how much is missing."),
          f.rondo([
            { type: "text", text: "Hook “lint”: 2 files were formatted.", ignored: true },
            f.editDone("src/cart.ts"),
          ]),
        ]),
      ),
    ],
    act: (page) => page.locator("summary", { hasText: "Conversation compacted" }).click(),
  },
  compacting: {
    messages: [f.snapshot(f.chat("Free shipping over €50", compaction(false, []), { status: busy }))],
  },
  context: {
    messages: [f.snapshot(f.chat(title, summarised(true)), f.panelState({ contextUsed: 0.24 }))],
    act: async (page) => {
      await page.getByRole("button", { name: /^Context: 24 %/ }).click();
      await page.evaluate((use) => window.postMessage({ type: "context", use, seq: 2 }, "*"), use);
      await page.getByText("49 k of 200 k").waitFor();
    },
  },
  queue: {
    messages: [
      f.snapshot(
        f.chat(title, [asked, f.rondo(f.work)], {
          status: busy,
          queue: [
            f.waiting("q1", "Use the term “order value”, not “cart total”."),
            f.waiting("q2", "Then update the README, and the changelog too, and say in both why the name has changed."),
            f.waiting("q3", "Last, run all tests.", "after-turn"),
          ],
        }),
      ),
    ],
    act: async (page) => {
      const rows = page.getByRole("list", { name: "Queue" }).getByRole("listitem");
      await rows.nth(0).hover();
      await rows.nth(0).getByRole("button", { name: "Edit" }).click();
      await rows.nth(1).hover();
    },
  },
  "send-menu": {
    messages: [
      f.snapshot(f.chat(title, [asked, f.rondo(f.work)], { status: busy }), f.panelState(), "Then run all tests."),
    ],
    act: (page) => page.getByRole("button", { name: "When to send" }).click(),
  },
  "broken-off": {
    messages: [f.snapshot(f.chat(title, [asked, f.rondo(f.work, { finish: "interrupted" })]))],
  },
  stall: {
    messages: [f.snapshot(f.chat(title, [asked, f.rondo(f.work)], { status: busy, silentSince: f.now - 64_000 }))],
  },
  budget: {
    messages: [
      f.snapshot(
        f.chat(title, [asked, ...dearSteps], { status: busy, requests: [f.budgetRequest] }),
        f.panelState({ contextUsed: 0.64, cost: { session: 2.01, today: 3.4, partial: true, estimated: false } }),
      ),
    ],
  },
  "budget-tokens": {
    messages: [
      f.snapshot(
        f.chat(title, [asked, ...dearSteps], { status: busy, requests: [f.tokenBudgetRequest] }),
        f.panelState({ contextUsed: 0.64, cost: { session: 2.01, today: 3.4, partial: true, estimated: true } }),
      ),
    ],
  },
  "budget-price": {
    messages: [
      f.snapshot(f.chat(title, [asked], { status: busy, requests: [f.priceRequest] }), f.panelState({ model: f.qwen })),
    ],
  },
  plan: {
    messages: [
      f.snapshot(
        f.chat(title, [asked, f.rondo([f.said("1. Give `Item` a field `cents`.\n2. Round once, in `total()`.")])], {
          requests: [f.planRequest],
        }),
        f.panelState({ mode: "plan" }),
      ),
    ],
  },
  "loop-hint": {
    messages: [
      f.snapshot(
        f.chat(title, [asked, f.rondo([f.testFailed, f.testFailed, repeatedCall])], {
          status: busy,
          requests: [f.loopRequest],
        }),
      ),
    ],
    act: (page) => page.getByRole("textbox", { name: "Say what Rondo misses" }).fill("The fixture is wrong."),
  },
  "doom-loop": {
    messages: [
      f.snapshot(
        f.chat(title, [asked, f.rondo([f.testFailed, f.testFailed, repeatedCall])], {
          status: busy,
          requests: [f.loopRequest],
        }),
      ),
    ],
  },
  "menu-agent": {
    messages: [f.snapshot(f.chat(title, [asked, f.rondo(f.work)]), f.panelState({ agents }))],
    act: (page) => page.getByRole("button", { name: /^Mode: / }).click(),
  },
  "sessions-found": {
    messages: [
      f.snapshot(f.chat(title, [f.asked])),
      { type: "show-sessions" },
      { type: "sessions", query: "cents", sessions: [...found, ...f.sessions().slice(4, 5)] },
    ],
    act: (page) => page.getByRole("searchbox").fill("cents"),
  },
  "sessions-rename": list(async (page) => {
    await page.getByText("Why is checkout slow").hover();
    await page.getByRole("button", { name: "Rename Why is checkout slow on Safari?" }).click();
  }),
  "sessions-export": list(async (page) => {
    await page.getByText("Why is checkout slow").hover();
    await page.getByRole("button", { name: "Export Why is checkout slow on Safari?" }).click();
  }),
};
