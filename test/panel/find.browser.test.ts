/** Find in the conversation: what is in the page, what is not, what is folded, and what only the host has. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { until } from "../timing.ts";
import { boxes, button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { drawn, elements, log, sendEarlier, withTail } from "./long-log.ts";
import { lastWords, longChat, longest } from "./long-session.ts";
import { child } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

/** 300 steps. */
const length = { turns: 6, steps: 50, outputCharacters: 400 };
const mostElements = 1500;

const bar = (panel: PanelPage): Locator => panel.page.getByRole("search", { name: "Find" });
const field = (panel: PanelPage): Locator => panel.page.getByRole("textbox", { name: "Find in conversation" });

async function find(panel: PanelPage, query: string): Promise<void> {
  if (!(await field(panel).isVisible())) await panel.page.keyboard.press("Control+F");
  await field(panel).fill(query);
}

/** Waits until the bar says so. */
const says = (panel: PanelPage, words: string) => bar(panel).getByText(words, { exact: true }).waitFor();

interface Marked {
  text: string;
  /** Whether its middle is what is to be seen there. */
  isSeen: boolean;
  /** Distance from the top of the page in px. */
  top: number;
}

/** Returns the match that is marked as the current one. */
function current(panel: PanelPage): Promise<Marked> {
  return panel.page.evaluate(() => {
    const [range] = CSS.highlights.get("find-current") ?? [];
    if (!(range instanceof Range)) return { text: "", isSeen: false, top: 0 };
    const { left, right, top, bottom } = range.getClientRects()[0] ?? new DOMRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const own = range.startContainer.parentElement;
    return {
      text: range.toString(),
      isSeen: at !== null && own !== null && (own.contains(at) || at.contains(own)),
      top,
    };
  });
}

const marked = (panel: PanelPage) =>
  panel.page.evaluate(() => [...(CSS.highlights.get("find-match") ?? [])].map(String));

const long = (word: string, lines: number, place: number) =>
  Array.from({ length: lines }, (_, at) => (at === place ? `here is ${word}` : `line ${at}`)).join("\n");

