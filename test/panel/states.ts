/** Every state of the panel, as the messages that lead to it and the clicks after them. */
import type { Page } from "playwright-core";
import type { ErrorCode } from "../../src/chat/message.ts";
import type { StartFailure } from "../../src/chat/start-failure.ts";
import { answerStates } from "./answer-states.ts";
import { attachStates } from "./attach-states.ts";
import { commandStates } from "./command-states.ts";
import { commentStates } from "./comment-states.ts";
import { connectStates, there } from "./connect-states.ts";
import { consentStates } from "./consent-states.ts";
import { contentStates } from "./content-states.ts";
import { contextStates } from "./context-states.ts";
import { earlierStates } from "./earlier-states.ts";
import { endStates } from "./end-states.ts";
import { findStates } from "./find-states.ts";
import * as f from "./fixtures.ts";
import { png } from "./image-files.ts";
import { loopStates } from "./loop-states.ts";
import { mentionStates } from "./mention-states.ts";
import { modeStates } from "./mode-states.ts";
import { modelStates } from "./model-states.ts";
import type { PanelPage, Unnumbered } from "./page.ts";
import { previewStates } from "./preview-states.ts";
import { reviewStates } from "./review-states.ts";
import { traceStates } from "./trace-states.ts";
import { trustStates } from "./trust-states.ts";

export interface State {
  messages: Unnumbered[];
  act?: (page: Page, panel: Pick<PanelPage, "post" | "scrollUp">) => Promise<void>;
}

const title = "Fix the rounding in cart totals";
const busy = { type: "busy", since: f.now - 24_000 } as const;

const pendingEdit = f.tool("edit", {
  status: "pending",
  input: {},
  raw: '{"file_path":"/home/dev/tinyshop/src/discount.ts","old_string":"return round(line.cents * rate);","new_string":"// exact: total() rounds once, at the end\\nreturn line.cents * ra',
});
const running = f.tool("bash", {
  status: "running",
  input: { command: "npm test -- cart" },
  start: f.now - 4000,
  metadata: {
    live: "\n RUN  v2.1.4 tinyshop\n\n \u001b[32m✓\u001b[0m test/money.test.ts (9 tests) 12ms\n ✓ test/discount.test.ts (6 tests) 9ms\n ❯ test/cart.test.ts (14 tests)\n   ✓ total › rounds once, at the end",
    liveLines: 31,
  },
});
const failedEdit = f.tool("edit", {
  status: "error",
  input: { file_path: "/home/dev/tinyshop/src/discount.ts" },
  error: "The file changed after it was read, so nothing was written. Read it again.",
  start: 0,
  end: 40,
});
const asking = (name: string, input: Record<string, string>) =>
  f.tool(name, { status: "pending", input, raw: "" }, "call_asks");
const command = { command: "npm test -- cart && rm -rf coverage && git push" };
const attachments = [
  { mime: "text/plain", filename: "cart.ts", url: "file:///a/cart.ts", source: { start: 12, end: 18, text: "" } },
  { mime: "image/png", filename: "screenshot-of-the-cart.png", url: `data:image/png;base64,${png("", 56, 44).data}` },
];
const askedToRun = (change = {}) =>
  f.snapshot(
    f.chat(
      title,
      [f.asked, f.rondo([f.testFailed, f.said("Fixed. `total()` keeps exact cents."), asking("bash", command)])],
      { status: busy, requests: [f.request(), f.editRequest], ...change },
    ),
    f.panelState({ review: f.review }),
  );
const failed = (code: ErrorCode, message: string, next: string) =>
  f.snapshot(
    f.chat(
      "Test refunds of discounted orders",
      [f.asked, f.rondo([f.said("A refund uses the")], { error: { code, message, next } })],
      {
        ended: { type: "ended", reason: "error", durationMs: 3000, steps: 1 },
      },
    ),
  );

/** Two models with the same task on their page. */
function sideBySide(change: Parameters<typeof f.rivals>[0] = {}): Unnumbered[] {
  const worktree = { ...f.worktree, rival: "ses_rival" };
  return [
    f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]), f.panelState({ worktree })),
    { type: "show-rivals" },
    { type: "rivals", rivals: f.rivals(change) },
  ];
}

