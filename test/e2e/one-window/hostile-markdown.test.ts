/**
 * Replies whose Markdown overflows, slows down or swells a renderer: the session goes on, and Stop works. The panel's own
 * tests have all of them (`test/panel/hostile-markdown.browser.test.ts`); these take longest to draw.
 */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { hostileMarkdown } from "../../panel/hostile-markdown.ts";
import { heldAnswer } from "../held-answer.ts";
import { press, said, say, status } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

const longest = ["code marks of all lengths", "a wide table with short rows", "addresses", "fences", "list items"];

describe("hostile Markdown", () => {
  let window: Window;
  before(async () => {
    window = await sharedWindow();
  });

  /** Has the model say the text, and resolves once it is being drawn. The model stops halfway until it is released. */
  async function begin(panel: Frame, name: string, text: string): Promise<() => void> {
    const first = `Here is ${name}:`;
    const { answer, release } = heldAnswer(`${first}\n\n${text}`);
    window.plays(answer);
    await say(panel, `Say ${name}.`);
    await said(panel, first);
    return release;
  }

  async function assertGoesOn(panel: Frame, name: string): Promise<void> {
    const words = `The words after ${name}.`;
    window.plays([{ text: words }]);
    await say(panel, `Go on after ${name}.`);
    await said(panel, words);
    await status(panel, /Done/);
    assert.deepEqual(window.errors, []);
  }

  const texts = new Map(hostileMarkdown);
  for (const name of longest) {
    it(`${name}: the next prompt is answered, and Stop works`, async () => {
      const text = texts.get(name);
      assert.ok(text, "there is such a text");
      const panel = await window.newSession();
      const release = await begin(panel, name, text);
      release();
      await panel.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

      await begin(panel, `${name} again`, text);
      await press(panel, "Stop");
      await window.requests.at(-1)?.left;
      await status(panel, /Stopped by you/);
      await assertGoesOn(panel, name);
    });
  }
});
