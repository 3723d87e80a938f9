/** Answers that try to run scripts, load files or navigate, and malformed messages to the host. */
import assert from "node:assert/strict";
import { said, say, status } from "../panel-actions.ts";
import { clickUntil, sharedWindow, type Window } from "../window.ts";

const elsewhere = "http://elsewhere.example";
const answer = `Look:

<script>window.top.hacked = window.hacked = true; fetch("${elsewhere}/script")</script>
<img src=x onerror="window.hacked = true; fetch('${elsewhere}/onerror')">
<iframe src="${elsewhere}/frame"></iframe>
<style>@import "${elsewhere}/style.css"; body { display: none }</style>
<svg onload="window.hacked = true"><use href="${elsewhere}/use.svg#a"/></svg>

![picture](${elsewhere}/picture.png) <a href="javascript:window.hacked = true">raw</a>
[script](javascript:window.hacked=true) [data](data:text/html,<script>window.hacked=true</script>) [command](command:workbench.action.closeActiveEditor)

[a page](${elsewhere}/page)

That was it.`;

describe("hostile content", () => {
  let window: Window;
  before(async () => {
    window = await sharedWindow();
  });

  it("an answer runs and loads nothing", async () => {
    const asked: string[] = [];
    window.page.on("request", (request) => asked.push(request.url()));
    const panel = await window.panel();
    window.plays({ blocks: [{ text: answer, pieces: 60 }], delay: 10 });
    await say(panel, "look at this");
    await said(panel, "That was it.");
    await status(panel, /Done/);
    for (const word of ["script", "data", "command", "raw"]) {
      assert.equal(await panel.getByRole("link", { name: word, exact: true }).count(), 0, `"${word}" is a link`);
    }
    for (const tag of ["iframe", "img", "style", "svg"]) {
      assert.equal(await panel.getByRole("log").locator(tag).count(), 0, `a ${tag} is in the answer`);
    }
    for (const frame of window.page.frames()) assert.equal(await frame.evaluate("window.hacked"), undefined);
    assert.deepEqual(
      asked.filter((url) => url.includes("elsewhere")),
      [],
    );
  });

  it("a link opens only after a VS Code prompt that shows the address", async () => {
    const { page } = window;
    const panel = await window.panel();
    const dialog = page.locator(".monaco-dialog-box");
    const addresses = () =>
      page
        .context()
        .pages()
        .map((one) => one.url());
    const before = addresses();
    await clickUntil(panel.getByRole("link", { name: "a page" }), () => dialog.isVisible());
    assert.match(await dialog.innerText(), /open the external website[\s\S]*elsewhere\.example\/page/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(addresses(), before, "no page was opened");
  });

  it("an unknown message to the host is ignored and logged", async () => {
    // Only the panel's script can post to the host, so the test wraps its API.
    await window.page.addInitScript(() => {
      let acquire: () => unknown;
      Object.defineProperty(globalThis, "acquireVsCodeApi", {
        set: (given) => {
          acquire = given;
        },
        get: () => () => {
          const api = acquire();
          Reflect.set(globalThis, "hostApi", api);
          return api;
        },
      });
    });
    const panel = await window.reload();
    const logged = (await logLines()).length;
    await panel.evaluate(() => {
      const bad = [7, {}, { type: "run", command: "touch ran.txt" }, { type: "prompt", text: 5, attachments: [] }];
      for (const message of bad) Reflect.get(globalThis, "hostApi").postMessage(message);
    });
    window.plays([{ text: "All is well." }]);
    await say(panel, "still there?");
    await said(panel, "All is well.");
    assert.equal((await logLines()).length - logged, 4);
    await assert.rejects(window.read("ran.txt"));
  });

  async function logLines(): Promise<string[]> {
    const texts = [...(await window.kept("data/logs"))].filter(([file]) => file.endsWith("Rondo.log"));
    return texts.flatMap(([, text]) =>
      text.split("\n").filter((line) => line.includes("An unknown message from the panel")),
    );
  }

  it("the console shows no errors of Rondo's own", () => {
    assert.deepEqual(window.errors, []);
  });
});
