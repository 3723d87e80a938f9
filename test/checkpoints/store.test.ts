/** What the store of checkpoints keeps on disk: the change log, marks of its processes, and its limit. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type FileState, fileState, hashOf } from "../../src/checkpoints/files/file-state.ts";
import { TimeSlices } from "../../src/checkpoints/files/time-slices.ts";
import { ChangeLog, inGit, isFolderOnly, type LogLine } from "../../src/checkpoints/store/change-log.ts";
import { isInUse, isRunning, markInUse } from "../../src/checkpoints/store/in-use.ts";
import { enforceDiskLimit, SessionStore } from "../../src/checkpoints/store/session-store.ts";
import { firstSnapshotIDAt, newSnapshotID } from "../../src/checkpoints/store/snapshot-id.ts";
import { randomly } from "../random.ts";
import { filesIn, noise, sizeOf } from "./world.ts";

/** The id of a process that has ended. */
const deadPID = spawnSync(process.execPath, ["-e", ""]).pid;

describe("the store of checkpoints on disk", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "store-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe("the change log", () => {
    const missing: FileState = { type: "missing" };
    const change = (name: string): LogLine => ({
      type: "change",
      by: "agent",
      files: [{ path: name, before: missing, after: { type: "folder" } }],
    });

    it("returns what was appended, around lines that are broken", () => {
      const log = new ChangeLog(path.join(folder, "ses"));
      assert.deepEqual(log.read(), []);
      const lines: LogLine[] = [
        { type: "dropped", at: 1 },
        { type: "snapshot", id: "snp_1", at: 2 },
        { type: "intent", snapshot: "snp_1", at: 2, files: [{ path: "/w/a", before: missing }] },
        change("/w/line\u2028and\u2029line"),
        { type: "restore", id: "r", at: 3, undoes: "q", files: [] },
        { type: "restored", id: "r", paths: ["/w/a"] },
      ];
      const [first, ...others] = lines;
      log.append(first ?? assert.fail());
      fs.appendFileSync(path.join(folder, "ses/log.jsonl"), '{"type":"snap');
      for (const line of others) log.append(line);
      assert.deepEqual(new ChangeLog(path.join(folder, "ses")).read(), lines);
    });

    it("believes no path that a restore must not write", () => {
      const log = new ChangeLog(folder);
      for (const name of ["a", "/w/../etc/passwd", "/w/.git/config", "/w/.GIT", "/w/a\0b", "/w//a", ""]) {
        log.append(change(name));
        log.append({ type: "restored", id: "r", paths: [name] });
        log.append({ type: "intent", snapshot: "s", at: 1, files: [{ path: name, before: missing }] });
      }
      assert.deepEqual(log.read(), []);
    });

    it("knows what is in a repository's folder, on all systems", () => {
      for (const name of [".git", "/w/.git", "/w/.git/hooks/x", "C:\\w\\.git\\config", "/w/.Git/x", ".git\\x"]) {
        assert.ok(inGit(name), name);
      }
      for (const name of ["/w/.gitignore", "/w/a.git", "/w/.git2/x", "/w/git/x", ""]) assert.ok(!inGit(name), name);
    });

    it("knows changes of folders alone", () => {
      const file = fileState(Buffer.of(1), 0o644);
      const states: [FileState, FileState, boolean][] = [
        [missing, { type: "folder" }, true],
        [{ type: "folder" }, missing, true],
        [file, missing, false],
        [{ type: "folder" }, file, false],
        [missing, { type: "link", target: "x" }, false],
      ];
      for (const [before, after, expected] of states) assert.equal(isFolderOnly({ before, after }), expected);
    });
  });

  describe("marks of processes", () => {
    it("last until they are removed", () => {
      const session = path.join(folder, "ses");
      const [one, two] = [markInUse(session), markInUse(session)];
      assert.ok(isInUse(session));
      one();
      assert.ok(isInUse(session));
      two();
      two();
      assert.ok(!isInUse(session));
      assert.deepEqual(readdirSync(session), []);
    });

    it("of dead processes, and other files, count nothing; of another machine for a day", () => {
      const put = (name: string, host: string) => writeFileSync(path.join(folder, name), host);
      put("log.jsonl", os.hostname());
      put("held-x-1", os.hostname());
      put(`not-held-${process.pid}-1`, os.hostname());
      put(`held-${deadPID}-1`, os.hostname());
      assert.ok(!isInUse(folder));
      put(`held-${deadPID}-2`, "elsewhere");
      assert.ok(isInUse(folder));
      const day = 24 * 3600;
      const age = (seconds: number) => {
        const at = Date.now() / 1000 - seconds;
        utimesSync(path.join(folder, `held-${deadPID}-2`), at, at);
      };
      age(day - 60);
      assert.ok(isInUse(folder));
      age(day + 60);
      assert.ok(!isInUse(folder));
    });

    it("of processes of another user count", () => {
      assert.ok(isRunning(process.pid));
      assert.ok(!isRunning(deadPID));
      const asks = `import { isRunning } from ${JSON.stringify(path.resolve("src/checkpoints/store/in-use.ts"))};
        if (process.getuid() === 0) process.setuid(65534);
        process.exitCode = isRunning(1) ? 7 : 8;`;
      if (process.platform === "linux")
        assert.equal(spawnSync(process.execPath, ["--input-type=module", "-e", asks]).status, 7);
    });
  });

  describe("its limit", () => {
    const enforce = (limit: number) => enforceDiskLimit(folder, limit, new TimeSlices());
    const sessions = () => readdirSync(folder).filter((name) => sizeOf(path.join(folder, name)) > 200);

    /** Adds a session of 1000 bytes that was changed at this time. */
    function add(name: string, changed: number): string {
      const session = path.join(folder, name);
      mkdirSync(path.join(session, "blobs/ab"), { recursive: true });
      writeFileSync(path.join(session, "blobs/ab/c"), Buffer.alloc(900));
      writeFileSync(path.join(session, "log.jsonl"), Buffer.alloc(100, "\n"));
      utimesSync(path.join(session, "log.jsonl"), changed, changed);
      return session;
    }

    it("removes the least recently changed sessions, as many as necessary", async () => {
      for (const [at, name] of ["c", "a", "d", "b"].entries()) add(name, 1000 + at);
      assert.equal(await enforce(4000), 4000);
      assert.deepEqual(sessions(), ["a", "b", "c", "d"]);
      assert.equal(await enforce(3999), 3000);
      assert.deepEqual(sessions(), ["a", "b", "d"]);
      assert.equal(await enforce(1500 + 200), 1000 + sizeOf(path.join(folder, "c")));
      assert.deepEqual(sessions(), ["b"]);
    });

    it("leaves a log that says from when on snapshots are known", async () => {
      const session = add("a", 1000);
      const before = Date.now();
      await enforce(0);
      const [line, ...others] = new ChangeLog(session).read();
      assert.ok(line?.type === "dropped" && line.at >= before && line.at <= Date.now());
      assert.deepEqual(others, []);
      assert.deepEqual(readdirSync(folder), ["a"]);
      assert.deepEqual(readdirSync(session), ["log.jsonl"]);
    });

    it("never removes a session in use, other files, or the copies of running sessions", async () => {
      const release = markInUse(add("a", 1000));
      add("scratch", 1);
      writeFileSync(path.join(folder, "file"), Buffer.alloc(1000));
      const marks = sizeOf(path.join(folder, "a")) - 1000;
      assert.equal(await enforce(0), 1000 + marks);
      assert.deepEqual(readdirSync(folder).sort(), ["a", "file", "scratch"]);
      release();
      assert.equal(await enforce(999), 0);
    });

    it("keeps what a deleted session left", async () => {
      const session = add("a", 1000);
      await enforce(0);
      const text = readFileSync(path.join(session, "log.jsonl"), "utf8");
      await sleep(5);
      assert.ok((await enforce(0)) < 200);
      assert.equal(readFileSync(path.join(session, "log.jsonl"), "utf8"), text);
    });

    it("puts back a session that is opened at the same moment", async () => {
      const session = add("a", 1000);
      const { renameSync } = fs;
      // The other process marks it between the look and the removal.
      fs.renameSync = (from, to) => {
        if (from === session) markInUse(session);
        renameSync(from, to);
      };
      syncBuiltinESMExports();
      try {
        assert.ok((await enforce(0)) >= 1000);
      } finally {
        fs.renameSync = renameSync;
        syncBuiltinESMExports();
      }
      assert.deepEqual(readdirSync(folder), ["a"]);
      assert.ok(existsSync(path.join(session, "blobs/ab/c")));
    });

    it("counts what it could not remove, because another process was faster", async () => {
      const session = add("a", 1000);
      const { renameSync } = fs;
      fs.renameSync = (from, to) => {
        if (from === session) rmSync(session, { recursive: true });
        renameSync(from, to);
      };
      syncBuiltinESMExports();
      try {
        assert.equal(await enforce(0), 1000);
      } finally {
        fs.renameSync = renameSync;
        syncBuiltinESMExports();
      }
      assert.equal(await enforce(0), 0);
    });

    it("removes what a killed process was deleting, and does not count it", async () => {
      add("trash-0123", 1000);
      add("a", 1000);
      assert.equal(await enforce(5000), 1000);
      assert.deepEqual(readdirSync(folder), ["a"]);
    });
  });

  describe("a session's", () => {
    const file = (bytes: Buffer) => fileState(bytes, 0o644);
    let log: string[];
    beforeEach(() => {
      log = [];
    });
    const open = (limitBytes = 1e6, sessionID = "ses") =>
      new SessionStore({ folder, sessionID, limitBytes, log: (line) => log.push(line) });

    it("states can be restored, except for special files and contents that were not saved", () => {
      const store = open();
      const bytes = noise(100);
      assert.equal(store.save({ type: "missing" }, undefined), true);
      assert.equal(store.save({ type: "folder" }, undefined), true);
      assert.equal(store.save({ type: "link", target: "x" }, undefined), true);
      assert.equal(store.save({ type: "special" }, undefined), false);
      assert.equal(store.save(file(bytes), undefined), false);
      assert.equal(store.save(file(bytes), bytes), true);
      assert.equal(store.save(file(bytes), undefined), true);
      assert.deepEqual(store.blobs.get(hashOf(bytes)), bytes);
      store.close();
    });

    it("contents stop at the limit of the whole store, which is reported once; what is saved stays so", () => {
      const store = open(1000);
      const [first, second, third] = [noise(900), noise(98), noise(99)];
      assert.equal(store.save(file(first), first), true);
      assert.equal(store.save(file(third.subarray(0, 99)), third), true, "901 and 99 bytes fit exactly");
      assert.equal(store.save(file(second), second), false);
      assert.equal(store.save(file(noise(1)), noise(1)), false);
      assert.equal(store.save(file(first), first), true);
      assert.equal(log.length, 1);
      assert.match(log[0] ?? "", /reached the size limit/);
      store.close();
    });

    it("limit counts other sessions, once the store is measured, and what is written since", async () => {
      const other = open(1e6, "other");
      const bytes = noise(600);
      assert.ok(other.save(file(bytes), bytes));
      const store = open(1000);
      const small = noise(200);
      assert.ok(store.save(file(small), small));
      await store.enforceLimit(new TimeSlices());
      const next = noise(200);
      assert.equal(store.save(file(next), next), false);
      store.close();
      other.close();
    });

    it("contents that were there when the store was measured count once", async () => {
      const store = open(1200);
      const [first, second] = [noise(200), noise(900)];
      assert.ok(store.save(file(first), first));
      await store.enforceLimit(new TimeSlices());
      assert.ok(store.save(file(second), second));
      store.close();
    });

    it("log and marks are for the user alone", function () {
      if (process.platform === "win32") return this.skip();
      const store = open();
      store.append({ type: "snapshot", id: "snp_1", at: 1 });
      const files = filesIn(path.join(folder, "ses"));
      assert.deepEqual(
        files.map((name) => (statSync(name).mode & 0o777).toString(8)),
        ["600", "600"],
      );
      store.close();
    });

    it("limit is enforced at first, and again when a twentieth of it was written", async () => {
      const old = open(1e6, "old");
      const store = open(10_000, "ses");
      const enforce = () => store.enforceLimit(new TimeSlices());
      const left = () => existsSync(path.join(folder, "old/blobs"));
      const fill = () => {
        const bytes = noise(12_000);
        old.save(file(bytes), bytes);
        old.close();
      };
      fill();
      await enforce();
      assert.ok(left(), "nothing was saved yet, so this session does not use the store");
      const save = (size: number) => {
        const bytes = noise(size);
        assert.ok(store.save(file(bytes), bytes));
      };
      save(100);
      await enforce();
      assert.ok(!left());
      fill();
      save(498);
      await enforce();
      assert.ok(left(), "499 bytes are less than a twentieth");
      save(0);
      await enforce();
      assert.ok(!left());
      store.close();
    });

    it("mark is there from the first write until it is closed", () => {
      const store = open();
      const session = path.join(folder, "ses");
      assert.ok(!existsSync(session));
      assert.equal(store.append({ type: "snapshot", id: "snp_1", at: 1 }), true);
      store.append({ type: "snapshot", id: "snp_2", at: 2 });
      assert.equal(readdirSync(session).filter((name) => name.startsWith("held-")).length, 1);
      store.close();
      assert.deepEqual(readdirSync(session), ["log.jsonl"]);
      store.append({ type: "snapshot", id: "snp_3", at: 3 });
      assert.ok(isInUse(session));
      store.close();
      assert.equal(store.history().at("snp_3"), 3);
    });

    it("failures are reported once, with the system's words, and stop nothing", async () => {
      writeFileSync(path.join(folder, "ses"), "in the way");
      const store = open();
      assert.equal(store.append({ type: "snapshot", id: "snp_1", at: 1 }), false);
      assert.equal(store.save(file(noise(9)), noise(9)), false);
      const bytes = noise(10);
      assert.equal(store.save(file(bytes), bytes), false);
      assert.equal(log.length, 1);
      assert.match(log[0] ?? "", /^Checkpoints cannot be saved: E\w+/);
      store.close();
    });

    it("limit that cannot be enforced is reported", async () => {
      const store = open();
      store.append({ type: "snapshot", id: "snp_1", at: 1 });
      rmSync(folder, { recursive: true });
      await store.enforceLimit(new TimeSlices());
      assert.match(log.join(), /cannot be saved: ENOENT/);
    });
  });

  randomly("ids of snapshots sort by their time", () => {
    const time = fc.integer({ min: 0, max: 3e12 });
    fc.assert(
      fc.property(time, time, (one, other) => {
        assert.equal(firstSnapshotIDAt(one) < firstSnapshotIDAt(other), one < other);
      }),
    );
    const before = Date.now();
    const ids = [newSnapshotID(), newSnapshotID()];
    for (const id of ids) {
      assert.ok(id > firstSnapshotIDAt(before) && id < firstSnapshotIDAt(Date.now() + 1), id);
      assert.match(id, /^snp_[0-9a-z]{9}[0-9a-f]{16}$/);
    }
    assert.notEqual(ids[0], ids[1]);
  });
});
