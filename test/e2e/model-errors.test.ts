/**
 * Servers that refuse, are busy or unreachable, and a window without a folder: each shows a message and a next step.
 */
import assert from "node:assert/strict";
import type { Frame, Locator } from "playwright-core";
import { until } from "../timing.ts";
import { press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const failure = (status: number, type: string, message: string, headers = {}) => {
  return { status, headers, body: { type: "error", error: { type, message } } };
};

describe("model errors", () => {
  let window: Window;
  before(async () => {
    const limits = { "rondo.loop.retryBackoffSeconds": 0.1, "rondo.loop.maxRetries": 1, "rondo.maxTurns": 2 };
    window = await openWindow({ settings: limits });
  });
  after(() => window?.close());

  async function alert(panel: Frame, words: RegExp): Promise<Locator> {
    const found = panel.getByRole("alert").filter({ hasText: words });
    await found.waitFor();
    await status(panel, /Stopped by an error/);
    return found;
  }

  /** Checks that the prompt is kept and is answered without being typed again. */
  async function assertTriedAgain(panel: Frame, prompt: string): Promise<void> {
    window.plays([{ text: "Now it works." }]);
    await press(panel, "Try again");
    await said(panel, "Now it works.");
    await status(panel, /Done/);
    assert.equal(await panel.getByRole("alert").count(), 0);
    assert.equal(await panel.getByRole("article", { name: "You" }).count(), 1);
    const messages = window.requests.at(-1)?.body["messages"];
    assert.equal(JSON.stringify(messages).split(prompt).length, 2, "the model is told the prompt once");
  }

  it("names a wrong key and offers to set another one", async () => {
    window.plays(failure(401, "authentication_error", "invalid x-api-key"));
    const panel = await window.panel();
    await say(panel, "hello with a wrong key");
    const found = await alert(panel, /refused the API key: invalid x-api-key/);
    assert.match(await found.innerText(), /Your message is kept/);
    assert.equal(window.requests.length, 1, "it is not retried");
    await found.getByRole("button", { name: "Set key" }).click();
    await panel.getByRole("textbox", { name: "API key" }).press("Escape");
    await assertTriedAgain(panel, "hello with a wrong key");
  });

  it("names an unknown model and offers to choose another one", async () => {
    const panel = await window.newSession();
    window.plays(failure(404, "not_found_error", "model: nobody"));
    await say(panel, "hello to nobody");
    const found = await alert(panel, /has no model/);
    await found.getByRole("button", { name: "Choose a model" }).click();
    const picker = panel.getByRole("dialog", { name: "Choose a model" });
    await picker.waitFor();
    await panel.page().keyboard.press("Escape");
    await picker.waitFor({ state: "detached" });
    await assertTriedAgain(panel, "hello to nobody");
  });

  it("H1 counts down to the next attempt, and retries at once on request, without duplicates", async () => {
    const panel = await window.newSession();
    const busy = failure(429, "rate_limit_error", "slow down", { "retry-after": "60" });
    window.plays(busy, [{ text: "Here is the answer." }]);
    await say(panel, "hello in the rush");
    await status(panel, /retrying in (60|5\d) s/i);
    await press(panel, "Try now");
    await said(panel, "Here is the answer.");
    await status(panel, /Done/);
    assert.equal(await panel.getByRole("log").getByText("Here is the answer.", { exact: true }).count(), 1);
    assert.equal(await panel.getByRole("article").count(), 2);
  });

  it("L1 goes on from the limit of replies, which is set in place", async () => {
    const panel = await window.newSession();
    const look = { call: { name: "glob", input: { pattern: "*" } } };
    const again = { call: { name: "glob", input: { pattern: "*.md" } } };
    window.plays([look], [again], [look], [again], [look], [{ text: "All of it is read." }]);
    const asked = window.requests.length;
    await say(panel, "read all of it");
    const notice = panel.getByRole("group", { name: "Rondo reached the limit of replies to one message." });
    await notice.getByRole("button", { name: "Continue" }).click();
    await until(() => window.requests.length >= asked + 4);
    await notice.getByRole("button", { name: "Change the limit" }).click();
    const form = panel.getByRole("form", { name: "Limit of replies" });
    await form.getByText("No limit").click();
    await form.getByRole("button", { name: "Set and go on" }).click();
    await said(panel, "All of it is read.");
    await status(panel, /Done/);
    assert.equal(await notice.count(), 0);
  });

  it("says that the server does not respond, and continues when it does again", async () => {
    const panel = await window.newSession();
    await window.modelIs("away");
    await say(panel, "hello, is anybody there?");
    await alert(panel, /does not answer/);
    await window.modelIs("back");
    await assertTriedAgain(panel, "hello, is anybody there?");
  });

  it("H4 repeats the request when a reply is cut off, and shows the reply once", async () => {
    const panel = await window.newSession();
    const text = "This sentence has been said to its end.";
    window.plays({ blocks: [{ text, pieces: 10 }], cutAt: 900 }, [{ text }]);
    await say(panel, "hello on a bad line");
    await status(panel, /Done/);
    assert.equal(await panel.getByRole("log").getByText(text, { exact: true }).count(), 1);
    assert.equal(window.requests.length >= 2, true);
  });

  it("answers without a folder, and says that there are no files to work on", async () => {
    const panel = await window.closeFolder();
    await panel.getByText("No folder is open.").waitFor();
    const asked = window.requests.length;
    window.plays([{ call: { name: "bash", input: { command: "ls" } } }], [{ text: "There is no folder." }]);
    await say(panel, "list the files");
    await said(panel, "There is no folder.");
    await status(panel, /Done/);
    assert.match(window.requests[asked + 1]?.raw ?? "", /No folder is open/);
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
