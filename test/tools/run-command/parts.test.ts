import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { looksLikePrompt } from "../../../src/tools/run-command/input-detection.ts";
import { parseTable, processTable, psArguments } from "../../../src/tools/run-command/process-table.ts";
import { Throttle } from "../../../src/tools/run-command/throttle.ts";

describe("prompts for input", () => {
  for (const line of [
    "Continue? [Y/n] ",
    "Overwrite it? (yes/no)",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Ok to proceed? (y) ",
    "Password: ",
    "[sudo] password for me: ",
    "Enter passphrase for key '/home/me/.ssh/id': ",
    "Username for 'https://example.org': ",
    "? Project name: › ",
    "Press any key to continue . . . ",
  ]) {
    it(`T10 recognizes ${JSON.stringify(line)}`, () => assert.equal(looksLikePrompt(line), true));
  }

  for (const line of [
    "",
    "Compiling rondo v0.1.0",
    "12 passing",
    "10% [===>      ]",
    "Listening on http://localhost:80",
    "Note: done",
  ]) {
    it(`T10 does not mistake ${JSON.stringify(line)} for a prompt`, () => assert.equal(looksLikePrompt(line), false));
  }
});

describe("the process table", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  it("L11 is the same from ps and from /proc", async () => {
    const rows = parseTable(
      execFileSync("ps", psArguments, { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } }),
    );
    for (const table of [rows, await processTable()]) {
      const own = table.find(({ pid }) => pid === process.pid);
      assert.equal(own?.parent, process.ppid);
      assert.ok(own.group > 0 && own.born !== "");
      assert.ok(table.length > 2);
    }
  });

  it("L11 omits zombies", () => {
    const text =
      "  1     0     1    -1 Ss   ??   Sun Nov 22 05:00:00 2026\n 77     1    70    70 Z    ttys001 Sun Nov 22 05:00:01 2026\n 78     1    70    70 S+   ttys001  Sun Nov 22 05:00:02 2026\n";
    assert.deepEqual(
      parseTable(text).map(({ pid, group, foreground, hasTerminal, born }) => [
        pid,
        group,
        foreground,
        hasTerminal,
        born,
      ]),
      [
        [1, 1, -1, false, "Sun Nov 22 05:00:00 2026"],
        [78, 70, 70, true, "Sun Nov 22 05:00:02 2026"],
      ],
    );
  });
});

describe("throttling", () => {
  it("runs at once, then at intervals, and once after the last call", async () => {
    const ran: number[] = [];
    let call = 0;
    const throttle = new Throttle(200, () => ran.push(call));
    for (call = 1; call <= 5; call++) throttle.call();
    assert.deepEqual(ran, [1]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(ran, [1, 6]);
    throttle.call();
    throttle.call();
    throttle.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(ran.length, 3);
  });
});
