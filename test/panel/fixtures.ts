/** Chats in the states of the panel. All times derive from one moment, so that screenshots do not change. */
import { type Chat, type Entry, newChat } from "../../src/chat/apply.ts";
import type { Starter } from "../../src/chat/connect.ts";
import type { Queued } from "../../src/chat/events.ts";
import type { AssistantMessage, CallMetadata, Part, ToolState } from "../../src/chat/message.ts";
import type { ModelChoice } from "../../src/chat/model-views.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";
import type { ReviewFile } from "../../src/chat/review-views.ts";
import type { MergeView, RivalView, SessionSummary, SessionTab, WorktreeView } from "../../src/chat/session-views.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { cartDiff, cwd, patch, sessionID } from "./fixture-values.ts";
import type { Unnumbered } from "./page.ts";

export { cwd, patch } from "./fixture-values.ts";
export * from "./request-fixtures.ts";

/** The present of all fixtures, in ms since 1970. That of the pictures is always the same. */
export const now = Date.parse(process.env["RONDO_FIXTURE_TIME"] ?? new Date().toISOString());
let ids = 0;
const nextID = (prefix: string) => `${prefix}_${String(++ids).padStart(6, "0")}`;

const sonnet: ModelChoice = {
  providerID: "anthropic",
  modelID: "claude-sonnet-4-5",
  label: "Claude Sonnet 4.5",
  group: "Anthropic",
  price: "$3 / $15",
  images: true,
};
const haiku: ModelChoice = { ...sonnet, modelID: "claude-haiku-4-5", label: "Claude Haiku 4.5", price: "$1 / $5" };
export const qwen: ModelChoice = {
  providerID: "openai",
  modelID: "qwen3-coder:30b",
  label: "qwen3-coder:30b",
  group: "localhost:11434",
  price: undefined,
  images: false,
  unknown: "window unknown, 32k assumed; price unknown",
};

const minute = 60_000;

export function sessions(): SessionSummary[] {
  const list: [string, number, number, SessionSummary["state"], number | undefined][] = [
    ["Fix the rounding in cart totals", 0, 19, "running", 0.09],
    ["Free shipping over €50", 61, 63, "asks", 0.41],
    ["Why is checkout slow on Safari?", 26 * 60, 22, "idle", 0.19],
    ["Test refunds of discounted orders", 27 * 60, 4, "error", undefined],
    ["Move amounts to cents", 4 * 24 * 60, 148, "idle", 1.37],
    ["A session whose title is much longer than any side bar is wide, so it has to be cut", 57_600, 6, "idle", 0],
  ];
  return list.map(([title, ago, messages, state, cost], at) => ({
    id: `ses_${at + 1}`,
    title,
    updatedAt: now - ago * minute,
    messages,
    state,
    tokens: messages * 2345,
    cost,
    doing: state === "running" ? "npm test · 2 of 4 to-dos" : state === "asks" ? "Run npm run clean" : "",
    toReview: { changes: 0, files: 0 },
    worktree: undefined,
    remedy: state === "error" ? ("try-again" as const) : ("none" as const),
    elsewhere: false,
    match: undefined,
  }));
}

/** Tabs of the session on screen and of others; `more` makes their ids unlike those of other calls. */
export function tabs(more = ""): SessionTab[] {
  return [
    { id: sessionID + more, title: "Fix the rounding in cart totals", state: "idle" },
    { id: `ses_asks${more}`, title: "Clean up the build", state: "asks" },
    { id: `ses_runs${more}`, title: "Move the totals to cents", state: "running" },
    { id: `ses_done${more}`, title: "Add gift cards", state: "done" },
  ];
}

export const worktree: WorktreeView = { branch: "rondo/gift-cards", target: "main", files: 11, behind: 2, rival: "" };

/** Two sessions with the same task, of which one has failed. */
export function rivals(change: Partial<RivalView> = {}): RivalView[] {
  const answer =
    "Gift cards are a new line type with a balance. `total()` takes them **after** the discount, so that a card never pays for what is free.\n\n- 6 tests, all pass\n- `docs/gift.md` says how a card is redeemed";
  const files = [
    { path: "src/gift.ts", added: 84, removed: 0 },
    { path: "src/cart.ts", added: 12, removed: 5 },
    { path: "docs/gift.md", added: 31, removed: 0 },
  ];
  return [
    {
      ...{ sessionID, model: "Claude Sonnet 5", branch: "rondo/gift-cards", state: "idle", doing: "" },
      ...{ answer, files, cost: 0.42 },
    },
    {
      ...{ sessionID: "ses_rival", model: "Claude Haiku 4.5", branch: "rondo/gift-cards-2", state: "done", doing: "" },
      answer: "Done. I have added `giftCard(code, balance)`; the total is reduced by the balance.",
      ...{ files: [{ path: "src/cart.ts", added: 23, removed: 2 }], cost: 0.05, ...change },
    },
  ];
}

