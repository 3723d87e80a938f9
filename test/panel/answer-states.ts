/** States of the panel with the tools of an answer. */
import type { Page } from "playwright-core";
import type { Entry } from "../../src/chat/apply.ts";
import type { AssistantMessage, Tokens } from "../../src/chat/message.ts";
import type { RestoreFile } from "../../src/chat/review-views.ts";
import * as f from "./fixtures.ts";

const tokens = (change: Partial<Tokens>): Tokens => ({
  ...{ input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  ...change,
});

/** A reply that took from one second of the turn to another. */
function reply(from: number, to: number, parts: f.LoosePart[], change: Partial<AssistantMessage>): Entry {
  const times = { createdAt: f.now + from * 1000, completedAt: f.now + to * 1000 };
  return f.rondo(parts, { ...times, finish: "stop", ...change });
}

/** A call that ran from one second of the turn to another. */
function call(name: string, input: Record<string, string>, from: number, to: number, fact: string): f.LoosePart {
  const span = { start: f.now + from * 1000, end: f.now + to * 1000 };
  const output = `${input["file_path"] ?? "src/cart.ts:31"}\n`;
  return f.tool(name, { status: "completed", input, output, title: name, metadata: { fact }, ...span });
}

const read = (path: string, lines: number) =>
  call("read", { file_path: `${f.cwd}/${path}` }, 2.2, 2.4, `${lines} lines`);

/** Two replies of $0.03 in 12 s, of which the tools took 3.4 s. */
export const answered = [
  reply(
    0,
    2.1,
    [
      f.said("I look at the test and at what it tests."),
      read("src/cart.ts", 64),
      read("src/money.ts", 41),
      read("src/discount.ts", 38),
      read("test/cart.test.ts", 169),
      call("grep", { pattern: "round(" }, 2.4, 2.6, "7 in 3 files"),
      call("grep", { pattern: "total(" }, 2.4, 5.6, "9 in 3 files"),
    ],
    { finish: "tool-calls", tokens: tokens({ input: 2000, output: 400, cacheWrite: 9000 }), cost: 0.02 },
  ),
  reply(
    5.6,
    12,
    [
      f.said(
        "The test is right. Each line is rounded before the sum, in `src/discount.ts:41`. I round once now, in `total()` at src/cart.ts:31-33. `old/totals.ts:12` is gone.",
      ),
    ],
    { tokens: tokens({ input: 1000, output: 800, cacheRead: 36_000 }), cost: 0.011 },
  ),
];

const question = f.you("Fix the rounding in cart totals. Leave the test as it is.");
export const answeredChat = () =>
  f.chat("Fix the rounding in cart totals", [
    f.you("Why does the cart test fail?"),
    reply(-60, -58, [f.said("The sum is one cent too high.")], { tokens: tokens({ output: 90 }), cost: 0.002 }),
    question,
    ...answered,
  ]);

/** What has changed since the question: two files by Rondo, and one by the user, too. */
const changedSince = [
  { path: "src/cart.ts", effect: "change", added: 3, removed: 6, edited: false, problem: "" },
  { path: "src/discount.ts", effect: "change", added: 2, removed: 1, edited: false, problem: "" },
  { path: "README.md", effect: "change", added: 1, removed: 0, edited: "user", problem: "" },
] satisfies RestoreFile[];
export const preview = (files: RestoreFile[] = changedSince) =>
  ({ type: "restore-preview", messageID: question.info.id, at: f.now, files }) as const;

/** Opens the question, which the host then answers. */
async function askAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Answer again…" }).last().click();
  await page.evaluate(async (message) => {
    window.postMessage({ ...message, seq: 2 }, "*");
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, preview());
  await page.getByText("3 files have changed since your message.").waitFor();
}

const openCost = (page: Page) =>
  page
    .getByRole("button", { name: /time and cost/ })
    .last()
    .click();

/** One that the answer names, with its files. */
const knownSymbol = {
  type: "found-symbols" as const,
  files: ["src/discount.ts", "src/cart.ts", "old/totals.ts"],
  names: ["total()"],
  found: [{ name: "total()", count: 1, path: "src/cart.ts", line: 31 }],
};

export const answerStates = {
  "answer-tools": {
    messages: [f.snapshot(answeredChat()), knownSymbol],
    act: async (page: Page) => {
      await page.getByRole("link", { name: "total()" }).waitFor();
      await page.getByText("The sum is one cent too high.").hover();
    },
  },
  "answer-again": { messages: [f.snapshot(answeredChat())], act: askAgain },
  "answer-cost": { messages: [f.snapshot(answeredChat())], act: openCost },
};
