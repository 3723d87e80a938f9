/** Snapshots in a change log, including those of steps that wrote nothing. */
import assert from "node:assert/strict";
import type { FileState } from "../../src/checkpoints/files/file-state.ts";
import { ChangeHistory } from "../../src/checkpoints/store/change-history.ts";
import type { LogLine, Transition } from "../../src/checkpoints/store/change-log.ts";
import { firstSnapshotIDAt } from "../../src/checkpoints/store/snapshot-id.ts";

describe("the history of a session", () => {
  const missing: FileState = { type: "missing" };
  const made: FileState = { type: "file", hash: "a", size: 1, mode: 0o644 };
  const history = new ChangeHistory([
    { type: "snapshot", id: "snp_2", at: 20 },
    { type: "change", by: "agent", files: [{ path: "a", before: missing, after: made }] },
    { type: "snapshot", id: "snp_4", at: 40 },
  ]);
  const changed = (snapshot: string) => [...history.since(snapshot).keys()];

  it("D3 a step that wrote nothing has the state of the next one that did", () => {
    assert.deepEqual(changed("snp_1"), ["a"]);
    assert.equal(history.at("snp_1"), 20);
    assert.deepEqual(changed("snp_2"), ["a"]);
    assert.deepEqual(changed("snp_3"), []);
  });

  it("D3 nothing was written since the newest snapshot", () => {
    assert.deepEqual(changed("snp_9"), []);
    assert.equal(history.at("snp_9"), 40);
  });

  it("D3 snapshots before a deletion are not known, all later ones are", () => {
    const at = 1_700_000_000_000;
    const later = new ChangeHistory([
      { type: "dropped", at },
      { type: "snapshot", id: `${firstSnapshotIDAt(at + 5)}f`, at: at + 5 },
      { type: "change", by: "agent", files: [{ path: "b", before: missing, after: made }] },
    ]);
    assert.equal(later.at(`${firstSnapshotIDAt(at - 1)}f`), undefined);
    assert.equal(later.at(`${firstSnapshotIDAt(at + 1)}f`), at + 5);
    assert.deepEqual([...later.since(`${firstSnapshotIDAt(at + 1)}f`).keys()], ["b"]);
  });

  it("D3 no snapshot is known without a log", () => {
    assert.equal(new ChangeHistory([]).at("snp_1"), undefined);
  });

  const content = (hash: string): FileState => ({ type: "file", hash, size: 1, mode: 0o644 });
  const [one, two, three] = [content("1"), content("2"), content("3")];
  const snapshot = (id: string, at: number): LogLine => ({ type: "snapshot", id, at });
  const from = (path: string, before: FileState, after: FileState): Transition => ({ path, before, after });
  const changeBy = (by: "agent" | "user", files: Transition[], until?: string): LogLine => ({
    ...{ type: "change", by, files },
    ...(until !== undefined && { until }),
  });
  const intent = (id: string, at: number, path: string, before: FileState): LogLine => ({
    ...{ type: "intent", snapshot: id, at },
    files: [{ path, before }],
  });
  const restore = (id: string, files: Transition[], undoes?: string): LogLine => ({
    ...{ type: "restore", id, at: 50, files },
    ...(undoes !== undefined && { undoes }),
  });
  const restored = (id: string, ...paths: string[]): LogLine => ({ type: "restored", id, paths });
  const since = (id: string, ...lines: LogLine[]) => Object.fromEntries(new ChangeHistory(lines).since(id));

  it("E1 a file has the state before its first change and after its last, and others' changes are told apart", () => {
    const lines = [
      snapshot("snp_1", 1),
      changeBy("agent", [from("a", one, two), from("b", missing, one)]),
      snapshot("snp_2", 2),
      changeBy("agent", [from("a", two, three)]),
      changeBy("user", [from("b", one, two)]),
      changeBy("agent", [from("b", two, three)]),
    ];
    assert.deepEqual(since("snp_1", ...lines), {
      a: { before: one, last: three, edited: false },
      b: { before: missing, last: three, edited: "user" },
    });
    assert.deepEqual(since("snp_2", ...lines), {
      a: { before: two, last: three, edited: false },
      b: { before: one, last: three, edited: "user" },
    });
    assert.deepEqual([...new ChangeHistory(lines).since("snp_1").keys()], ["a", "b"]);
  });

  it("E1 a change that nobody recorded, between two of the agent's, is the user's", () => {
    const lines = [snapshot("snp_1", 1), changeBy("agent", [from("a", one, two)])];
    const later = changeBy("agent", [from("a", three, one)]);
    assert.deepEqual(since("snp_1", ...lines, later), { a: { before: one, last: one, edited: "user" } });
  });

  it("E1 what the user changed before a snapshot, but was noticed later, belongs before it", () => {
    const late = changeBy("user", [from("a", one, two)], "snp_2");
    const lines = [snapshot("snp_1", 1), snapshot("snp_2", 2), late, snapshot("snp_3", 3)];
    assert.deepEqual(since("snp_2", ...lines), {});
    assert.deepEqual(since("snp_1", ...lines), { a: { before: one, last: two, edited: "user" } });
    const unknown = changeBy("user", [from("a", one, two)], "snp_0");
    assert.deepEqual(Object.keys(since("snp_2", snapshot("snp_2", 2), unknown)), ["a"]);
  });

  it("E1 files that a killed run was about to write have no last state, and are open", () => {
    const lines = [
      intent("snp_1", 1, "a", one),
      intent("snp_1", 1, "a", two),
      intent("snp_1", 1, "b", missing),
      changeBy("user", [from("c", one, two)]),
    ];
    const cut = new ChangeHistory(lines);
    assert.deepEqual(Object.fromEntries(cut.open), { a: one, b: missing });
    assert.equal(cut.at("snp_1"), 1);
    assert.deepEqual(Object.fromEntries(cut.since("snp_1")), {
      c: { before: one, last: two, edited: "user" },
      a: { before: one, last: undefined, edited: false },
      b: { before: missing, last: undefined, edited: false },
    });
    const whole = new ChangeHistory([...lines, changeBy("agent", [from("a", one, three)])]);
    assert.equal(whole.open.size, 0);
    assert.deepEqual(whole.since("snp_1").get("a"), { before: one, last: three, edited: false });
    assert.equal(whole.since("snp_1").get("b"), undefined);
  });

  it("D3 a snapshot that an intent told first moves to its own place, with its own time", () => {
    const lines = [
      snapshot("snp_0", 0),
      intent("snp_1", 1, "a", one),
      changeBy("agent", [from("a", one, two)]),
      snapshot("snp_1", 7),
    ];
    const moved = new ChangeHistory(lines);
    assert.equal(moved.at("snp_1"), 7);
    assert.deepEqual([...moved.since("snp_1").keys()], []);
    assert.deepEqual([...moved.since("snp_0").keys()], ["a"]);
    const told = new ChangeHistory(lines.slice(0, 2));
    assert.equal(told.at("snp_1"), 1);
    const again = [snapshot("snp_1", 1), changeBy("agent", [from("a", one, two)]), intent("snp_1", 1, "a", two)];
    assert.equal(since("snp_1", ...again)["a"]?.before, one, "an intent moves no snapshot that is there");
  });

  it("D3 a snapshot of another process that is older than a deletion, but came after it, is known", () => {
    const at = 1_700_000_000_000;
    const ids = [at - 9, at - 5].map((time) => `${firstSnapshotIDAt(time)}f`);
    const [first = "", second = ""] = ids;
    const shared = new ChangeHistory([{ type: "dropped", at }, snapshot(first, at - 9), snapshot(second, at - 5)]);
    assert.deepEqual([shared.at(first), shared.at(second)], [at - 9, at - 5]);
    assert.equal(shared.at(`${firstSnapshotIDAt(at - 7)}f`), undefined);
  });

  it("D3 nothing was written since a step that is newer than the log, even if the log ends with a change", () => {
    const ended = new ChangeHistory([snapshot("snp_1", 1), changeBy("agent", [from("a", one, two)])]);
    assert.deepEqual([...ended.since("snp_9").keys()], []);
    assert.equal(ended.at("snp_9"), 1);
  });

  it("D3 a restore counts as far as it got, once it has ended", () => {
    const files = [from("a", two, one), from("b", two, one)];
    const begun = [snapshot("snp_1", 1), changeBy("agent", [from("a", one, two)]), restore("r", files)];
    const cut = new ChangeHistory(begun);
    const told = { id: "r", at: 50, files, undoes: undefined, by: undefined, rewindTo: "" };
    assert.deepEqual([...cut.unfinished.values()], [told]);
    assert.equal(cut.newest, undefined);
    assert.deepEqual(cut.since("snp_1").get("a")?.last, two);
    const ended = new ChangeHistory([...begun, restored("r", "a")]);
    assert.equal(ended.unfinished.size, 0);
    assert.partialDeepStrictEqual(ended.newest, { id: "r", at: 50, files: files.slice(0, 1) });
    assert.deepEqual(Object.fromEntries(ended.since("snp_1")), { a: { before: one, last: one, edited: false } });
    const twice = new ChangeHistory([...begun, restored("r", "a"), restored("r", "b")]);
    assert.deepEqual(twice.newest?.files, files.slice(0, 1), "its second end says nothing");
    assert.deepEqual(new ChangeHistory([restored("r", "a")]).newest, undefined);
  });

  it("D3 the newest restore that restored something can be undone, unless it was one that undid", () => {
    const files = [from("a", two, one)];
    const lines = [restore("r", files), restored("r", "a"), restore("s", files), restored("s")];
    assert.equal(new ChangeHistory(lines).newest?.id, "r");
    lines.push(restore("t", files), restored("t", "a"));
    assert.equal(new ChangeHistory(lines).newest?.id, "t");
    lines.push(restore("u", files, "t"), restored("u", "a"));
    assert.equal(new ChangeHistory(lines).newest, undefined);
    lines.push(restore("v", files), restored("v", "a"));
    assert.equal(new ChangeHistory(lines).newest?.id, "v");
  });
});