/** A merge with a conflict. */
export function merge(change: Partial<MergeView> = {}): MergeView {
  return {
    ...{ sessionID, branch: "rondo/gift-cards", target: "main", ahead: 3, behind: 2 },
    clean: ["src/gift.ts", "src/gift.test.ts", "src/index.ts", "docs/gift.md", "package.json"],
    ...{ conflicts: ["src/cart.ts"], stay: ["README.md"], blocked: [], rival: undefined },
    ...change,
  };
}

export const starters: Starter[] = [
  {
    ...{ glyph: "error", name: "Fix 2 errors in cart.ts", sub: "'cart' is possibly undefined, and 1 more" },
    prompt: "Fix the 2 errors in src/cart.ts.",
  },
  {
    ...{ glyph: "beaker", name: "Run the tests and fix what fails", sub: "npm test, found in package.json" },
    prompt: "Run the tests and fix what fails (npm test).",
  },
  {
    ...{ glyph: "book", name: "Explain this project", sub: "What it does, how it is built, where to begin" },
    prompt: "Explain this project: what it does, how it is built, and where to begin.",
  },
];

export function panelState(change: Partial<PanelState> = {}): PanelState {
  return {
    readiness: { type: "ready" },
    mode: "default",
    modeEndsAt: undefined,
    buildMode: "default",
    bypassMinutes: 60,
    sandboxed: false,
    model: sonnet,
    models: [sonnet, haiku, qwen],
    account: { providerID: "anthropic", name: "Anthropic", takesKey: true, hasCreditPage: true, isOwnServer: false },
    trusted: true,
    hasFolder: true,
    virtualFolders: [],
    attachments: [],
    attaching: [],
    selection: undefined,
    review: [],
    reviewBy: {},
    follow: "off",
    comments: [],
    contextUsed: 0.18,
    cost: { session: 0.06, today: 1.24, partial: false, estimated: false },
    agents: [{ name: "build", description: "Does the work: reads, edits, runs.", mode: "primary" }],
    commands: [],
    asking: "",
    agent: "build",
    recent: [],
    worktree: undefined,
    next: { worktree: false, second: "" },
    tabs: [],
    starters,
    servers: [],
    restored: undefined,
    ...change,
  };
}

export function chat(title: string, messages: Entry[], change: Partial<Chat> = {}): Chat {
  const session = { id: sessionID, createdAt: now, title, cwd };
  return { ...newChat(session), messages, ...change };
}

/** A queued prompt. */
export function waiting(id: string, text: string, when: Queued["when"] = "next-step"): Queued {
  return { id, parts: [{ type: "text", text }], when };
}

export function snapshot(chat: Chat, state: PanelState = panelState(), draft = ""): Unnumbered {
  return { type: "snapshot", chat, missing: 0, state, draft };
}

type Loose<P> = P extends unknown ? Omit<P, "id" | "sessionID" | "messageID"> : never;
export type LoosePart = Loose<Part>;

function entry(info: Entry["info"], parts: LoosePart[]): Entry {
  // A question names its call by part id, which fixtures know before they make the part.
  const idOf = (part: LoosePart) => (part.type === "tool" && part.callID === "call_asks" ? "prt_asks" : nextID("prt"));
  return { info, parts: parts.map((part) => ({ ...part, id: idOf(part), sessionID, messageID: info.id })) };
}

export function you(text: string, ...more: LoosePart[]): Entry {
  return entry(userInfo(), [...more, { type: "text", text }]);
}

const model = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };
const userInfo = () => ({ id: nextID("msg"), sessionID, createdAt: now, role: "user", agent: "build", model }) as const;

/** A synthetic user message with the given parts. */
export function unsaid(...parts: LoosePart[]): Entry {
  return entry(userInfo(), parts);
}

export function rondo(parts: LoosePart[], change: Partial<AssistantMessage> = {}): Entry {
  return entry(
    {
      id: nextID("msg"),
      sessionID,
      createdAt: now,
      role: "assistant",
      parentID: "msg_0",
      agent: "build",
      model,
      path: { cwd, root: cwd },
      tokens: noTokens,
      ...change,
    },
    parts,
  );
}

