import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { begins, calls, places, says } from "./headless-run.ts";

describe("headless run: a run that was killed", () => {
  const open = places();

  for (const [what, answer] of [
    ["a reply", begins("Working")],
    ["a command", calls("bash", { command: "touch begun; sleep 60" })],
  ] as const) {
    it(`P3 R3 killed within ${what}: the next run marks it in the record, and goes on`, async () => {
      const place = await open([answer, says("On.")]);
      const args = ["--permission-mode", "bypassPermissions", "--session-id", "mine"];
      const { child, ended } = place.start([...args, "Go"]);
      const record = () => {
        try {
          return readFileSync(path.join(place.sessions, "mine.jsonl"), "utf8");
        } catch {
          return "";
        }
      };
      while (!/Working|"status":"running"/.test(record())) await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill("SIGKILL");
      await ended;
      assert.doesNotMatch(record(), /"terminated"/);
      const { code } = await place.run(["--resume", "mine", "More"]);
      assert.equal(code, 0);
      assert.match(record(), /"terminated":\{"by":"process"/);
      assert.equal(place.replay().chat.session.terminated, undefined, "until the next message");
    });
  }
});
