/** Changes of everyone who works for the agent: an MCP server, a subagent, a background command; and in several folders. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import type { Frame } from "playwright-core";
import { until } from "../timing.ts";
import { answer, changes, enter, message, press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const former = "one\ntwo\nthree\n";
const other = "another text\n";
const changed = "one\n2\nthree\n";
const server = path.resolve(import.meta.dirname, "../mcp/servers/files.ts");

describe("changes of everyone who works for the agent", () => {
  let window: Window;
  before(async () => {
    const names = ["a.txt", "b.txt", "one/same.txt", "two/same.txt"];
    window = await openWindow({
      extensions: [path.join(import.meta.dirname, "memfs-extension")],
      settings: { "rondo.permission.mode": "acceptEdits" },
      files: {
        ...Object.fromEntries(names.map((name) => [name, former])),
        "c.txt": other,
        ".mcp.json": JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [server] } } }),
        "several.code-workspace": JSON.stringify({
          folders: [{ path: "one" }, { path: "two" }, { uri: "memfs:/elsewhere" }],
        }),
      },
    });
  });
  after(() => window?.close());

  const at = (name: string) => path.join(window.folder, name);
  const bash = (command: string, more: object = {}) => ({ call: { name: "bash", input: { command, ...more } } });
  const edit = (name: string, old_string: string, new_string: string) => ({
    call: { name: "edit", input: { file_path: at(name), old_string, new_string } },
  });
  const row = (panel: Frame, name: RegExp) =>
    panel.getByRole("region", { name: "Changes to review" }).getByRole("button", { name });

  /** Rejects everything, and checks that these files have their former text. */
  async function rejectAll(...names: string[]): Promise<void> {
    await window.command("Rondo: Reject All Changes");
    await (await window.panel()).getByText("All changes decided").waitFor();
    for (const name of names) await until(async () => existsSync(at(name)) && (await window.read(name)) === former);
  }

  it("V3 of an MCP server's tool are listed, and rejected like edits", async () => {
    const panel = await window.panel();
    await press(panel, "Show servers");
    await panel.getByRole("region", { name: "Servers" }).getByRole("button", { name: "Allow files" }).click();
    await panel
      .getByRole("region", { name: "Servers" })
      .getByText(/\btools?\b/)
      .first()
      .waitFor();
    await press(panel, "Back to the conversation");
    const input = { write: at("a.txt"), text: changed, remove: at("b.txt"), from: at("c.txt"), to: at("moved.txt") };
    window.plays([{ call: { name: "mcp__files__change", input } }], [{ text: "The server is done." }]);
    await say(panel, "let the server change it");
    await answer(panel, "Allow once");
    await said(panel, "The server is done.");
    await changes(panel, "a.txt").waitFor();
    for (const name of [/^a\.txt/, /^b\.txt/, /^moved\.txt/]) await row(panel, name).first().waitFor();
    await rejectAll("a.txt", "b.txt");
    await until(() => existsSync(at("c.txt")));
    assert.equal(await window.read("c.txt"), other);
    assert.ok(!existsSync(at("moved.txt")));
  });

  it("V3 of a subagent's command and edit are listed, and rejected like the agent's own", async () => {
    const panel = await window.newSession();
    const input = { description: "Change", prompt: "Change two files.", subagent_type: "general" };
    window.plays(
      [{ call: { name: "task", input } }],
      [{ call: { name: "read", input: { file_path: at("a.txt") } } }],
      [edit("a.txt", "two", "2"), bash(`sed -i s/two/2/ ${at("b.txt")}; echo new > ${at("new.txt")}`)],
      [{ text: "Both are changed." }],
      [{ text: "The helper is done." }],
    );
    await say(panel, "let a helper change it");
    await answer(panel, "Allow once", /command/);
    await said(panel, "The helper is done.");
    for (const name of [/^a\.txt/, /^b\.txt/, /^new\.txt/]) await row(panel, name).first().waitFor();
    await rejectAll("a.txt", "b.txt");
    assert.ok(!existsSync(at("new.txt")));
  });

  it("V3 of a command that goes on in the background are listed while it runs, after its step and turn", async () => {
    const panel = await window.newSession();
    // What the test writes into the folder meanwhile would count as the command's.
    const signal = (name: string) => path.join(window.dataDir, name);
    const waitFor = (name: string) => `until [ -e ${signal(name)} ]; do sleep 0.05; done`;
    const command = `${waitFor("go")}; sed -i s/two/2/ a.txt; ${waitFor("end")}; sed -i s/two/2/ b.txt`;
    window.plays([bash(command, { run_in_background: true })], [{ text: "It goes on." }]);
    await say(panel, "change it later");
    await answer(panel, "Allow once", /command/);
    await said(panel, "It goes on.");
    await status(panel, /Done/);
    await writeFile(signal("go"), "");
    await row(panel, /^a\.txt/)
      .first()
      .waitFor();
    assert.equal(await row(panel, /^b\.txt/).count(), 0);
    await writeFile(signal("end"), "");
    await row(panel, /^b\.txt/)
      .first()
      .waitFor();
    await rejectAll("a.txt", "b.txt");
  });

  it("V3 in each of several folders are listed, with the same names; of a folder on no disk Rondo says that it is left out", async () => {
    let panel = await window.openWorkspace("several.code-workspace");
    await panel.getByText("Not on this machine's disk: elsewhere.").waitFor();
    window.plays(
      [{ call: { name: "read", input: { file_path: at("one/same.txt") } } }],
      [edit("one/same.txt", "two", "2"), bash(`sed -i s/three/3/ ${at("two/same.txt")}`)],
      [{ text: "Both folders are changed." }],
    );
    await say(panel, "change both");
    await answer(panel, "Allow once", /command/);
    await said(panel, "Both folders are changed.");
    panel = await window.panel();
    await until(async () => (await row(panel, /^same\.txt/).count()) === 2);
    await rejectAll("one/same.txt", "two/same.txt");

    // What is attached has the path that the tools understand: they begin in the first folder.
    for (const [name, path] of [
      ["one", "same.txt"],
      ["two", at("two/same.txt")],
    ] as const) {
      window.plays([{ text: `The file of ${name} is read.` }]);
      await message(panel).fill(`@${name}/same`);
      await panel
        .getByRole("option", { name: /same\.txt/, selected: true })
        .first()
        .waitFor();
      await enter(panel);
      await panel.getByRole("button", { name: `Show ${path}`, exact: true }).waitFor();
      await say(panel, "read it");
      await said(panel, `The file of ${name} is read.`);
      assert.ok(window.requests.at(-1)?.raw.includes(`"${path}, lines 1–3:`));
    }
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
