import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { typedScript, UntilMark } from "../../../src/tools/run-command/typed-script.ts";
import { randomly } from "../../random.ts";

describe("the script of a typed command", () => {
  randomly("T10 passes on all output before the mark, and nothing after it, in whatever pieces it comes", () => {
    const mark = "\x1b]633;P;RondoEnd=0123\x07";
    const piece = fc.oneof(
      fc.constantFrom("\x1b", "\x1b]633;", "\x1b]633;D\x07", "RondoEnd", "\n", mark.slice(0, -1)),
      fc.string({ maxLength: 5 }),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, fc.boolean(), fc.infiniteStream(fc.nat(7)), (before, after, isMarked, sizes) => {
        const whole = isMarked ? before + mark + after : before;
        let passed = "";
        const until = new UntilMark(mark, (part) => {
          assert.notEqual(part, "");
          passed += part;
        });
        for (let at = 0; at < whole.length; ) {
          const size = 1 + (sizes.next().value ?? 0);
          until.push(whole.slice(at, at + size));
          at += size;
        }
        until.end();
        assert.deepEqual([passed, until.isComplete], [before, isMarked]);
      }),
    );
  });

  it("T10 has a code as soon as it is whole, in a folder that is the user's alone", async () => {
    const script = typedScript("4711");
    const folder = path.dirname(script.code);
    if (process.platform !== "win32") assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(await script.told(), undefined);
    writeFileSync(script.code, "13");
    assert.equal(await script.told(), undefined);
    writeFileSync(script.code, "130\n");
    assert.equal(await script.told(), 130);
    script.remove();
    assert.ok(!existsSync(folder));
    assert.equal(await script.told(), undefined);
  });
});
