/** Always allow: how far rules hold, and the sheet in which they are edited. */
import assert from "node:assert/strict";
import type { Rule, RuleTrial } from "../../src/chat/requests.ts";
import { ruleScopes } from "../../src/chat/rule-scopes.ts";
import { boxes, button, focused } from "./browser.ts";
import { longRequest, rulesRequest, rulesTrials } from "./consent-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { asked, card, field, texts, untilSent } from "./question-card.ts";

describe("Always allow", () => {
  const menu = (panel: PanelPage) => panel.page.getByRole("menu", { name: /^Always allow/ });
  const answers = async (panel: PanelPage) => (await panel.sentOf("answer")).map(({ answer }) => answer);
  const keep = (panel: PanelPage) => button(panel, /^Allow and keep/);

  for (const [at, scope] of ruleScopes.entries()) {
    it(`shows the rules and three scopes, which keys choose: ${scope}`, async () => {
      const panel = await asked(rulesRequest);
      await button(panel, "Always allow").click();
      assert.equal(await menu(panel).getByRole("menuitem").count(), 4);
      assert.match(
        await panel.page.locator(".AlwaysMenu").innerText(),
        /keep 2 rules\s+npm run build\s+git push origin \*/,
      );
      await panel.page.keyboard.press(`${at + 1}`);
      assert.deepEqual(await answers(panel), [
        { kind: "permission", type: "always", rules: rulesRequest.always, scope },
      ]);
    });
  }

  it("is closed by Escape without an answer, and is walked through with the arrows", async () => {
    const panel = await asked(rulesRequest);
    await button(panel, "Always allow").click();
    await panel.page.keyboard.press("ArrowDown");
    const chosen = menu(panel).getByRole("menuitem", { name: "For this workspace" });
    assert.equal(await chosen.evaluate((item) => item === document.activeElement), true);
    await panel.page.keyboard.press("Escape");
    assert.equal(await menu(panel).count(), 0);
    assert.deepEqual(await answers(panel), []);
  });

  it("that cannot be given keeps its place and says why", async () => {
    const panel = await asked(longRequest);
    const locked = button(panel, "Always allow");
    assert.equal(await locked.getAttribute("aria-disabled"), "true");
    const why = await locked.evaluate(
      (one) => document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent,
    );
    assert.match(why ?? "", /Code from the network is allowed only once\./);
    await locked.focus();
    await locked.dispatchEvent("click");
    assert.equal(await menu(panel).count(), 0);
  });

  /** Answers as the host does, with results for the rules of the newest question to it, or for these. */
  async function tried(panel: PanelPage, trials: RuleTrial[], rules?: Rule[]): Promise<void> {
    const newest = (await panel.sent()).findLast(({ type }) => type === "try-rules");
    await panel.post({
      type: "tried",
      requestID: "per_1",
      rules: rules ?? (newest?.type === "try-rules" ? newest.rules : []),
      trials,
    });
  }

  /** Opens the sheet; the host's results are those of the rules as offered. */
  async function sheet(): Promise<PanelPage> {
    const panel = await asked(rulesRequest);
    await button(panel, "Always allow").click();
    await panel.page.keyboard.press("e");
    await untilSent(panel, "try-rules", 1);
    await tried(panel, rulesTrials);
    return panel;
  }

  it("has its rules edited in the same frame: each with its own results, narrower and wider", async () => {
    const panel = await sheet();
    await panel.page.getByRole("alertdialog", { name: "Which rules should Rondo keep?" }).waitFor();
    assert.equal(await focused(panel), "Rule 1");
    const says = (at: number) =>
      texts(
        card(panel)
          .getByRole("list", { name: `Examples ${at}` })
          .getByRole("listitem"),
      );
    assert.deepEqual(await says(1), ["allows npm run build", "still asks npm run deploy, npm run build -- --watch"]);
    assert.deepEqual(await says(2), [
      "allows git push origin fix/rounding",
      "still asks git push --force origin fix/a",
    ]);
    const rule = panel.page.getByRole("textbox", { name: "Rule 2" });
    await button(panel, "Narrower 2").click();
    assert.equal(await rule.inputValue(), "git push origin fix/rounding");
    await button(panel, "Wider 2").click();
    await button(panel, "Wider 2").click();
    await button(panel, "Wider 2").click();
    assert.equal(await rule.inputValue(), "git *");
    assert.ok(await button(panel, "Wider 2").isDisabled(), "never all commands");
    await panel.page.waitForFunction(() => {
      const sent = window.sent.findLast(({ type }) => type === "try-rules");
      return JSON.stringify(sent).includes('"git *"');
    });
    await tried(panel, rulesTrials);
    await panel.page.getByRole("checkbox", { name: "Keep rule 1" }).uncheck();
    await panel.page.getByRole("radio", { name: "Everywhere" }).check();
    await keep(panel).click();
    const rules = [{ permission: "bash", pattern: "git *", action: "allow" }];
    assert.deepEqual(await answers(panel), [{ kind: "permission", type: "always", rules, scope: "everywhere" }]);
  });

  it("does not keep an invalid rule, nor one whose results are not there yet", async () => {
    const panel = await sheet();
    const rule = panel.page.getByRole("textbox", { name: "Rule 1" });
    await rule.fill("*");
    assert.equal(await keep(panel).getAttribute("aria-disabled"), "true", "not tried yet");
    await rule.press("Control+Enter");
    await untilSent(panel, "try-rules", 2);
    const invalid = "This would allow everything. Name a program.";
    // What is found about the text before it comes too late.
    await tried(panel, rulesTrials, rulesRequest.always);
    assert.equal(await keep(panel).getAttribute("aria-disabled"), "true", "the result is for another text");
    await tried(panel, [{ allows: [], asks: [], invalid }, ...rulesTrials.slice(1)]);
    assert.ok(await card(panel).getByText(invalid).isVisible());
    assert.equal(await rule.getAttribute("aria-invalid"), "true");
    await rule.press("Control+Enter");
    assert.deepEqual(await answers(panel), []);
    await panel.page.getByRole("checkbox", { name: "Keep rule 1" }).uncheck();
    await rule.press("Control+Enter");
    assert.deepEqual(await answers(panel), [
      { kind: "permission", type: "always", rules: rulesRequest.always.slice(1), scope: "session" },
    ]);
  });

  it("goes back to the card by Escape, with all answers in sight meanwhile", async () => {
    const panel = await sheet();
    for (const [width, height] of [
      [240, 330],
      [320, 480],
      [400, 600],
      [600, 800],
    ] as const) {
      await panel.resize({ width, height });
      const places = await panel.page
        .locator(".Consent .answers button, .Consent .pinned label, .Composer textarea")
        .all();
      assert.ok(places.length >= 6);
      for (const [at, box] of (await boxes(panel, ...places)).entries()) {
        const isInside = box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
        assert.ok(isInside, `${await places[at]?.innerText()} at ${width} × ${height}: ${JSON.stringify(box)}`);
      }
    }
    await panel.page.keyboard.press("Escape");
    await panel.page.getByRole("alertdialog", { name: "Run this command?" }).waitFor();
    assert.deepEqual(await answers(panel), []);
    assert.equal(await focused(panel), "alertdialog");
  });

  it("allows nothing while words are in the field", async () => {
    const panel = await sheet();
    await field(panel).fill("Push to my fork");
    await field(panel).press("Control+Enter");
    assert.deepEqual(await answers(panel), [{ kind: "permission", type: "deny", words: "Push to my fork" }]);
  });

  it("shows invisible characters in a rule, and links to where rules are removed", async () => {
    const panel = await asked(f.request({ always: [{ permission: "bash", pattern: "ls\u200b *", action: "allow" }] }));
    await button(panel, "Always allow").click();
    await panel.page.keyboard.press("e");
    assert.match(await card(panel).innerText(), /Contains hidden characters: ls\[U\+200B\] \*/);
    await button(panel, "Permission rules").click();
    await panel.page.getByRole("region", { name: "Rules" }).waitFor();
    assert.ok(await card(panel).isVisible());
  });
});
