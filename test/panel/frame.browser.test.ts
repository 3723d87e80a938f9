/** The frame of the panel: it never scrolls, and what a question can be answered with stays in sight. */
import assert from "node:assert/strict";
import type { UserRequest } from "../../src/chat/requests.ts";
import { panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage, Theme } from "./page.ts";
import { busy, card } from "./question-card.ts";
import { commands, questionRequest, servers, todoDone } from "./trust-states.ts";

const sizes = [
  [600, 800],
  [400, 600],
  [320, 480],
  [240, 330],
  [240, 280],
] as const;
const themes: Theme[] = ["dark", "light", "hc", "hcl"];

/** All that can stand beside a question. */
const beside = {
  review: [...f.review, f.changedFile("src/a/very/long/folder/for/a/name/exact-cents.ts", 4, 12, 3)],
  servers,
  restored: { files: 3, at: f.now, open: 0, isUndo: false },
};

/** Returns a panel with a question, and everything else that the dock can show. */
async function crowded(request: UserRequest): Promise<PanelPage> {
  const chat = f.chat("Fix the rounding in cart totals", [f.asked, f.rondo([todoDone(1)])], {
    status: request.kind === "plan" ? { type: "idle" } : busy,
    requests: [request],
    queue: [f.waiting("q_1", "And the changelog")],
    background: commands,
  });
  const panel = await panelWith(f.snapshot(chat, f.panelState(beside)), {
    type: "notice",
    message: "The file could not be attached.",
    next: "It is larger than 20 MB. Attach a part of it, or name it in your message.",
    fix: "none",
  });
  await card(panel).waitFor();
  return panel;
}

/** Returns what is not wholly in sight of the buttons of the answers and the field, or is covered by something else. */
function outOfSight(panel: PanelPage): Promise<string[]> {
  return panel.page.evaluate(() => {
    const answers = [...document.querySelectorAll<HTMLElement>(".Consent .answers button, .Composer textarea")];
    const { innerWidth, innerHeight } = window;
    if (answers.length < 3) return [`only ${answers.length} answers`];
    return answers.flatMap((one) => {
      const { left, right, top, bottom, width } = one.getBoundingClientRect();
      const name = one.textContent?.trim() || one.getAttribute("aria-label") || one.tagName;
      const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && width > 0;
      if (!inside) return [`${name}: ${[left, top, right, bottom].map(Math.round)}`];
      const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return on && (one.contains(on) || on.contains(one)) && one.contains(on)
        ? []
        : [`${name} is under ${on?.className}`];
    });
  });
}

function scrolled(panel: PanelPage): Promise<string> {
  return panel.page.evaluate(() => {
    const all = [document.documentElement, document.body, document.querySelector(".Chat")];
    return all.map((one) => `${(one?.scrollHeight ?? 0) - (one?.clientHeight ?? 0)}`).join();
  });
}

const long = f.request({
  preview: {
    type: "command",
    command: Array.from({ length: 30 }, (_, at) => `echo ${at} >> list.txt`).join(" && "),
    cwd: "/home/dev/tinyshop",
    ...{ shell: "bash", timeoutMs: 120_000, connectors: [], allowed: [] },
    parts: Array.from({ length: 30 }, (_, at) =>
      f.commandPart(`echo ${at} >> list.txt`, "ask", "", "No rule allows it."),
    ),
  },
});
const requests: Record<string, UserRequest> = {
  command: long,
  edit: f.editRequest,
  choices: questionRequest,
  plan: f.planRequest,
  budget: f.budgetRequest,
  loop: f.loopRequest,
};

describe("the frame of the panel", () => {
  for (const [name, request] of Object.entries(requests)) {
    it(`keeps the answers and the field of a question in sight at every size: ${name}`, async () => {
      const panel = await crowded(request);
      for (const [width, height] of sizes) {
        await panel.resize({ width, height });
        for (const theme of themes) {
          await panel.dress(theme);
          assert.deepEqual(await outOfSight(panel), [], `${width} × ${height}, ${theme}`);
          assert.equal(await scrolled(panel), "0,0,0", `${width} × ${height}, ${theme}`);
        }
      }
    });
  }

  it("keeps them in sight with long words in the field", async () => {
    const panel = await crowded(long);
    await panel.page.getByRole("textbox", { name: "Tell Rondo what to do instead" }).fill("word ".repeat(400));
    for (const [width, height] of sizes) {
      await panel.resize({ width, height });
      assert.deepEqual(await outOfSight(panel), [], `${width} × ${height}`);
    }
  });

  it("keeps Allow, Always allow and Deny in one row from 320 px on, also with words in the field", async () => {
    const panel = await crowded(f.request());
    const field = panel.page.getByRole("textbox", { name: "Tell Rondo what to do instead" });
    for (const words of ["", "use tsx"]) {
      await field.fill(words);
      // The letters of these tests are wider than those of VS Code: the pictures show 320 px with words.
      for (const width of [...(words === "" ? [320] : []), 340, 360, 380, 381, 400, 420, 600]) {
        await panel.resize({ width, height: 700 });
        for (const theme of themes) {
          await panel.dress(theme);
          const rows = await card(panel)
            .locator(".answers > .Button")
            .evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().bottom)).size);
          assert.equal(rows, 1, `${width} px, ${theme}, “${words}”`);
        }
      }
    }
  });

  it("says how much of the details is below, until the end is in sight", async () => {
    const panel = await crowded(long);
    await panel.resize({ width: 320, height: 480 });
    const bar = card(panel).getByRole("button", { name: /More|more reason/ });
    await bar.click();
    await card(panel)
      .getByRole("group", { name: /^(Details|What it does)/ })
      .press("End");
    await bar.waitFor({ state: "detached" });
  });

  it("folds what stands beside a question to a line each, and hides it in a short panel", async () => {
    const panel = await crowded(long);
    await panel.resize({ width: 400, height: 800 });
    const extras = panel.page.locator(".extras > *");
    for (const height of await extras.evaluateAll((all) => all.map((one) => one.clientHeight))) {
      assert.ok(height <= 60, `${height} px`);
    }
    await panel.resize({ width: 320, height: 480 });
    assert.equal(await extras.filter({ visible: true }).count(), 0);
  });
});
