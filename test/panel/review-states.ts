/** States of the review bar. */
import type { ReviewFile } from "../../src/chat/review-views.ts";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

const file = (relative: string, change: Partial<ReviewFile> = {}): ReviewFile => ({
  ...f.changedFile(relative, 2, 6, 9),
  ...change,
});

/** One file in each state. */
export const everyState: ReviewFile[] = [
  file("src/cart.ts", { hunks: 1, total: 3 }),
  file("src/discount.ts", { state: "partly yours", hunks: 1, total: 1, added: 2, removed: 4 }),
  file("src/checkout.ts", { state: "conflict", changedLines: [31, 32, 33], hunks: 2, total: 2 }),
  file("src/rounding.ts", { state: "new", hunks: 1, total: 1, added: 31, removed: 0 }),
  file("src/legacy.ts", { state: "deleted", hunks: 1, total: 1, added: 0, removed: 88 }),
  file("src/money.ts", { state: "moved", movedFrom: "src/cents.ts", hunks: 0, total: 0, added: 0, removed: 0 }),
  file("test/cart.test.ts", { state: "accepted", hunks: 0, total: 2, added: 12, removed: 3 }),
  file("test/tax.test.ts", { state: "rejected", hunks: 0, total: 1, added: 1204, removed: 377 }),
];

const long = [
  file("packages/checkout-service/src/main/typescript/com/example/shop/cart/discounts/calculate-discount-of-cart.ts", {
    hunks: 2,
    total: 3,
  }),
  file("packages/checkout-service/src/a-very-long-name-of-a-file-that-does-not-fit-anywhere.generated.test.ts", {
    state: "partly yours",
    ...{ added: 12_345, removed: 6789 },
  }),
];

export const sixty = Array.from({ length: 60 }, (_, i) =>
  file(`src/part-${i + 1}/index.ts`, { added: i, removed: 60 - i }),
);

/** Every fifth one is a conflict, whose row is higher. */
export const thousand = Array.from({ length: 1000 }, (_, i) =>
  file(`src/part-${i + 1}/index.ts`, i % 5 === 4 ? { state: "conflict", changedLines: [i + 1] } : {}),
);

const shown = (review: ReviewFile[], requests = false): State => ({
  messages: [
    f.snapshot(
      f.chat("Fix the rounding in cart totals", [f.asked, f.rondo([f.said("Done: the sum is rounded once.")])], {
        ...(requests
          ? { status: { type: "busy", since: f.now - 24_000 }, requests: [f.request()] }
          : { ended: { type: "ended", reason: "end_turn", durationMs: 48_000, steps: 14 } }),
      }),
      f.panelState({ review }),
    ),
  ],
});

export const reviewStates: Record<string, State> = {
  "review-states": shown(everyState),
  "review-decided": shown(everyState.slice(-2)),
  "review-long": shown(long),
  "review-sixty": shown(sixty),
  "review-thousand": shown(thousand),
  "review-asks": shown(everyState, true),
};
