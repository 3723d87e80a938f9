import assert from "node:assert/strict";
import { titleFromPrompt } from "../../src/loop/session/title.ts";
import { failure, type Reply, type Script } from "../scripted-model.ts";
import { harnesses, until } from "./harness.ts";

describe("titles", () => {
  const open = harnesses();

  /** Answers requests without tools with `title`, all others with `reply`. */
  const script =
    (title: Reply, reply: Reply = { say: ["Hello."] }): Script =>
    ({ tools }) =>
      tools.length === 0 ? title : reply;
  const titles = (h: ReturnType<typeof open>) => h.model.requests.filter(({ tools }) => tools.length === 0);

  it("L5 derived from the prompt at once, and by the model after its first reply", async () => {
    const h = open(script({ say: ['"Greeting in the morning."'] }), { titles: true });
    await h.turn("Good morning!\nHow are you?");
    assert.equal(h.events[0]?.type === "session" && h.events[0].session.title, "Good morning!");
    await until(() => h.chat.session.title === "Greeting in the morning");
    const [request] = titles(h);
    const part = request?.entries[0]?.parts[0];
    assert.match(part?.type === "text" ? part.text : "", /begins with this message:\n\nGood morning!\nHow are you\?$/);
    await h.turn("Again");
    assert.equal(titles(h).length, 1);
    assert.equal(h.chat.messages.length, 4, "the title is no message");
  });

  it("L5 asked for beside the first reply; with a budget after it, when its cost is known", async () => {
    for (const [limits, asked] of [
      [{}, 2],
      [{ maxBudgetTokens: 1_000_000 }, 1],
      [{ maxBudgetUsd: 10 }, 1],
      [{ maxDailyBudgetUsd: 10 }, 1],
    ] as const) {
      const h = open(script({ say: ["A title"] }, { say: ["Hello."], hang: true }), { titles: true, limits });
      const turn = h.turn("Good morning!");
      await until(() => h.events.some(({ type }) => type === "delta"));
      if (asked === 2) await until(() => h.chat.session.title === "A title");
      assert.equal(h.model.requests.length, asked, JSON.stringify(limits));
      await h.session.stop();
      await turn;
    }
  });

  it("L5 a failure stays invisible", async () => {
    const h = open(script({ fail: failure("overloaded") }), { titles: true });
    assert.equal((await h.turn("Good morning!")).reason, "end_turn");
    await until(() => titles(h).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(h.chat.session.title, "Good morning!");
    assert.deepEqual(h.bugs, []);
  });

  it("L5 not after a failed first reply, nor when disabled", async () => {
    const h = open(script({ say: ["A title"] }, { fail: failure("auth") }), { titles: true });
    await h.turn("Good morning!");
    const off = open(script({ say: ["A title"] }));
    await off.turn("Good morning!");
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(titles(h).length + titles(off).length, 0);
  });

  it("L5 a title that arrives after the session was closed or renamed is dropped", async () => {
    const h = open(script({ say: ["A title"], hang: true }), { titles: true });
    await h.turn("Good morning!");
    await until(() => titles(h).length === 1);
    await h.session.dispose();
    assert.equal(h.chat.session.title, "Good morning!");
    let go = () => {};
    const late = open(script({ say: ["A title"], before: () => new Promise<void>((resolve) => (go = resolve)) }), {
      titles: true,
    });
    await late.turn("Good morning!");
    await until(() => titles(late).length === 1);
    late.session.rename("Mine");
    go();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(late.chat.session.title, "Mine");
  });

  it("the first line with words, without Markdown, cut at a word", () => {
    const table: [string, string][] = [
      ["", ""],
      ["\n\n  Fix   the `cart`\nplease", "Fix the cart"],
      ["```\n### Überschrift", "Überschrift"],
      ["12345\n修正する", "修正する"],
      ["x".repeat(61), `${"x".repeat(60)}…`],
      ["word ".repeat(20), `${"word ".repeat(11)}word…`],
      ["𠮷".repeat(40), `${"𠮷".repeat(30)}…`],
      ["> rename `a_b` to **a->c**", "rename a_b to a->c"],
      [`x${"𠮷".repeat(40)}`, `x${"𠮷".repeat(29)}…`],
    ];
    for (const [text, title] of table) assert.equal(titleFromPrompt(text), title);
  });
});