export const said = (text: string): LoosePart => ({ type: "text", text, time: { start: 0, end: 1 } });
export const saying = (text: string): LoosePart => ({ type: "text", text, time: { start: 0 } });
export const thought = (text: string, seconds: number): LoosePart => ({
  type: "reasoning",
  text,
  time: { start: 0, end: seconds * 1000 },
});

export function tool(name: string, state: ToolState, callID = nextID("call")): LoosePart {
  return { type: "tool", tool: name, callID, state };
}

export function done(
  name: string,
  input: Record<string, string>,
  metadata: CallMetadata,
  output: string,
  ms = 200,
): LoosePart {
  return tool(name, { status: "completed", input, output, title: name, metadata, start: 0, end: ms });
}

export const readDone = (path: string, lines: number) =>
  done("read", { file_path: `${cwd}/${path}` }, { fact: `${lines} lines` }, "1\tfirst line\n2\tsecond line", 50);

/** Metadata of a patch to two files, one of which is moved. */
export const diffs = [
  { path: `${cwd}/src/cart.ts`, added: 3, removed: 6, patch },
  { path: "src/sum.ts → src/exact.ts", added: 1, removed: 0, patch: "@@ -0,0 +1 @@\n+export const exact = true;\n" },
];
export const editDone = (path: string) =>
  done("edit", { file_path: `${cwd}/${path}` }, { diff: { ...cartDiff, path: `${cwd}/${path}` } }, "Edited.", 100);

const testOutput = `
 FAIL  test/cart.test.ts › total › rounds once, at the end
 AssertionError: expected 906 to be 905

 - Expected   905
 + Received   906

 ❯ test/cart.test.ts:58:31
${Array.from({ length: 30 }, (_, at) => ` ✓ test/money.test.ts › case ${at + 1}`).join("\n")}
 Tests  1 failed | 13 passed (14)`;

export const testFailed = done(
  "bash",
  { command: "npm test -- cart" },
  { fact: "exit code 1", tone: "bad", exitCode: 1 },
  testOutput,
  3100,
);

const file = (filename: string, lines?: [number, number]): LoosePart => ({
  type: "file",
  mime: "text/plain",
  filename,
  url: `file://${cwd}/src/${filename}`,
  ...(lines && { source: { start: lines[0], end: lines[1], text: "" } }),
});

export const asked = you(
  "The rounding test in cart.test.ts fails since we moved to cents. Find out why and fix it. Please leave the test as it is.",
  file("cart.ts", [12, 18]),
  file("cart.test.ts"),
);

export const work: LoosePart[] = [
  thought("The test expects 905 and gets 906. So the place of the rounding is wrong, not the amount.", 6),
  readDone("src/cart.ts", 64),
  readDone("src/money.ts", 41),
  readDone("src/discount.ts", 38),
  readDone("test/cart.test.ts", 169),
  done("grep", { pattern: "round(" }, { fact: "7 in 3 files" }, "src/cart.ts:15\nsrc/money.ts:8", 100),
  testFailed,
];

export const changedFile = (relative: string, hunks: number, added: number, removed: number): ReviewFile => ({
  path: `${cwd}/${relative}`,
  ...{ relative, hunks, added, removed },
  state: "changed",
  changedLines: [],
  movedFrom: "",
  total: hunks,
});

export const review = [
  changedFile("src/cart.ts", 2, 3, 6),
  changedFile("src/discount.ts", 1, 2, 1),
  changedFile("test/cart.test.ts", 2, 15, 0),
];

export const answer = `The sum is now rounded **once**, at the end, and a discount keeps exact cents.

- \`total()\` adds exact cents and rounds the sum.
- \`discountOf()\` no longer rounds on its own.
  1. First
  2. Second, with a [link](https://example.com/a)

\`\`\`ts src/cart.ts
export function total(items: Item[], discount = 0): number {
  const gross = items.reduce((sum, item) => sum + item.cents * item.quantity, 0);
  return Math.round(gross * (1 - discount)); // exact cents
}
\`\`\`

| Case | Before | After |
|---|---:|---:|
| three half cents | 906 | 905 |
| full discount | 1 | 0 |

> Rounding late keeps the sum exact.

Worth a look: [cart.ts:1](src/cart.ts:1) no longer imports \`round()\`.
`;
