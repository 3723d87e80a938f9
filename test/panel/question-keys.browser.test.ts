/** The keys of question cards, and the composer as their text field. */
import assert from "node:assert/strict";
import type { Answer, UserRequest } from "../../src/chat/requests.ts";
import { button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { previewStates } from "./preview-states.ts";
import { asked, busy, card, field, guard } from "./question-card.ts";
import { questionRequest } from "./trust-states.ts";

describe("the keys of each card work anywhere in the panel", () => {
  const text = (request: UserRequest) => (request.kind === "choices" ? "1" : "");
  const cases: { request: UserRequest; field: string; confirmed: Answer; dismissed: Answer }[] = [
    {
      request: f.request(),
      field: "Tell Rondo what to do instead",
      confirmed: { kind: "permission", type: "once" },
      dismissed: { kind: "permission", type: "deny", words: "" },
    },
    {
      request: { ...questionRequest, questions: questionRequest.questions.slice(0, 1) },
      field: "Something else",
      confirmed: { kind: "choices", type: "chosen", choices: [["Half up"]] },
      dismissed: { kind: "choices", type: "skip", words: "" },
    },
    {
      request: f.planRequest,
      field: "Message",
      confirmed: { kind: "plan", type: "build", mode: "acceptEdits" },
      dismissed: { kind: "plan", type: "keep" },
    },
    {
      request: f.budgetRequest,
      field: "Message",
      confirmed: { kind: "budget", type: "continue", limit: 4 },
      dismissed: { kind: "budget", type: "stop" },
    },
    {
      request: f.loopRequest,
      field: "Say what Rondo misses",
      confirmed: { kind: "loop", type: "continue" },
      dismissed: { kind: "loop", type: "stop" },
    },
  ];
  for (const { request, field, confirmed, dismissed } of cases) {
    it(`${request.kind}: Ctrl/Cmd+Enter, Escape, and Shift+Escape to stop`, async () => {
      const panel = await asked(request);
      await card(panel).focus();
      await panel.page.keyboard.press(text(request) || "Shift");
      assert.equal(await panel.page.getByRole("textbox").count(), 1, "there is one field");
      const box = panel.page.getByRole("textbox", { name: field });
      const places = [card(panel), box, button(panel, "New session"), panel.page.getByRole("log")];
      for (const place of places) {
        for (const key of ["Control+Enter", "Meta+Enter", "Escape", "Shift+Escape"]) await place.press(key);
      }
      assert.deepEqual(
        (await panel.sentOf("answer")).map(({ answer }) => answer),
        places.flatMap(() => [confirmed, confirmed, dismissed]),
      );
      assert.equal((await panel.sentOf("stop")).length, places.length);
      assert.deepEqual(await panel.sentOf("prompt"), []);
    });
  }

  for (const [name, { messages }] of Object.entries(previewStates)) {
    it(`permission, ${name}: the keys from each place, and 1 to 3 in the menu of Always allow if it can be given`, async () => {
      const panel = await panelWith(...messages);
      await panel.page.waitForTimeout(guard);
      const places = [card(panel), field(panel), button(panel, "New session"), panel.page.getByRole("log")];
      for (const place of places) for (const key of ["Control+Enter", "Escape", "Shift+Escape"]) await place.press(key);
      const always = button(panel, "Always allow");
      const scopes =
        (await always.getAttribute("aria-disabled")) === "true" ? [] : ["session", "workspace", "everywhere"];
      await always.press("Enter");
      for (const [at] of scopes.entries()) await panel.page.keyboard.press(`${at + 1}`);
      const answers = (await panel.sentOf("answer")).map(({ answer }) => answer);
      assert.deepEqual(
        answers.map((answer) => ("scope" in answer ? answer.scope : answer.type)),
        [...places.flatMap(() => ["once", "deny"]), ...scopes],
      );
      assert.equal((await panel.sentOf("stop")).length, places.length);
    });
  }

  it("close an open search before they answer", async () => {
    const panel = await asked(f.request());
    await button(panel, "Sessions").click();
    await panel.page.getByRole("searchbox").fill("cart");
    await panel.page.keyboard.press("Escape");
    assert.deepEqual(await panel.sentOf("answer"), []);
  });

  it("deny with the text in the field, and then never allow", async () => {
    const panel = await asked(f.request());
    const shortcuts = (name: RegExp) => button(panel, name).getAttribute("aria-keyshortcuts");
    assert.equal(await shortcuts(/^Delete once/), "Control+Enter Meta+Enter");
    assert.equal(await shortcuts(/^Deny/), "Escape");
    await field(panel).fill("Use npm run clean.");
    assert.equal(await shortcuts(/^Delete once/), null);
    assert.equal(await shortcuts(/^Deny and tell/), "Control+Enter Meta+Enter Escape");
    for (const key of ["Enter", "Control+Enter", "Meta+Enter"]) await field(panel).press(key);
    for (const place of [button(panel, "New session"), panel.page.getByRole("log"), card(panel)]) {
      await place.press("Control+Enter");
    }
    const deny = { kind: "permission", type: "deny", words: "Use npm run clean." };
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      Array(6).fill(deny),
    );
    assert.deepEqual(await panel.sentOf("prompt"), []);
  });

  it("Escape closes a menu, then the rules, and then denies with the words in the field", async () => {
    const panel = await asked(f.request());
    const rules = panel.page.getByRole("textbox", { name: "Rule", exact: true });
    const menu = panel.page.getByRole("menu");
    await button(panel, "Always allow").click();
    await panel.page.keyboard.press("Escape");
    assert.equal(await menu.count(), 0);
    await button(panel, "Always allow").click();
    await panel.page.keyboard.press("e");
    await rules.waitFor();
    await field(panel).fill("Use npm run clean.");
    await field(panel).press("Escape");
    assert.equal(await rules.count(), 0);
    assert.deepEqual(await panel.sentOf("answer"), []);
    await panel.page.keyboard.press("Escape");
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [{ kind: "permission", type: "deny", words: "Use npm run clean." }],
    );
  });

  it("Escape takes a hint out of the field before it stops a repeated call, and undo brings it back", async () => {
    const panel = await asked(f.loopRequest);
    const hint = panel.page.getByRole("textbox", { name: "Say what Rondo misses" });
    await hint.fill("The fixture is wrong.");
    await hint.press("Escape");
    assert.equal(await hint.inputValue(), "");
    assert.deepEqual(await panel.sentOf("answer"), []);
    await panel.page.keyboard.press("Control+z");
    assert.equal(await hint.inputValue(), "The fixture is wrong.");
  });

  it("commands of VS Code press the keys, but never on a card that is not in sight", async () => {
    const panel = await asked(f.request());
    await button(panel, "Sessions").click();
    await panel.post({ type: "answer-key", key: "confirm" });
    assert.deepEqual(await panel.sentOf("answer"), []);
    assert.ok(await card(panel).isVisible());
    await panel.post({ type: "answer-key", key: "confirm" }, { type: "answer-key", key: "dismiss" });
    await field(panel).fill("No.");
    await panel.post({ type: "answer-key", key: "confirm" }, { type: "answer-key", key: "dismiss" });
    const deny = (words: string) => ({ kind: "permission", type: "deny", words });
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [{ kind: "permission", type: "once" }, deny(""), deny("No."), deny("No.")],
    );
  });

  it("allow nothing while the card is hidden", async () => {
    const panel = await asked(f.request());
    await button(panel, "Sessions").click();
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await panel.sentOf("answer"), []);
  });
});

