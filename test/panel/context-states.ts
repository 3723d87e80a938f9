/** States of the page of the context window: what can be pinned and dropped, and what the cache holds. */
import type { Page } from "playwright-core";
import type { ContextUse, PieceView } from "../../src/chat/context-views.ts";
import * as f from "./fixtures.ts";
import { use } from "./loop-states.ts";
import type { State } from "./states.ts";

const unmarked = { pinned: false, dropped: false, droppable: true };
const piece = (name: string, tokens: number, change: Partial<PieceView>): PieceView => ({
  ...{ id: `prt_${name}`, kind: "output", name, detail: "", tokens, ...unmarked },
  ...change,
});

export const pieces: PieceView[] = [
  piece("npm test", 14_200, { detail: "output, 2,140 lines" }),
  piece("schema.generated.ts", 11_800, { kind: "file", detail: "src · read", dropped: true }),
  piece("vite.dev/guide", 6000, { kind: "page", detail: "output, 310 lines" }),
  piece("cart.ts", 2400, { kind: "file", detail: "src · read", pinned: true }),
  piece("a-file-with-a-name-that-is-longer-than-the-panel-is-wide.test.ts", 1900, {
    kind: "file",
    detail: "test/integration/checkout · attached, lines 1–80",
  }),
  piece("Pasted image.png", 1600, { kind: "image", detail: "attached" }),
  piece("“I look at the test and at what it tests.”", 40, { kind: "answer", detail: "Rondo" }),
  piece("“Leave the test as it is.”", 8, { kind: "you", detail: "you", pinned: true }),
  piece("“Round once, at the end.”", 7, { kind: "you", detail: "you", droppable: false }),
];

const model = { providerID: "anthropic", modelID: "claude-sonnet-5" };

export const piecesUse: ContextUse = {
  ...use,
  pieces,
  pieceCount: 41,
  waiting: { count: 1, tokens: 11_800 },
  loose: { count: 37, tokens: 29_400 },
  dropCost: { usd: 0.021 },
  cache: {
    ...{ model, read: 40_960, written: 1_020, writtenForHour: 0, sent: 42_110, at: f.now },
    lifetime: { type: "renewed", ms: 300_000 },
  },
};

const lockedUse: ContextUse = {
  ...piecesUse,
  dropCost: undefined,
  pieces: pieces.filter(({ dropped }) => !dropped).slice(0, 4),
  pieceCount: 4,
  waiting: { count: 0, tokens: 0 },
  loose: { count: 2, tokens: 20_200 },
  cache: piecesUse.cache && {
    ...piecesUse.cache,
    written: 0,
    lifetime: { type: "idle", fromMs: 300_000, toMs: 600_000, atMostMs: 3_600_000 },
  },
  locked: true,
};

/** After "keep only what is pinned". */
const keptUse: ContextUse = {
  ...piecesUse,
  pieces: pieces.map((one) => (one.pinned || !one.droppable ? one : { ...one, dropped: true })),
  waiting: { count: 38, tokens: 41_200 },
  loose: { count: 0, tokens: 0 },
};

const state = (shown: ContextUse, name: "Largest" | "Cache"): State => ({
  messages: [f.snapshot(f.chat("Fix the rounding", [f.asked, f.rondo(f.work)]), f.panelState({ contextUsed: 0.24 }))],
  act: async (page: Page) => {
    await page.getByRole("button", { name: /^Context: 24 %/ }).click();
    await page.evaluate((use) => window.postMessage({ type: "context", use, seq: 2 }, "*"), shown);
    await page.getByRole("region", { name }).scrollIntoViewIfNeeded();
  },
});

export const contextStates: Record<string, State> = {
  "context-pieces": state(piecesUse, "Largest"),
  "context-kept": state(keptUse, "Cache"),
  "context-cache": state(piecesUse, "Cache"),
  "context-locked": state(lockedUse, "Cache"),
};