export const states: Record<string, State> = {
  ...answerStates,
  ...commentStates,
  ...connectStates,
  ...contentStates,
  ...contextStates,
  ...endStates,
  ...findStates,
  ...loopStates,
  ...previewStates,
  ...commandStates,
  ...mentionStates,
  ...earlierStates,
  ...attachStates,
  ...modeStates,
  ...modelStates,
  ...reviewStates,
  ...trustStates,
  ...consentStates,
  ...traceStates,
  "empty-tour": {
    messages: [
      f.snapshot(f.chat("", []), f.panelState({ readiness: { type: "tour" }, contextUsed: undefined, trusted: false })),
    ],
  },
  "empty-ready": {
    messages: [
      f.snapshot(
        f.chat("", []),
        f.panelState({
          recent: f.sessions().slice(1),
          attachments,
          contextUsed: 0.03,
          cost: { session: 0, today: 0, partial: true, estimated: false },
        }),
      ),
    ],
    act: (page) => page.getByRole("textbox", { name: "Message" }).focus(),
  },
  "empty-no-folder": {
    messages: [f.snapshot(f.chat("", []), f.panelState({ hasFolder: false }))],
  },
  streaming: {
    messages: [
      f.snapshot(
        f.chat(
          title,
          [
            f.asked,
            f.rondo(f.work),
            f.rondo([
              f.said(
                "`total()` rounds every line and adds the rounded lines. The test is right: round once, at the end.\n\n```ts src/cart.ts\nconst gross = items.reduce(\n  (sum, item) => sum + item.cents * item.quantity, 0);\nreturn Math.round(gross * (1 - discount));\n```",
              ),
              f.editDone("src/cart.ts"),
              pendingEdit,
            ]),
          ],
          { status: busy },
        ),
      ),
    ],
  },
  running: {
    messages: [
      f.snapshot(
        f.chat(
          title,
          [
            f.asked,
            f.rondo([
              ...f.work,
              f.editDone("src/cart.ts"),
              failedEdit,
              f.said("Running the cart tests to be sure."),
              running,
            ]),
          ],
          { status: busy, queue: [f.waiting("q1", "Then add a case with a 100 % discount.")] },
        ),
        f.panelState(),
        "And update the README.",
      ),
    ],
  },
  answering: {
    messages: [
      f.snapshot(
        f.chat(
          title,
          [f.asked, f.rondo([f.saying("Two helpers look at callers and tests. Meanwhile I rename the definition")])],
          {
            status: busy,
          },
        ),
      ),
    ],
  },
  "permission-command": {
    messages: [askedToRun()],
  },
  "permission-edit": {
    messages: [
      f.snapshot(
        f.chat(
          title,
          [f.asked, f.rondo([...f.work, asking("edit", { file_path: "/home/dev/tinyshop/src/cart.ts" })])],
          { status: busy, requests: [f.editRequest] },
        ),
      ),
    ],
    act: (page) =>
      page.getByRole("textbox", { name: "Tell Rondo what to do instead" }).fill("Keep the name sum, please."),
  },
  review: {
    messages: [
      f.snapshot(
        f.chat(
          title,
          [f.asked, f.rondo([...f.work, f.editDone("src/cart.ts"), f.editDone("src/discount.ts"), f.said(f.answer)])],
          {
            ended: { type: "ended", reason: "end_turn", durationMs: 72_000, steps: 9 },
          },
        ),
        f.panelState({ review: f.review }),
      ),
    ],
  },
  unfolded: {
    messages: [f.snapshot(f.chat(title, [f.asked, f.rondo([...f.work, f.editDone("src/cart.ts"), f.said("Done.")])]))],
    act: async (page) => {
      for (const name of ["Read cart.ts, money.ts", "Edited src/cart.ts", "Ran npm test -- cart", "Thought for 6 s"]) {
        await page.locator("summary", { hasText: name }).first().click();
      }
    },
  },
  "error-auth": {
    messages: [failed("auth", "Anthropic refused the API key: invalid x-api-key.", "Run “Rondo: Set API Key…”.")],
  },
  "error-quota": {
    messages: [
      failed(
        "quota",
        "The account at Moonshot AI has nothing left: Your account is suspended due to insufficient balance.",
        "Add credit there, or choose another model.",
      ),
    ],
  },
  "error-key-form": {
    messages: [failed("auth", "Anthropic refused the API key: invalid x-api-key.", "Run “Rondo: Set API Key…”.")],
    act: async (page) => page.getByRole("button", { name: "Set key" }).click(),
  },
  "error-overloaded": {
    messages: [failed("overloaded", "Anthropic is overloaded: Overloaded.", "Wait a little, or choose another model.")],
  },
  "error-no-access": {
    messages: [
      failed(
        "no-access",
        "OpenAI does not let this account use “gpt-6”: Your organization must be verified to use the model.",
        "Choose another model, or change what the account may use there.",
      ),
    ],
  },
  "error-no-model": {
    messages: [
      f.snapshot(f.chat("Test refunds", [f.asked, f.rondo(f.work)]), {
        ...f.panelState({ models: [], contextUsed: undefined }),
        ...{ model: undefined, readiness: { type: "no-key", ...there() } },
      }),
    ],
    act: async (page) => {
      await page.getByRole("textbox", { name: "Message" }).fill("Go on");
      await page.getByRole("textbox", { name: "Message" }).press("Enter");
    },
  },
  "server-cut": {
    messages: [
      f.snapshot(
        f.chat(title, [
          f.asked,
          f.rondo([
            ...f.work,
            {
              type: "text",
              text: "The server has left out part of the conversation without saying so: its window has only about 4,096 tokens. Set num_ctx of the model, or OLLAMA_CONTEXT_LENGTH of the server.",
              ignored: true,
            },
          ]),
        ]),
      ),
    ],
  },
  "error-network": {
    messages: [
      failed("network", "The server at http://localhost:11434 did not answer", "Start it, or set another address."),
    ],
  },
  retry: {
    messages: [
      f.snapshot(
        f.chat(
          "Test refunds of discounted orders",
          [f.asked, f.rondo([f.said("A refund uses the order value, so the test needs a stored")])],
          {
            status: {
              type: "retry",
              attempt: 1,
              message: "Anthropic is overloaded",
              nextAt: f.now + 12_000,
              since: f.now,
            },
          },
        ),
      ),
    ],
  },
  notice: {
    messages: [
      f.snapshot(f.chat(title, [f.asked])),
      {
        type: "notice",
        message: "The queue is full",
        next: "Ten messages are already queued. Withdraw one, or wait for the next step.",
        fix: "none",
      },
    ],
  },
  "start-failed": {
    messages: [],
    act: (page) =>
      page.evaluate((failure) => window.postMessage(failure, "*"), {
        type: "start-failure",
        message:
          "Rondo could not be started: Cannot find module '/home/dev/.vscode/extensions/rondo.rondo-0.4.0/dist/app.cjs'",
      } satisfies StartFailure),
  },
  long: {
    messages: [
      f.snapshot(
        f.chat(
          title,
          Array.from({ length: 40 }, (_, at) => [
            f.you(`Question ${at + 1}`),
            f.rondo([...f.work, f.said(f.answer)]),
          ]).flat(),
        ),
      ),
    ],
    act: async (page, panel) => {
      await panel.scrollUp(1500);
      // How far a wheel scrolls depends on the browser's moment.
      await page.getByText("Question 39", { exact: true }).evaluate((question) => question.scrollIntoView());
    },
  },
  sessions: {
    messages: [
      f.snapshot(f.chat(title, [f.asked])),
      { type: "show-sessions" },
      { type: "sessions", query: "", sessions: f.sessions() },
    ],
    act: (page) => page.getByText("Why is checkout slow").hover(),
  },
  tabs: {
    messages: [f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]), f.panelState({ tabs: f.tabs() }))],
  },
  "tabs-many": {
    messages: [
      f.snapshot(
        f.chat(title, [f.asked, f.rondo(f.work)]),
        f.panelState({ tabs: Array.from({ length: 4 }, (_, at) => f.tabs(at === 0 ? "" : `_${at}`)).flat() }),
      ),
    ],
  },
  worktree: {
    messages: [
      f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]), f.panelState({ worktree: f.worktree })),
      { type: "merge-preview", merge: f.merge() },
    ],
  },
  "worktree-bar": {
    messages: [f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]), f.panelState({ worktree: f.worktree }))],
  },
  "worktree-blocked": {
    messages: [
      f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]), f.panelState({ worktree: f.worktree })),
      {
        type: "merge-preview",
        merge: f.merge({
          conflicts: [],
          blocked: ["src/cart.ts"],
          rival: { branch: "rondo/gift-cards-2", title: "Add gift cards · Claude Haiku 4.5" },
        }),
      },
    ],
  },
  rivals: { messages: sideBySide() },
  "rivals-failed": {
    messages: sideBySide({ state: "error", doing: "The model is overloaded.", answer: "", files: [] }),
  },
  "rivals-running": {
    messages: sideBySide({ state: "running", doing: "npm test · 2 of 4 to-dos" }),
  },
  "start-worktree": {
    messages: [
      f.snapshot(f.chat("New session", []), f.panelState({ next: { worktree: true, second: "Claude Haiku 4.5" } })),
    ],
  },
  "sessions-worktree": {
    messages: [
      f.snapshot(f.chat(title, [f.asked])),
      { type: "show-sessions" },
      {
        type: "sessions",
        query: "",
        sessions: f.sessions().map((one, at) => ({ ...one, worktree: at === 0 || at === 2 ? f.worktree : undefined })),
      },
    ],
  },
  "menu-mode": {
    messages: [f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)]))],
    act: async (page) => {
      await page.getByRole("button", { name: /^Mode: / }).click();
      await page.keyboard.press("ArrowDown");
    },
  },
};