describe("find in the conversation", () => {
  it("U11 reaches messages that are not in the page, and those that the host still has", async () => {
    const chat = longChat(length);
    const panel = await withTail(chat);
    await message(panel).focus();
    await find(panel, "task number 0");
    await sendEarlier(panel, chat);
    await says(panel, "1 of 1");
    const { text, isSeen } = await current(panel);
    assert.deepEqual({ text, isSeen }, { text: "Task number 0", isSeen: true });
    assert.ok((await elements(panel)) < mostElements);
    assert.equal(await focused(panel), "Find in conversation", "the field keeps the focus");
  });

  const folded = {
    "a thought": [f.thought("It is about quinces.", 2)],
    "a group of calls": [
      f.done("read", { file_path: `${f.cwd}/a.ts` }, { fact: "1 line" }, "apples"),
      f.done("read", { file_path: `${f.cwd}/b.ts` }, { fact: "1 line" }, "some quinces"),
    ],
    "an output whose last lines alone are shown": [
      f.done("bash", { command: "cat fruit" }, { fact: "exit code 0" }, long("quinces", 90, 40)),
    ],
    "a command of several lines": [
      f.done("bash", { command: "echo one\necho quinces" }, { fact: "exit code 0" }, "one"),
    ],
    "a change": [
      f.done(
        "edit",
        { file_path: `${f.cwd}/a.ts` },
        { diff: { path: `${f.cwd}/a.ts`, added: 1, removed: 0, patch: "@@ -1,1 +1,2 @@\n pears\n+quinces" } },
        "Edited.",
      ),
    ],
    "an error": [
      f.tool("grep", {
        status: "error",
        input: { pattern: "x" },
        error: long("quinces", 40, 3),
        start: 0,
        end: 40,
      }),
    ],
  };
  for (const [what, parts] of Object.entries(folded)) {
    it(`U11 opens ${what} to show a match`, async () => {
      const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([...parts, f.said("Done.")])])));
      await find(panel, "quinces");
      await says(panel, "1 of 1");
      const { text, isSeen } = await current(panel);
      assert.deepEqual({ text, isSeen }, { text: "quinces", isSeen: true });
    });
  }

  it("U11 opens a long message of the user, the summary of a compaction, and the conversation of a subagent", async () => {
    const call = f.tool("task", {
      ...{ status: "completed", input: { description: "look", subagent_type: "explore" }, output: "It is a medlar." },
      ...{ title: "look", metadata: { childID: "ses_2" }, start: f.now - 2000, end: f.now },
    });
    const summary = f.rondo([f.said("It was about **plums**.")], { summary: true, finish: "stop", completedAt: f.now });
    const messages = [
      f.you(long("quinces", 60, 50)),
      f.rondo([call, f.said("Well.")]),
      f.unsaid({ type: "compaction", auto: true }),
      summary,
    ];
    const nested = [f.you("Look."), f.rondo([f.thought("Perhaps a sloe.", 2), f.said("It is a medlar.")])];
    const panel = await panelWith(f.snapshot(f.chat("T", messages, { children: { ses_2: child("ses_2", nested) } })));
    for (const word of ["quinces", "plums", "medlar", "sloe"]) {
      await find(panel, word);
      await says(panel, "1 of 1");
      const { text, isSeen } = await current(panel);
      assert.deepEqual({ text, isSeen }, { text: word, isSeen: true });
    }
  });

  it("U11 searches answers as they are read, without their signs", async () => {
    const text =
      "The **rate** of `module` &amp; *tax* is [here](https://example.com).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |\n\n```ts src/cart.ts\nlet sum = 0;\n```\n";
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said(text)])])));
    for (const query of ["the rate of module & tax is here.", "src/cart.ts", "let sum"]) {
      await find(panel, query);
      await says(panel, "1 of 1");
      assert.equal((await current(panel)).text.toLowerCase(), query);
    }
    for (const query of ["**", "&amp;", "https://", "```", "one two", "c d"]) {
      await find(panel, query);
      await says(panel, "No results");
      assert.deepEqual(await marked(panel), []);
    }
  });

  it("U11 finds formulas by their source, and marks what is drawn", async () => {
    const text =
      "Grows by $r_{rate}$ each year.\n\n$$\n\\frac{rate}{2}\n$$\n\n$$\n\\sqrt{rate}\n$$\n\nAnd $\\foo{rate}$ fails.";
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said(text)])])));
    await panel.page.locator("math").nth(2).waitFor();
    await find(panel, "rate");
    await says(panel, "1 of 4");
    assert.deepEqual(
      (await marked(panel)).map((one) => one.replace(/^(\$.*\$) This .*/s, "$1")),
      ["rrate", "rate2", "rate", "$\\foo{rate}$"],
    );
    const { text: first, isSeen } = await current(panel);
    assert.deepEqual([first, isSeen], ["rrate", true]);
    await find(panel, "\\frac{");
    await says(panel, "1 of 1");
    await find(panel, "by r_{rate} each");
    await says(panel, "1 of 1");
    assert.equal((await current(panel)).text, "by rrate each");
    for (const query of ["$", "rate}{2}\\sqrt"]) {
      await find(panel, query);
      await says(panel, "No results");
    }
  });

  it("U11 finds the title of a folded group, and leaves the group folded", async () => {
    const reads = ["src/quinces.ts", "src/money.ts", "src/a.ts"].map((path) => f.readDone(path, 64));
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([...reads, f.said("Done.")])])));
    await find(panel, "Read quinces.ts, mon");
    await says(panel, "1 of 1");
    const { text, isSeen } = await current(panel);
    assert.deepEqual([text, isSeen], ["Read quinces.ts, mon", true]);
    assert.equal(await log(panel).locator("details[open]").count(), 0);
    await find(panel, "quinces.ts");
    await says(panel, "1 of 2");
    await field(panel).press("Enter");
    await says(panel, "2 of 2");
    assert.equal((await current(panel)).text, "quinces.ts");
    assert.equal(await log(panel).locator("details[open]").count(), 1);
  });

  it("U11 marks each match that it counts, one after the other, and goes around the end", async () => {
    const chat = f.chat("T", [f.asked, f.rondo([...f.work, f.said(f.answer)])]);
    const panel = await panelWith(f.snapshot(chat));
    await find(panel, "cart");
    const total = Number((await bar(panel).getByText(/ of /).innerText()).split(" of ")[1]);
    assert.ok(total > 5, `${total}`);
    const places = new Set<string>();
    for (let step = 0; step < total; step++) {
      await panel.page.keyboard.press("Enter");
      const { text, isSeen } = await current(panel);
      const words = await bar(panel).getByText(/ of /).innerText();
      assert.equal(text.toLowerCase(), "cart", words);
      assert.ok(isSeen, `${words} is in sight`);
      places.add(words);
    }
    assert.equal(places.size, total);
    assert.ok((await marked(panel)).length === total, "all that is open now is marked");
  });

  it("U11 counts on while an answer streams, and the current match stays", async () => {
    const reply = f.rondo([f.saying(`A quince. ${"More words.\n\n".repeat(80)}`)]);
    const [part] = reply.parts;
    assert.ok(part);
    const chat = f.chat("T", [f.asked, reply], { status: { type: "busy", since: f.now } });
    const panel = await panelWith(f.snapshot(chat));
    await find(panel, "quince");
    await says(panel, "1 of 1");
    const before = await current(panel);
    for (let count = 2; count < 5; count++) {
      const text = `Another **quince**. ${"More words.\n\n".repeat(20)}`;
      await panel.post(events({ type: "delta", messageID: part.messageID, partID: part.id, text }));
      await says(panel, `1 of ${count}`);
    }
    assert.deepEqual(await current(panel), before);
    await panel.page.keyboard.press("Shift+Enter");
    await says(panel, "4 of 4");
    assert.equal((await current(panel)).isSeen, true);
  });

  it("U11 shows the first match of 10 MB at once, and draws while it searches the rest", async () => {
    const panel = await panelWith();
    // As one text: a page takes 12,000 parts one by one much more slowly.
    const snapshot = JSON.stringify({ ...f.snapshot(longChat(longest)), seq: 1 });
    await panel.page.evaluate((text) => window.postMessage(JSON.parse(text), "*"), snapshot);
    await log(panel).getByText(lastWords).waitFor();
    await find(panel, "");
    const seen = await panel.page.evaluate(async () => {
      const input = document.querySelector<HTMLInputElement>("[aria-label='Find in conversation']");
      const words = () => input?.nextElementSibling?.textContent ?? "";
      if (input) input.value = "gross";
      input?.dispatchEvent(new Event("input", { bubbles: true }));
      let first: string[] = [];
      while (first.length === 0) {
        await new Promise((drawn) => requestAnimationFrame(drawn));
        first = [...(CSS.highlights.get("find-current") ?? [])].map(String);
      }
      const early = words();
      let frames = 0;
      for (; !words().includes(" of "); frames++) await new Promise((drawn) => requestAnimationFrame(drawn));
      return { first, early, frames };
    });
    assert.deepEqual(seen.first, ["gross"]);
    assert.match(seen.early, /so far$/);
    assert.ok(seen.frames > 3, `${seen.frames} frames`);
  });

  it("U11 takes hostile queries as they are", async () => {
    const text = "f(x) = [a-z]+ $1 \\d 👍🏽 café שלום עולם <b>x</b>";
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you(text), f.rondo([f.said("Yes.")])])));
    for (const query of ["f(x)", "[a-z]+", "$1", "\\d", "👍", "CAFÉ".toLowerCase(), "שלום", "<b>x</b>"]) {
      await find(panel, query);
      await says(panel, "1 of 1");
      assert.equal((await current(panel)).text, query);
    }
    for (const query of [".*", "((", "^f", "a".repeat(10_000), "Café ", "\u202e"]) {
      await find(panel, query);
      await says(panel, "No results");
    }
    await find(panel, "   ");
    assert.deepEqual(await marked(panel), []);
  });

  it("U11 opens by Ctrl+F from anywhere, goes on by F3, and gives the focus back by Escape", async () => {
    const panel = await panelWith(f.snapshot(longChat(length)));
    const { page } = panel;
    const places = [message(panel), log(panel), button(panel, "New session")];
    for (const place of places) {
      await place.focus();
      const before = await focused(panel);
      await find(panel, "task number");
      await says(panel, "6 of 6");
      await page.keyboard.press("Shift+F3");
      await says(panel, "5 of 6");
      await place.focus();
      await page.keyboard.press("F3");
      await says(panel, "6 of 6");
      const { top } = await current(panel);
      await page.keyboard.press("Control+F");
      assert.equal(await focused(panel), "Find in conversation");
      await page.keyboard.press("Escape");
      await bar(panel).waitFor({ state: "detached" });
      assert.equal(await focused(panel), before);
      assert.deepEqual(await marked(panel), []);
      const [now] = await boxes(panel, log(panel).getByText("Task number 5"));
      assert.ok(Math.abs(now.y - top) < 60, "the match is still in view");
    }
  });

  it("U11 leaves an open question alone, and closes with its session", async () => {
    const chat = f.chat("T", [f.asked, f.rondo(f.work)], { requests: [f.request()] });
    const panel = await panelWith(f.snapshot(chat));
    await panel.post({ type: "find" });
    await until(async () => (await focused(panel)) === "Find in conversation");
    await panel.page.keyboard.press("Escape");
    await bar(panel).waitFor({ state: "detached" });
    await drawn(panel);
    assert.deepEqual(await panel.sentOf("answer"), []);
    await find(panel, "cart");
    const other = f.chat("Other", [f.asked]);
    await panel.post(f.snapshot({ ...other, session: { ...other.session, id: "ses_other" } }));
    await bar(panel).waitFor({ state: "detached" });
  });

  it("U11 begins with the words that are selected, and is spoken", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said("One pear, two pears.")])])));
    await log(panel)
      .getByText("One pear")
      .evaluate((element) => {
        const text = element.firstChild;
        if (text) getSelection()?.setBaseAndExtent(text, 4, text, 8);
      });
    await panel.page.keyboard.press("Control+F");
    assert.equal(await field(panel).inputValue(), "pear");
    await says(panel, "1 of 2");
    const spoken = panel.page.locator("[aria-live=polite]");
    await spoken.filter({ hasText: "1 of 2." }).waitFor({ state: "attached" });
    await find(panel, "plum");
    await spoken.filter({ hasText: "No results." }).waitFor({ state: "attached" });
  });
});
