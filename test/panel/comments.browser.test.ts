/** Comments on lines in the panel: those that wait, those that were sent, and those on a plan. */
import assert from "node:assert/strict";
import { button, message, panelWith } from "./browser.ts";
import { commentStates, onPlan, pending } from "./comment-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { card, guard } from "./question-card.ts";

const own = async (panel: PanelPage) => (await panel.sent()).slice(1).filter(({ type }) => type !== "draft");

describe("comments that wait", () => {
  const group = (panel: PanelPage) => panel.page.getByRole("group", { name: /^Comments that are sent/ });

  it("V2 stand above the text box, lead to their lines, can be removed, and are sent without words", async () => {
    const panel = await panelWith(...commentStates.comments.messages);
    await group(panel).getByRole("button", { name: "Comment on src/cart.ts, lines 40–44", exact: true }).click();
    await button(panel, "Remove the comment on src/cart.ts, lines 40–44").click();
    await message(panel).press("Enter");
    const prompt = { type: "prompt", text: "", attachments: [], agents: [], when: "next-step" };
    assert.deepEqual(await own(panel), [
      { type: "show-comment", id: "c3" },
      { type: "remove-comment", id: "c3" },
      prompt,
    ]);
  });

  it("V2 go when they were sent", async () => {
    const panel = await panelWith(...commentStates.comments.messages);
    assert.equal(await group(panel).locator(".Chip").count(), pending.length);
    await panel.post({ type: "state", state: f.panelState() });
    assert.equal(await group(panel).count(), 0);
    await message(panel).press("Enter");
    assert.deepEqual(await own(panel), []);
  });
});

describe("comments that were sent", () => {
  it("V2 show place, lines and words, not the text for the model, and lead to their lines", async () => {
    const panel = await panelWith(...commentStates.comments.messages);
    const sent = panel.page.getByRole("article", { name: "You" });
    const items = sent.getByRole("list", { name: "Comments" }).getByRole("listitem");
    assert.match(
      await items.first().innerText(),
      /^src\/cart\.ts, lines 31–33\s+for \(const line of cart\) \{[\s\S]*\}\s+Round once, at the end\.\s+See `total`\.$/,
    );
    assert.doesNotMatch(await sent.innerText(), /Answer each|The user writes/);
    await items.nth(1).getByRole("button", { name: "src/cart.ts, line 4" }).click();
    await sent.hover();
    await sent.getByRole("button", { name: "Copy message" }).click();
    const copied =
      "src/cart.ts, lines 31–33: Round once, at the end.\nSee `total`.\nsrc/cart.ts, line 4: Why is this exported?";
    assert.deepEqual(await own(panel), [
      { type: "open-file", path: `${f.cwd}/src/cart.ts`, line: 4 },
      { type: "copy", text: copied },
    ]);
  });

  it("V2 are named in the queue", async () => {
    const entry = commentStates.comments.messages[0];
    const parts = entry?.type === "snapshot" ? (entry.chat.messages[0]?.parts ?? []) : [];
    const queued = { ...f.waiting("q1", ""), parts: parts.filter((part) => part.type === "comment") };
    const busy = { type: "busy", since: f.now } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue: [queued] })));
    await panel.page.getByText("src/cart.ts, lines 31–33: Round once, at the end.").waitFor();
  });
});

describe("comments on a plan", () => {
  it("V2 the plan opens as a document; with comments the first answer sends them, the second builds", async () => {
    const panel = await panelWith(...commentStates["plan-comments"].messages);
    await panel.page.waitForTimeout(guard);
    await button(panel, "Open as a document, to comment on its lines").click();
    await card(panel).getByRole("button", { name: "Send 1 comment" }).click();
    await card(panel).getByRole("button", { name: "Build now" }).click();
    assert.deepEqual(await own(panel), [
      { type: "open-plan", messageID: f.planRequest.messageID },
      { type: "send-comments" },
      { type: "answer", requestID: "per_6", answer: { kind: "plan", type: "build", mode: "acceptEdits" } },
    ]);
  });

  it("V2 Ctrl+Enter sends comments on the plan; others do not change its answers", async () => {
    const panel = await panelWith(...commentStates["plan-comments"].messages);
    await panel.page.waitForTimeout(guard);
    await message(panel).press("Control+Enter");
    assert.deepEqual(await own(panel), [{ type: "send-comments" }]);
    await panel.post({ type: "state", state: f.panelState({ comments: [{ ...onPlan, isPlan: false }] }) });
    await card(panel).getByRole("button", { name: "Start building" }).waitFor();
  });
});
