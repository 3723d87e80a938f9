import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { SpendingLedger } from "../../src/record/ledger.ts";

describe("the cost of a day", () => {
  let folder: string;
  let notes: string[];
  beforeEach(() => {
    folder = path.join(mkdtempSync(path.join(os.tmpdir(), "rondo-ledger-")), "spending");
    notes = [];
  });
  afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

  const open = () => new SpendingLedger(folder, (message) => notes.push(message));
  const file = () => path.join(folder, readdirSync(folder)[0] ?? assert.fail("no file"));

  it("B2 counts all sessions of all windows, each amount once", () => {
    const [one, two] = [open(), open()];
    assert.equal(one.today(), 0);
    one.add(0.5);
    two.add(0.25);
    assert.deepEqual([one.today(), two.today(), open().today()], [0.75, 0.75, 0.75]);
    one.add(1);
    assert.deepEqual([one.today(), two.today()], [1.75, 1.75]);
    for (const nothing of [0, -1, Number.NaN]) one.add(nothing);
    assert.equal(two.today(), 1.75);
    assert.deepEqual(notes, []);
  });

  it("B2 two processes see each other's spending at once, and lose none of it", async () => {
    const script = `
      import { SpendingLedger } from ${JSON.stringify(new URL("../../src/record/ledger.ts", import.meta.url).href)};
      const ledger = new SpendingLedger(${JSON.stringify(folder)}, console.error);
      for (let n = 0; n < 200; n++) ledger.add(0.25);
      process.stdout.write("spent\\n");
      process.stdin.once("data", () => process.stdout.write(String(ledger.today()) + "\\n")).once("end", () => process.exit());
    `;
    const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface(other.stdout)[Symbol.asyncIterator]();
    const ledger = open();
    for (let n = 0; n < 200; n++) ledger.add(0.5);
    await lines.next();
    assert.equal(ledger.today(), 150);
    ledger.add(1);
    other.stdin.write("?");
    assert.equal((await lines.next()).value, "151");
    other.stdin.end();
    await once(other, "exit");
  });

  it("B2 uses one file per local day and does not count other days", () => {
    const now = new Date();
    const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 12);
    open().add(1);
    const two = (part: number) => String(part).padStart(2, "0");
    const name = (day: Date) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}.jsonl`;
    assert.equal(path.basename(file()), name(now));
    writeFileSync(path.join(folder, name(yesterday)), '{"usd":7,"at":1}\n');
    assert.equal(open().today(), 1);
  });

  it("B2 ignores broken lines; an incomplete line counts once it is complete", () => {
    const ledger = open();
    ledger.add(1);
    appendFileSync(file(), '?\n{"usd":"2","at":1}\n{"usd":-5,"at":1}\n{"usd":2,');
    assert.equal(ledger.today(), 1);
    appendFileSync(file(), '"at":1}\n');
    assert.equal(ledger.today(), 3);
    assert.equal(open().today(), 3);
  });

  it("B2 reports a ledger that cannot be written once, and still counts the cost", () => {
    writeFileSync(folder, "in the way");
    const ledger = open();
    ledger.add(1);
    ledger.add(2);
    assert.equal(ledger.today(), 3);
    assert.equal(notes.filter((note) => note.includes("cannot be saved")).length, 1);
    rmSync(folder);
    ledger.add(4);
    assert.deepEqual([ledger.today(), open().today()], [7, 7]);
    assert.equal(JSON.parse(readFileSync(file(), "utf8")).usd, 7);
  });
});