describe("the composer while a question is open", () => {
  const attachments = [{ mime: "text/plain", filename: "cart.ts", url: "file:///a/cart.ts" }];
  const chips = (panel: PanelPage) => panel.page.getByRole("group", { name: "Attached" });
  const answered = (requestID: string) => events({ type: "answered", requestID });

  /** A panel with a draft and an attachment in which questions then open. */
  async function drafted(...requests: UserRequest[]): Promise<PanelPage> {
    const chat = f.chat("T", [f.asked], { status: busy });
    const panel = await panelWith(f.snapshot(chat, f.panelState({ attachments })));
    await message(panel).fill("Then the README");
    await panel.post(events(...requests.map((request) => ({ type: "asked", request }) as const)));
    await panel.page.waitForTimeout(guard);
    return panel;
  }

  it("is the question's field, and shows draft and attachments again after the answer", async () => {
    for (const [key, answer] of [
      ["Control+Enter", { kind: "permission", type: "once" }],
      ["Escape", { kind: "permission", type: "deny", words: "" }],
    ] as const) {
      const panel = await drafted(f.request());
      assert.equal(await message(panel).count(), 0);
      assert.equal(await field(panel).inputValue(), "");
      assert.equal(await chips(panel).count(), 0, "an answer takes no attachments");
      for (const name of ["Send", "Attach"]) assert.equal(await button(panel, name).count(), 0);
      await field(panel).press(key);
      assert.deepEqual(
        (await panel.sentOf("answer")).map(({ answer }) => answer),
        [answer],
      );
      await panel.post(answered("per_1"));
      assert.equal(await message(panel).inputValue(), "Then the README");
      assert.equal(await focused(panel), "Message");
      assert.ok(await chips(panel).getByText("cart.ts").isVisible());
      await message(panel).press("Enter");
      const [prompt] = await panel.sentOf("prompt");
      assert.equal(prompt?.text, "Then the README");
      assert.equal(prompt?.attachments.length, 1);
    }
  });

  it("sends text only with the question that it was written for", async () => {
    const panel = await drafted(f.request(), f.editRequest, f.loopRequest);
    await field(panel).fill("Not this one.");
    await field(panel).press("Control+Enter");
    await panel.post(answered("per_1"));
    assert.equal(await field(panel).inputValue(), "");
    await panel.page.waitForTimeout(guard);
    await field(panel).press("Enter");
    await field(panel).press("Control+Enter");
    await panel.post(answered("per_2"));
    assert.equal(await panel.page.getByRole("textbox", { name: "Say what Rondo misses" }).inputValue(), "");
    await panel.post(answered(f.loopRequest.id));
    assert.equal(await message(panel).inputValue(), "Then the README");
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { kind: "permission", type: "deny", words: "Not this one." },
        { kind: "permission", type: "once" },
      ],
    );
  });

  it("appends text that no answer has sent to the draft", async () => {
    const panel = await drafted(f.request());
    await field(panel).fill("and the changelog");
    await button(panel, "Delete once").click();
    await panel.post(answered("per_1"));
    assert.equal(await message(panel).inputValue(), "Then the README\nand the changelog");
    await panel.page.waitForFunction(() => window.sent.at(-1)?.type === "draft");
    assert.deepEqual((await panel.sentOf("draft")).at(-1)?.text, "Then the README\nand the changelog");
    assert.deepEqual((await panel.sentOf("answer"))[0]?.answer, { kind: "permission", type: "once" });
  });

  it("ignores Enter in the first moments after the question opens", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));
    await message(panel).pressSequentially("Then the");
    await panel.post(events({ type: "asked", request: f.request() }));
    await panel.page.keyboard.type("n");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("answer"), []);
    assert.equal(await field(panel).inputValue(), "n");
  });

  it("puts text from the editor into the draft, not into the answer", async () => {
    const panel = await drafted(f.request());
    await panel.post({ type: "compose", text: " and src/cart.ts", send: false });
    assert.equal(await field(panel).inputValue(), "");
    await panel.post(answered("per_1"));
    assert.equal(await message(panel).inputValue(), "Then the README and src/cart.ts");
  });

  it("keeps the draft when the panel reloads with an open question", async () => {
    const panel = await drafted(f.request());
    await panel.page.reload();
    await panel.post(f.snapshot(f.chat("T", [f.asked], { status: busy, requests: [f.request()] })));
    await panel.post(answered("per_1"));
    assert.equal(await message(panel).inputValue(), "Then the README");
  });
});
