/** The sandbox: offered in Bypass, in force for the next command, left only with a permission of its own. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { choose, press, question, said, say } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string, more = {}) => ({ call: { name: "bash", input: { command, ...more } } });

describe("the sandbox", () => {
  let window: Window;
  let outside: string;
  before(async function () {
    // The package of bubblewrap is only there for Linux.
    if (process.platform !== "linux") this.skip();
    window = await openWindow();
    outside = path.join(os.homedir(), `rondo-e2e-${window.marker}`);
  });
  after(async () => {
    await window?.close();
    if (outside) await rm(outside, { force: true });
  });

  const notice = () => window.page.locator(".notification-toast", { hasText: "Turn the sandbox on?" });
  const result = () => window.requests.at(-1)?.raw ?? "";

  it("is offered once when Bypass is chosen, and not turned on by itself", async () => {
    const panel = await window.panel();
    await choose(panel, "Mode", "Bypass");
    await notice().waitFor();
    window.plays([run(`echo free > ${outside}; echo [$RONDO_SANDBOX]`)], [{ text: "It is free." }]);
    await say(panel, "write outside");
    await said(panel, "It is free.");
    assert.equal(await readFile(outside, "utf8"), "free\n");
    assert.match(result(), /\[\]/);
    await rm(outside);
  });

  it("is in force for the next command once it is accepted", async () => {
    await notice().getByRole("button", { name: "Without Network" }).click();
    await notice().waitFor({ state: "detached" });
    const panel = await window.panel();
    window.plays(
      [run(`echo caught > ${outside}; echo in > in.txt; echo [$RONDO_SANDBOX]`)],
      [{ text: "It is caught." }],
    );
    await say(panel, "write outside again");
    await said(panel, "It is caught.");
    assert.ok(!existsSync(outside), "nothing is written outside");
    assert.equal(await window.read("in.txt"), "in\n");
    assert.match(result(), /Read-only file system[\s\S]*\[workspace\]/);
  });

  it("is not offered again", async () => {
    const panel = await window.panel();
    await choose(panel, "Mode", "Ask first");
    await choose(panel, "Mode", "Bypass");
    assert.equal(await notice().count(), 0);
  });

  it("is left only with a permission that Bypass does not give; the card says so for an edited command, too", async () => {
    const panel = await window.panel();
    const call = run(`echo asked > ${outside}`, { outside_sandbox: "It writes to the home folder." });
    window.plays([call], [{ text: "It is outside." }]);
    await say(panel, "write outside once more");
    const card = await question(panel, /outside the sandbox/);
    const leaves = card.getByRole("listitem").filter({ hasText: "It runs outside the sandbox." });
    await leaves.getByText("It writes to the home folder.").waitFor();
    assert.match(await card.getByRole("region", { name: "Command" }).innerText(), /echo asked/);
    await card.getByRole("button", { name: "Edit command" }).click();
    await card.getByRole("textbox", { name: "Command" }).fill(`echo edited > ${outside}`);
    await card.getByRole("button", { name: "Allow once", disabled: false }).waitFor();
    await leaves.getByText("It writes to the home folder.").waitFor();
    await card.getByRole("button", { name: "Allow once" }).click();
    const again = await question(panel, /outside the sandbox/);
    await again.getByRole("region", { name: "Command" }).getByText("echo edited").waitFor();
    await press(panel, "Allow once");
    await said(panel, "It is outside.");
    assert.equal(await readFile(outside, "utf8"), "edited\n");
  });
});
