/** What a log says of a snapshot, those of steps that wrote nothing among them. */
import assert from "node:assert/strict";
import type { FileState } from "../../src/checkpoints/files/file-state.ts";
import { History } from "../../src/checkpoints/store/change-history.ts";
import { firstSnapshotAt } from "../../src/checkpoints/store/snapshot-id.ts";

describe("the history of a session", () => {
  const missing: FileState = { type: "missing" };
  const made: FileState = { type: "file", hash: "a", size: 1, mode: 0o644 };
  const history = new History([
    { type: "snapshot", id: "snp_2", at: 20 },
    { type: "change", by: "agent", files: [{ path: "a", before: missing, after: made }] },
    { type: "snapshot", id: "snp_4", at: 40 },
  ]);
  const changed = (snapshot: string) => [...history.since(snapshot).keys()];

  it("D3 takes a step that wrote nothing for the next one that did", () => {
    assert.deepEqual(changed("snp_1"), ["a"]);
    assert.equal(history.at("snp_1"), 20);
    assert.deepEqual(changed("snp_2"), ["a"]);
    assert.deepEqual(changed("snp_3"), []);
  });

  it("D3 knows that nothing was written since the newest", () => {
    assert.deepEqual(changed("snp_9"), []);
    assert.equal(history.at("snp_9"), 40);
  });

  it("D3 knows nothing of what gave way, and all of what came after", () => {
    const at = 1_700_000_000_000;
    const later = new History([
      { type: "dropped", at },
      { type: "snapshot", id: `${firstSnapshotAt(at + 5)}f`, at: at + 5 },
      { type: "change", by: "agent", files: [{ path: "b", before: missing, after: made }] },
    ]);
    assert.equal(later.at(`${firstSnapshotAt(at - 1)}f`), undefined);
    assert.equal(later.at(`${firstSnapshotAt(at + 1)}f`), at + 5);
    assert.deepEqual([...later.since(`${firstSnapshotAt(at + 1)}f`).keys()], ["b"]);
  });

  it("D3 knows nothing where there is no log", () => {
    assert.equal(new History([]).at("snp_1"), undefined);
  });
});
