/** Snapshots in a change log, including those of steps that wrote nothing. */
import assert from "node:assert/strict";
import type { FileState } from "../../src/checkpoints/files/file-state.ts";
import { ChangeHistory } from "../../src/checkpoints/store/change-history.ts";
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
});
