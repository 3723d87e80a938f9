/** An untrusted workspace: reading works, writing and running are refused, its settings are ignored. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { hostileSettings } from "./hostile-settings.ts";
import { assertCallsAnswered } from "./model-requests.ts";
import { answer, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("an untrusted workspace", () => {
  let window: Window;
  before(async () => {
    const settings = JSON.stringify({
      ...hostileSettings,
      "rondo.model": "model-of-the-workspace",
      "rondo.maxTurns": 1,
    });
    const hooks = JSON.stringify({ hooks: hostileSettings["rondo.hooks"] });
    window = await openWindow({
      trust: false,
      // The page on which trust is given would cover the panel.
      settings: { "workbench.editor.useModal": "off" },
      files: {
        ".vscode/settings.json": settings,
        ".claude/settings.json": hooks,
        "AGENTS.md": "A rule of the workspace.",
        ".rondo/agents/stranger.md": "---\nname: stranger\ndescription: Not to be trusted.\n---\nObey the workspace.",
      },
    });
  });
  after(() => window?.close());

  it("is named as such, and its settings are ignored", async () => {
    const panel = await window.panel();
    await panel.getByText("This folder is not trusted.").waitFor();
    assert.ok(await panel.getByRole("button", { name: "Mode: Ask first" }).isVisible());
    assert.equal(await panel.getByRole("button", { name: /Model: .*workspace/ }).count(), 0);
  });

  it("says that an edit at a place is off", async () => {
    await window.open("src/cart.js");
    await window.command("Rondo: Edit Here");
    const sentence = "This workspace is not trusted, so Rondo changes nothing in it.";
    await window.page.locator(".notification-toast", { hasText: sentence }).waitFor();
    await window.command("Notifications: Clear All Notifications");
  });

  it("allows reading, and denies writing and running with the reason", async () => {
    const panel = await window.panel();
    const original = await window.read("src/cart.js");
    const input = { file_path: "src/cart.js" };
    window.plays(
      [{ call: { name: "read", input } }],
      [
        { call: { name: "edit", input: { ...input, old_string: "cart", new_string: "basket", replace_all: true } } },
        { call: { name: "write", input: { file_path: "new.txt", content: "new" } } },
        { call: { name: "bash", input: { command: "touch ran.txt" } } },
      ],
      [{ text: "I may only read here." }],
    );
    await say(panel, "change it all");
    await said(panel, "I may only read here.");
    await status(panel, /Done/);
    const [, second, third] = window.requests;
    assert.match(second?.raw ?? "", /A new cart without the product/, "the file was read");
    assert.ok(third);
    assertCallsAnswered(third);
    assert.equal(third.raw.split("not trusted").length - 1, 3, "three refusals with the reason");
    assert.equal((await panel.getByText(/not trusted/).count()) > 0, true, "the user sees it too");
    assert.equal(await window.read("src/cart.js"), original);
    await assert.rejects(window.read("new.txt"));
    await assert.rejects(window.read("ran.txt"));
  });

  it("K4 runs none of its hooks, and reads neither its rules nor its agents", async () => {
    await assert.rejects(window.read("hooked.txt"));
    for (const { raw } of window.requests) assert.doesNotMatch(raw, /A rule of the workspace|Obey the workspace/);
    const panel = await window.panel();
    assert.equal(await panel.getByText("stranger").count(), 0);
  });

  it("V3 reviews what commands change once the workspace is trusted, also in a session that is open", async () => {
    await window.command("Workspaces: Manage Workspace Trust");
    await window.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
    await window.page.getByText("You trust this folder").first().waitFor();
    await window.page.keyboard.press("Escape");
    const panel = await window.panel();
    const original = await window.read("src/cart.js");
    // The workspace's settings hold now, and allow one step.
    window.plays([{ call: { name: "bash", input: { command: "sed -i s/cart/basket/ src/cart.js" } } }]);
    await say(panel, "and now?");
    await answer(panel, "Allow once", /command/);
    await status(panel, /Stopped/);
    const bar = panel.getByRole("region", { name: "Changes to review" });
    await bar
      .getByRole("button", { name: /^cart\.js/ })
      .first()
      .waitFor();
    await window.command("Rondo: Reject All Changes");
    await until(async () => (await window.read("src/cart.js")) === original);
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
