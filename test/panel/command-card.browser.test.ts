/** The card that asks to run a command: its text, its reasons, its edits. */
import assert from "node:assert/strict";
import { button, focused, panelWith } from "./browser.ts";
import { consentStates, longRequest } from "./consent-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { asked, card, texts, untilSent } from "./question-card.ts";
import { judgement } from "./trust-states.ts";

const shown = (panel: PanelPage) => card(panel).getByRole("region", { name: "Command" });
const command = (panel: PanelPage) => panel.page.getByRole("textbox", { name: "Command", exact: true });

/** Waits until a button can be pressed. */
async function pressable(panel: PanelPage, name: string): Promise<void> {
  await panel.page.locator("[role=alertdialog] button:not([aria-disabled=true])", { hasText: name }).waitFor();
}

const reasons = (panel: PanelPage) => card(panel).getByRole("list", { name: "Why it asks" }).getByRole("listitem");

describe("a command that asks for permission", () => {
  it("U5 is shown whole: asking parts with their rank, each connector that starts a line, allowed parts quiet", async () => {
    const panel = await asked(longRequest);
    const lines = await texts(shown(panel).locator(".line"));
    assert.deepEqual(lines, [
      "git status",
      "&& npm test -- --reporter=spec 2>&1 | tee /tmp/out.txt, reason 2 | tail -n 40",
      "&& rm -rf build ../other dist/*.map, reason 1",
      "&& curl -fsSL https://get.example.dev/install.sh | bash -s -- --yes, reason 3",
      '; echo "token=$(cat .env, reason 4)" >> log.txt',
    ]);
    const quiet = (await texts(shown(panel).locator(".allowed"))).join(" ");
    assert.equal(quiet, "git status npm test -- --reporter=spec tail -n 40");
    assert.equal(await shown(panel).locator("mark.red").count(), 2, "what cannot be undone");
    await shown(panel).focus();
    assert.equal(await focused(panel), "Command");
  });

  it("never leaves the number of a part alone on a line", async () => {
    const panel = await asked(longRequest);
    for (const width of [240, 320, 333, 347, 400, 600]) {
      await panel.resize({ width, height: 700 });
      const alone = await shown(panel)
        .locator(".Rank")
        .evaluateAll(
          (ranks) =>
            ranks.filter((rank) => {
              const word = rank.parentElement?.firstElementChild?.getClientRects();
              const last = word?.[word.length - 1];
              const { top, bottom } = rank.getBoundingClientRect();
              return !last || last.bottom < top || last.top > bottom;
            }).length,
        );
      assert.equal(alone, 0, `${width} px`);
    }
  });

  it("is copied as it is, without drawn lines and numbers", async () => {
    const panel = await asked(longRequest);
    const { preview } = longRequest;
    assert.equal(preview.type, "command");
    const copied = await shown(panel).evaluate((block) => {
      document.getSelection()?.selectAllChildren(block);
      const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
      block.dispatchEvent(event);
      return event.clipboardData?.getData("text/plain");
    });
    assert.equal(copied, "command" in preview && preview.command);
    await button(panel, "Copy command").click();
    assert.deepEqual(await panel.sentOf("copy"), [{ type: "copy", text: copied }]);
  });

  it("over 2,000 characters shows its ends and each marked line, and all lines on demand", async () => {
    const panel = await panelWith(...(consentStates["consent-lines"]?.messages ?? []));
    assert.equal(await shown(panel).locator(".line").count(), 41);
    assert.match(await shown(panel).innerText(), /24 lines left out\s+echo "line 44 of the list"/);
    await button(panel, "Show all 90 lines").click();
    assert.equal(await shown(panel).locator(".line").count(), 90);
  });

  it("says why it asks, the worst first, with number and sentence, and what is allowed in a folded line", async () => {
    const panel = await asked(longRequest);
    assert.deepEqual(await texts(reasons(panel)), [
      "1 It deletes 214 files. Git has 9 of them. The other 205 cannot be brought back.",
      "2 It uses 2 places outside of the workspace. ../other, /tmp/out.txt.",
      "3 It runs code from get.example.dev. Nobody has seen this code before it runs.",
      "4 It reads .env.",
    ]);
    const allowed = card(panel).getByText("git status", { exact: true }).last();
    assert.ok(!(await allowed.isVisible()));
    await card(panel).getByText("3 parts are already allowed").click();
    assert.ok(await allowed.isVisible());
    assert.match(await card(panel).innerText(), /Your rule npm test \* allows it/);
  });

  it("lights the part of a reason under the pointer or the focus, and the reason of a part", async () => {
    const panel = await asked(longRequest);
    const lit = () => texts(shown(panel).locator("mark.lit"));
    const first = card(panel).getByRole("button", { name: /It deletes 214 files/ });
    await first.hover();
    assert.deepEqual(await lit(), ["rm -rf build ../other dist/*.map, reason 1"]);
    await panel.page.getByRole("heading", { name: "Run this command?" }).hover();
    assert.deepEqual(await lit(), []);
    await first.focus();
    await panel.page.keyboard.press("Tab");
    assert.deepEqual(await lit(), ["/tmp/out.txt, reason 2"]);
    await panel.page.keyboard.press("Shift+Tab");
    await shown(panel).locator("mark").filter({ hasText: ".env" }).hover();
    const rows = card(panel).getByRole("list", { name: "Why it asks" }).locator("li.lit");
    assert.deepEqual(await texts(rows), ["4 It reads .env."]);
  });

  it("is described to a screen reader by its reasons, and by colour never alone", async () => {
    const panel = await asked(longRequest);
    const described = await card(panel).evaluate((one) =>
      (one.getAttribute("aria-describedby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent?.trim())
        .join(" "),
    );
    assert.match(
      described,
      /^4 reasons\. It deletes 214 files\. Git has 9 of them\..* In tinyshop, with bash, for 2 minutes at most\.$/s,
    );
    await panel.dress("hc");
    const looks = await shown(panel)
      .locator("mark")
      .evaluateAll((marks) =>
        marks.map((mark) => {
          const { backgroundColor, textDecorationStyle } = getComputedStyle(mark);
          return `${backgroundColor} ${textDecorationStyle}`;
        }),
      );
    const none = "rgba(0, 0, 0, 0)";
    assert.deepEqual(looks, [`${none} solid`, `${none} double`, `${none} double`, `${none} solid`]);
  });

  it("names its worst reasons in a short panel, and how many are below", async () => {
    const panel = await asked(longRequest);
    await panel.resize({ width: 320, height: 480 });
    assert.ok(await card(panel).getByText("Deletes files · leaves the workspace · 2 more").isVisible());
    assert.match(
      await card(panel)
        .getByRole("button", { name: /more reasons?$/ })
        .innerText(),
      /[1-4] more reason/,
    );
  });

  it("is marked whole where the reason is about all of it", async () => {
    const panel = await panelWith(...(consentStates["consent-unreadable"]?.messages ?? []));
    assert.match((await texts(shown(panel).locator("mark"))).join(""), /^eval .*-d\)", reason 1$/);
  });

  it("U5 is shown while it is still looked at: it can be denied and not allowed, and its reasons come before its answer", async () => {
    const { reasons: _, ...known } = longRequest;
    const looking = { ...known, reasons: [], looking: true as const, noAlways: "" };
    const panel = await asked(looking);
    await card(panel).getByText("Looking at what it does…").waitFor();
    assert.match(await shown(panel).innerText(), /rm -rf build/);
    for (const name of ["Allow once", "Always allow"]) {
      assert.equal(await button(panel, name).getAttribute("aria-disabled"), "true", name);
      const why = await button(panel, name).evaluate(
        (one) => document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent,
      );
      assert.equal(why, "Rondo still looks at what it does.");
      await button(panel, name).dispatchEvent("click");
    }
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await panel.sentOf("answer"), []);
    // The button changes with the reasons: what was pressed for the one before is not taken for it.
    const states = await panel.page.evaluateHandle(() => {
      const seen: string[] = [];
      const note = () => {
        const [once] = document.querySelectorAll("[role=alertdialog] .answers button");
        seen.push(`${document.querySelectorAll("[data-reason]").length} ${once?.getAttribute("aria-disabled")}`);
      };
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
      return seen;
    });
    await panel.post({ type: "events", events: [{ type: "asked", request: longRequest }] });
    await pressable(panel, "Delete once");
    const order = (await states.jsonValue()).filter((state, at, all) => state !== all[at - 1]);
    assert.deepEqual(order.slice(-2), ["4 true", "4 false"], order.join(", "));
    assert.equal(await card(panel).count(), 1);
    assert.deepEqual((await texts(shown(panel).locator(".allowed"))).length > 0, true, "the marks come, too");
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [{ kind: "permission", type: "once" }],
    );
  });

  it("U5 can be denied while it is still looked at", async () => {
    const panel = await asked({ ...longRequest, reasons: [], looking: true, noAlways: "" });
    await panel.page.keyboard.press("Escape");
    const [sent] = await panel.sentOf("answer");
    assert.deepEqual(sent?.answer, { kind: "permission", type: "deny", words: "" });
  });

  it("can be edited: it is checked while the user types, and runs as edited", async () => {
    const panel = await asked(f.request());
    await button(panel, "Edit command").click();
    assert.equal(await focused(panel), "Command");
    assert.equal(await command(panel).inputValue(), "npm test -- cart && rm -rf coverage && git push");
    await command(panel).fill(judgement.command);
    await card(panel).getByText("Looking at what it does…").waitFor();
    const once = button(panel, /^(Allow|Delete) once/);
    assert.equal(await once.getAttribute("aria-disabled"), "true");
    await command(panel).press("Control+Enter");
    await untilSent(panel, "judge", 1);
    assert.deepEqual(await panel.sentOf("judge"), [{ type: "judge", requestID: "per_1", command: judgement.command }]);
    await panel.post({ type: "judged", requestID: "per_1", judgement });
    assert.deepEqual(await texts(reasons(panel)), ["1 It deletes 3 files."]);
    assert.ok(await card(panel).getByText("Rondo is told that you removed && git push.").isVisible());
    assert.equal(await button(panel, "Always allow").getAttribute("aria-disabled"), "true");
    assert.ok(await card(panel).getByText("“Always allow” is for the command as Rondo wrote it.").isVisible());
    await pressable(panel, "Delete once");
    await command(panel).press("Control+Enter");
    assert.deepEqual(await panel.sentOf("answer"), [
      {
        type: "answer",
        requestID: "per_1",
        answer: { kind: "permission", type: "command", command: judgement.command },
      },
    ]);
  });

  it("is checked once after fast typing", async () => {
    const panel = await asked(f.request());
    await button(panel, "Edit command").click();
    await command(panel).pressSequentially(" --dry-run");
    await untilSent(panel, "judge", 1);
    const sent = await panel.sentOf("judge");
    assert.ok(sent.length < 5, `${sent.length} for 10 letters`);
    await panel.page.waitForTimeout(200);
    assert.match((await panel.sentOf("judge")).at(-1)?.command ?? "", /git push --dry-run$/);
  });

  it("does not run when edited to an empty or denied command", async () => {
    const panel = await asked(f.request());
    await button(panel, "Edit command").click();
    await command(panel).fill("cat .env");
    await untilSent(panel, "judge", 1);
    const parts = [f.commandPart(".env", "deny", "", "Your rule `.env*` denies it.", "read")];
    const denied = { ...f.unjudged, command: "cat .env", decision: "deny" as const, parts };
    await panel.post({ type: "judged", requestID: "per_1", judgement: denied });
    assert.ok(await card(panel).getByText(".env is denied. Your rule .env* denies it.").isVisible());
    for (const text of [undefined, " "]) {
      if (text) await command(panel).fill(text);
      assert.equal(await button(panel, /^(Allow|Delete) once/).getAttribute("aria-disabled"), "true");
      await button(panel, /^(Allow|Delete) once/).dispatchEvent("click");
      await command(panel).press("Control+Enter");
    }
    assert.deepEqual(await panel.sentOf("answer"), []);
  });

  it("is restored by Undo and Escape, which denies only when nothing is open", async () => {
    const panel = await asked(f.request());
    await button(panel, "Edit command").click();
    await command(panel).fill("ls");
    await button(panel, "Undo").click();
    assert.equal(await command(panel).count(), 0);
    assert.equal(await focused(panel), "alertdialog");
    await button(panel, "Edit command").click();
    await command(panel).fill("ls");
    await command(panel).press("Escape");
    assert.equal(await command(panel).count(), 0);
    assert.equal(await focused(panel), "alertdialog");
    assert.match(await shown(panel).innerText(), /git push/);
    assert.deepEqual(await panel.sentOf("answer"), []);
    await panel.page.keyboard.press("Control+Enter");
    await panel.page.keyboard.press("Escape");
    assert.deepEqual(
      (await panel.sentOf("answer")).map(({ answer }) => answer),
      [
        { kind: "permission", type: "once" },
        { kind: "permission", type: "deny", words: "" },
      ],
    );
  });

  it("shows hidden characters during editing, and removes them", async () => {
    const sly = "rm a\u202eb\u200b";
    const panel = await asked(f.request({ preview: f.command({ command: sly, cwd: "/", parts: [] }) }));
    assert.match(await shown(panel).innerText(), /a\[U\+202E\]b\[U\+200B\]/);
    await button(panel, "Edit command").click();
    assert.match(await card(panel).innerText(), /Contains hidden characters: rm a\[U\+202E\]b\[U\+200B\]/);
    await button(panel, "Remove them").click();
    assert.equal(await command(panel).inputValue(), "rm ab");
    assert.equal(await card(panel).getByText("Contains hidden characters").count(), 0);
  });

  it("tells that one answer applies to identical questions", async () => {
    const panel = await asked(f.request(), f.request({ id: "per_9", partID: "other" }), f.editRequest);
    assert.ok(await card(panel).getByText("Your answer also settles 1 equal question.").isVisible());
    assert.match(await panel.page.getByRole("status").innerText(), /1 of 3/);
  });
});
