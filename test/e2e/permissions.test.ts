/** Permission cards, protected files, rules, background commands, checkpoints and MCP servers. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { answer, composed, press, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string, more = {}) => ({ call: { name: "bash", input: { command, ...more } } });
const write = (file_path: string, content: string) => ({ call: { name: "write", input: { file_path, content } } });
const root = path.join(import.meta.dirname, "../..");
const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

describe("permissions and checkpoints", () => {
  let window: Window;
  before(async () => {
    const servers = { mcpServers: { everything: { command: process.execPath, args: [everything, "stdio"] } } };
    window = await openWindow({ files: { ".mcp.json": JSON.stringify(servers), ".env": "KEY=hunter2\n" } });
  });
  after(() => window?.close());

  it("T7 a command is edited on its card before it runs, and the model is told", async () => {
    const panel = await window.panel();
    window.plays([run("echo wrong > made.txt")], [{ text: "Then it is right." }]);
    await say(panel, "make a file");
    const card = await question(panel, /Run this command/);
    await card.getByRole("button", { name: "Edit command" }).click();
    await card.getByRole("textbox", { name: "Command" }).fill("echo right > made.txt");
    await card.getByText("Rondo is told that you removed wrong and added right.").waitFor();
    await card.getByRole("button", { name: "Allow once" }).click();
    await said(panel, "Then it is right.");
    assert.equal(await window.read("made.txt"), "right\n");
    assert.match(window.requests.at(-1)?.raw ?? "", /It ran as: echo right > made\.txt/);
  });

  it("T8 a secret asks in all modes, for every tool", async () => {
    const panel = await window.newSession();
    await panel.getByRole("button", { name: /^Mode: / }).click();
    await panel.getByRole("menuitemradio", { name: /^Bypass/ }).click();
    for (const call of [{ call: { name: "read", input: { file_path: ".env" } } }, run("cat .env")]) {
      window.plays([call], [{ text: "As you like." }]);
      await say(panel, "read the secret");
      const card = await question(panel);
      await card
        .getByText(/secrets/)
        .filter({ visible: true })
        .first()
        .waitFor();
      const words = panel.getByRole("textbox", { name: "Tell Rondo what to do instead" });
      await words.fill("No.");
      await words.press("Enter");
      await status(panel, /Done/);
    }
    assert.ok(!window.requests.some(({ raw }) => raw.includes("hunter2")));
    await panel.getByRole("button", { name: /^Mode: / }).click();
    await panel.getByRole("menuitemradio", { name: /^Ask first/ }).click();
  });

  it("lists the rules with how often each decided, says which one decides, and removes one", async () => {
    const panel = await window.newSession();
    window.plays([run("echo one")], [run("echo two")], [{ text: "Twice." }]);
    await say(panel, "twice, please");
    const card = await question(panel, /Run this command/);
    await card.getByRole("button", { name: "Always allow" }).click();
    await card.getByRole("menuitem", { name: "Edit the rules first…" }).click();
    const sheet = panel.getByRole("alertdialog", { name: "Which rules should Rondo keep?" });
    await sheet.getByRole("list", { name: "Examples" }).waitFor();
    await sheet.getByRole("radio", { name: "Workspace" }).check({ force: true });
    await sheet.getByRole("button", { name: "Allow and keep 1 rule" }).click();
    await said(panel, "Twice.");
    await window.command("Rondo: Show Permission Rules");
    const rules = panel.getByRole("region", { name: "Rules" });
    await rules.getByRole("listitem").filter({ hasText: "echo *" }).first().waitFor();
    await rules.getByRole("textbox", { name: "Which rule decides?" }).fill("echo three && rm x");
    const decided = rules.getByRole("list", { name: "What the rules decide" });
    await decided.getByText("rm x").first().waitFor();
    await rules.getByRole("button", { name: "Remove bash echo *" }).click();
    await rules.getByRole("button", { name: /Remove for good/ }).click();
    await rules.getByRole("button", { name: "Remove bash echo *" }).waitFor({ state: "detached" });
    await decided.getByText("echo *").waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Back to the conversation" }).click();
  });

  it("T10 a background command is listed and can be ended; the model is told", async () => {
    const panel = await window.newSession();
    window.plays([run("sleep 300", { run_in_background: true })], [{ text: "It runs." }]);
    await say(panel, "start the server");
    await answer(panel, "Allow once");
    await said(panel, "It runs.");
    const row = panel.getByRole("region", { name: "Background" });
    await row.getByRole("button", { name: /Show the commands/ }).click();
    await row.getByRole("button", { name: /^End sleep 300/ }).click();
    await row
      .getByText(/ended|SIGTERM|stopped/i)
      .first()
      .waitFor();
    window.plays([{ text: "I hear." }]);
    await say(panel, "and?");
    await said(panel, "I hear.");
  });

  it("T11 the model asks, and the choice is its answer", async () => {
    const panel = await window.newSession();
    const options = [{ label: "Tabs" }, { label: "Spaces" }];
    const questions = [{ question: "Tabs or spaces?", header: "Style", options }];
    window.plays([{ call: { name: "ask_user", input: { questions } } }], [{ text: "Spaces it is." }]);
    await say(panel, "format it");
    const card = await question(panel);
    await card.getByRole("radio", { name: /Spaces/ }).check();
    await card.getByRole("button", { name: "Answer" }).click();
    await said(panel, "Spaces it is.");
    assert.match(window.requests.at(-1)?.raw ?? "", /Spaces/);
  });

  it("E1 D3 restores files that a tool and a command changed, with the conversation, and undoes the restore", async () => {
    const panel = await window.newSession();
    const before = await window.read("src/cart.js");
    window.plays([write("new.txt", "new\n"), run("echo '// more' >> src/cart.js")], [{ text: "Both are done." }]);
    await say(panel, "change two files");
    await answer(panel, "Allow once");
    await answer(panel, "Allow once");
    await said(panel, "Both are done.");
    await status(panel, /Done/);
    const mine = panel.getByRole("article", { name: "You" }).first();
    await mine.hover();
    await mine.getByRole("button", { name: "Restore to here…" }).click();
    const dialog = panel.getByRole("dialog", { name: /Restore/ });
    await dialog.getByRole("checkbox", { name: /new\.txt/ }).waitFor();
    await dialog.getByRole("checkbox", { name: /src\/cart\.js/ }).waitFor();
    await dialog.getByRole("button", { name: /^Restore/ }).click();
    await panel.getByRole("group", { name: "Restored" }).waitFor();
    assert.equal(await window.read("src/cart.js"), before);
    assert.ok(!existsSync(path.join(window.folder, "new.txt")));
    await composed(panel, "change two files");
    await panel.getByRole("group", { name: "Restored" }).getByRole("button", { name: "Undo" }).click();
    await said(panel, "Both are done.");
    assert.equal(await window.read("new.txt"), "new\n");
    assert.match(await window.read("src/cart.js"), /\/\/ more\n$/);
    await writeFile(path.join(window.folder, "src/cart.js"), before);
  });

  it("T11 a server defined by the workspace starts only after it is allowed; then its tools can be used", async () => {
    const panel = await window.newSession();
    assert.ok(!window.requests.some(({ raw }) => raw.includes("mcp__everything__echo")));
    await press(panel, "Show servers");
    const servers = panel.getByRole("region", { name: "Servers" });
    await servers.getByRole("button", { name: "Allow everything" }).click();
    await servers
      .getByText(/tools?\b/)
      .first()
      .waitFor();
    await panel.getByRole("button", { name: "Back to the conversation" }).click();
    window.plays(
      [{ call: { name: "mcp__everything__echo", input: { message: "hello there" } } }],
      [{ text: "Heard." }],
    );
    await say(panel, "ask the server");
    await answer(panel, "Allow once");
    await said(panel, "Heard.");
    assert.match(window.requests.at(-1)?.raw ?? "", /hello there/);
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
