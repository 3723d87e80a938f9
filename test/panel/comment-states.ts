/** States of the panel with comments on lines. */
import type { PendingComment } from "../../src/chat/review-views.ts";
import * as f from "./fixtures.ts";

const file = { filename: "src/cart.ts", url: `file://${f.cwd}/src/cart.ts` };

/** A message with comments on a change and on a line. */
const commented = f.unsaid(
  {
    ...{ type: "comment", commentID: "c1", number: 1, text: "Round once, at the end.\nSee `total`." },
    place: { type: "change", ...file, change: { line: 31, removed: "a\n", added: "b\n" } },
    source: {
      start: 31,
      end: 33,
      text: "for (const line of cart) {\n  sum += Math.round(line.cents * line.quantity);\n}\n",
    },
  },
  {
    ...{ type: "comment", commentID: "c2", number: 2, text: "Why is this exported?" },
    place: { type: "file", ...file },
    source: { start: 4, end: 4, text: "export const rate = 0.15;\n" },
  },
  { type: "text", text: "Answer each.", synthetic: true },
);

export const pending: PendingComment[] = [
  { id: "c3", name: "src/cart.ts, lines 40–44", text: "Name it.", isPlan: false },
  { id: "c4", name: "src/a/long/way/down/to/the/file/discount.ts, line 7", text: "Half up.", isPlan: false },
];

export const onPlan: PendingComment = { id: "c5", name: "The plan, line 2", text: "Half up.", isPlan: true };

const chat = f.chat("Fix the rounding", [commented, f.rondo([f.said("The sum is rounded once, in `total`.")])]);
const planned = f.chat("T", [f.asked, f.rondo([f.said("1. Round once.")])], { requests: [f.planRequest] });

export const commentStates = {
  comments: { messages: [f.snapshot(chat, f.panelState({ comments: pending }))] },
  "plan-comments": { messages: [f.snapshot(planned, f.panelState({ mode: "plan", comments: [onPlan] }))] },
};
