/** Pages that replace the conversation: permission rules, MCP servers. */
import assert from "node:assert/strict";
import { button, focused, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { judgement, rules, servers } from "./trust-states.ts";

const page = (panel: PanelPage, name: string) => panel.page.getByRole("region", { name, exact: true });

async function fromMenu(panel: PanelPage, name: string): Promise<void> {
  await button(panel, /^Mode: /).click();
  await panel.page.getByRole("menuitem", { name }).click();
}

describe("the rules page", () => {
  const open = async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    await fromMenu(panel, "Permission rules…");
    await panel.post({ type: "rules", rules });
    return panel;
  };

  it("lists rules by source, with how often each decided", async () => {
    const panel = await open();
    const all = page(panel, "Rules");
    assert.deepEqual(await all.getByRole("heading").allInnerTexts(), [
      "This workspace",
      "Yours, everywhere",
      "Agent reviewer",
      "Built in",
    ]);
    const rows = (await all.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    assert.match(rows[2] ?? "", /^Allow bash git status \* ?Decided 210 times, last \d+ min ago$/);
    assert.match(rows[1] ?? "", /^Allow bash make deploy \* ?Never used$/);
    assert.match(rows[4] ?? "", /^Deny edit \* ?Decided 1 time, last (?:yesterday|on \w{3})$/);
    assert.ok(await all.getByText("6 rules, 265 decisions.").isVisible());
    assert.ok(await panel.page.getByRole("textbox", { name: "Message" }).isVisible());
  });

  it("removes a rule on the second click, and only where allowed", async () => {
    const panel = await open();
    assert.equal(
      await page(panel, "Rules")
        .getByRole("button", { name: /^Remove / })
        .count(),
      4,
    );
    const remove = button(panel, "Remove bash make deploy *");
    await remove.click();
    assert.deepEqual(await panel.sentOf("remove-rule"), []);
    await panel.page.keyboard.press("Escape");
    assert.ok(await remove.isVisible(), "Escape takes it back, and leaves the page open");
    await remove.click();
    await panel.post({ type: "rules", rules: structuredClone(rules) });
    await button(panel, "Remove for good").click();
    const rule = { permission: "bash", pattern: "make deploy *", action: "allow" };
    assert.deepEqual(await panel.sentOf("remove-rule"), [{ type: "remove-rule", rule, source: "workspace" }]);
    assert.equal(await focused(panel), "Rules");
  });

  it("tells which rule decides about a command", async () => {
    const panel = await open();
    await panel.page.getByRole("textbox", { name: "Which rule decides?" }).pressSequentially("rm x");
    await panel.page.waitForFunction(() => window.sent.some((sent) => sent.type === "explain"));
    assert.equal((await panel.sentOf("explain")).at(-1)?.command, "rm x");
    await panel.post({ type: "explained", judgement });
    const told = page(panel, "Rules").getByRole("list", { name: "What the rules decide" });
    const before = (await panel.sentOf("explain")).length;
    await panel.post({ type: "rules", rules: rules.slice(1) });
    await panel.page.waitForFunction(
      (before) => window.sent.filter((sent) => sent.type === "explain").length > before,
      before,
    );
    assert.match(await told.innerText(), /rm -rf coverage\s+Deletes files\. The built-in rule rm \* asks\./);
  });

  it("requests rules while it is open, and closes by Escape and by its button", async () => {
    const panel = await open();
    assert.equal(await focused(panel), "Rules");
    await panel.page.keyboard.press("Escape");
    assert.equal(await page(panel, "Rules").count(), 0);
    assert.equal(await focused(panel), "Mode: Ask first");
    await panel.post({ type: "show-rules" });
    await button(panel, "Back to the conversation").click();
    const sent = (await panel.sent()).map(({ type }) => type);
    assert.deepEqual(sent, ["ready", "show-rules", "hide-rules", "show-rules", "hide-rules"]);
  });

  it("shows hidden characters of patterns", async () => {
    const panel = await open();
    const sly = {
      ...(rules[2] ?? assert.fail()),
      rule: { permission: "bash", pattern: "ls\u202e *", action: "allow" as const },
    };
    await panel.post({ type: "rules", rules: [sly] });
    assert.ok(await page(panel, "Rules").getByText("bash ls[U+202E] *").isVisible());
  });
});

describe("the servers page", () => {
  const row = (panel: PanelPage, name: string) =>
    page(panel, "Servers")
      .getByRole("listitem")
      .filter({ has: panel.page.getByRole("heading", { name, exact: true }) });
  const open = async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked]), f.panelState({ servers })));
    await fromMenu(panel, "MCP servers…");
    return panel;
  };

  it("shows each server's source, state and next step", async () => {
    const panel = await open();
    assert.match(
      await row(panel, "github").innerText(),
      /2 tools · from settings\s+https:\/\/api\.githubcopilot\.com\/mcp\//,
    );
    await row(panel, "github").getByText("Its tools").click();
    assert.match(await row(panel, "github").innerText(), /create_issue\s+Creates an issue in a repository\./);
    assert.match(
      await row(panel, "database").innerText(),
      /runs with your privileges:\s+npx -y @example\/database-server --url postgres:\/\/localhost\/shop/,
    );
    assert.match(await row(panel, "browser").innerText(), /was not found\.\s+Install it, or change its command/);
  });

  it("sends the clicked action", async () => {
    const panel = await open();
    const names = [
      "Stop github",
      "Log of github",
      "Allow database",
      "Sign in to linear",
      "Try browser again",
      "Start old",
    ];
    for (const name of names) await button(panel, name).click();
    assert.deepEqual(
      (await panel.sentOf("server")).map(({ name, action }) => `${action} ${name}`),
      ["stop github", "show-log github", "allow database", "sign-in linear", "start browser", "start old"],
    );
  });

  it("is linked from a line in the dock, which can be dismissed until a state changes", async () => {
    const some = servers.slice(1, 2);
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked]), f.panelState({ servers: some })));
    const line = panel.page.getByRole("group", { name: "Servers" });
    assert.match(await line.innerText(), /Server database\s+needs permission to start/);
    await line.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await line.count(), 0);
    const failed = servers.slice(4, 5).map((server) => ({ ...server, name: "database" }));
    await panel.post({ type: "state", state: f.panelState({ servers: failed }) });
    await line.getByRole("button", { name: "Show servers" }).click();
    await page(panel, "Servers").waitFor();
    assert.equal(await line.count(), 0);
  });
});
