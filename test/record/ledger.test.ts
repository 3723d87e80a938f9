import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { mock } from "node:test";
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
    const before = readFileSync(file(), "utf8");
    for (const nothing of [0, -1, Number.NaN]) one.add(nothing);
    assert.equal(two.today(), 1.75);
    assert.equal(readFileSync(file(), "utf8"), before);
    if (process.platform !== "win32") assert.equal(statSync(file()).mode & 0o777, 0o600);
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

  it("B2 counts from 0 when the day changes while it is open, and names months and days with two digits", () => {
    const day = (month: number, date: number) => new Date(2026, month - 1, date, 12).getTime();
    mock.timers.enable({ apis: ["Date"], now: day(3, 4) });
    try {
      const ledger = open();
      ledger.add(1);
      assert.equal(ledger.today(), 1);
      writeFileSync(path.join(folder, "2026-03-05.jsonl"), '{"usd":7,"at":1}\n');
      mock.timers.setTime(day(3, 5));
      assert.equal(ledger.today(), 7);
      ledger.add(2);
      assert.equal(ledger.today(), 9);
      mock.timers.setTime(day(3, 4));
      assert.equal(ledger.today(), 1);
      mock.timers.setTime(day(11, 12));
      assert.equal(ledger.today(), 0);
      ledger.add(3);
      assert.deepEqual(readdirSync(folder), ["2026-03-04.jsonl", "2026-03-05.jsonl", "2026-11-12.jsonl"]);
    } finally {
      mock.timers.reset();
    }
  });

  it("B2 a cost that could not be written before midnight counts for that day alone", () => {
    mock.timers.enable({ apis: ["Date"], now: new Date(2026, 2, 4, 23, 59).getTime() });
    try {
      writeFileSync(folder, "in the way");
      const ledger = open();
      ledger.add(5);
      assert.equal(ledger.today(), 5);
      mock.timers.setTime(new Date(2026, 2, 5, 0, 1).getTime());
      assert.equal(ledger.today(), 0);
      rmSync(folder);
      ledger.add(1);
      assert.equal(open().today(), 1);
    } finally {
      mock.timers.reset();
    }
  });

  it("B2 a line that another process left incomplete takes no later one with it", () => {
    const ledger = open();
    ledger.add(1);
    appendFileSync(file(), '{"usd":2,"a');
    ledger.add(4);
    assert.deepEqual([ledger.today(), open().today()], [5, 5]);
  });

  it("B2 reports a ledger that cannot be read, and leaves no file open", function () {
    if (process.platform !== "linux") return this.skip();
    open().add(1);
    const open0 = readdirSync("/proc/self/fd").length;
    const name = file();
    for (let n = 0; n < 5; n++) assert.equal(open().today(), 1);
    assert.equal(readdirSync("/proc/self/fd").length, open0);
    rmSync(name);
    mkdirSync(name);
    assert.equal(open().today(), 0);
    assert.match(notes.join(), /^The cost of today's sessions could not be read: Error: EISDIR/);
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
    assert.equal(notes.filter((note) => note.includes("cannot be saved")).length, 1);
    ledger.add(2);
    ledger.add(0.5);
    assert.equal(ledger.today(), 3.5);
    assert.equal(notes.filter((note) => note.includes("cannot be saved")).length, 1);
    rmSync(folder);
    ledger.add(3.5);
    assert.deepEqual([ledger.today(), open().today()], [7, 7]);
    assert.equal(JSON.parse(readFileSync(file(), "utf8")).usd, 7);
    ledger.add(1);
    assert.equal(open().today(), 8);
  });
});
