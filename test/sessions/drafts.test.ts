/** Drafts of several sessions, over a real reload of what is stored. */
import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { Drafts } from "../../src/extension/composer/drafts.ts";

/** Values as VS Code keeps them: as JSON. */
function memory(): vscode.Memento {
  const values = new Map<string, string>();
  return {
    keys: () => [...values.keys()],
    get: (key: string) => {
      const value = values.get(key);
      return value === undefined ? undefined : JSON.parse(value);
    },
    update: async (key: string, value: unknown) => void values.set(key, JSON.stringify(value)),
  };
}

const attachment = { mime: "text/plain", filename: "a.txt", url: "file:///a.txt" };

describe("drafts", () => {
  it("each session has its own, also after a reload; attachments stay until then", () => {
    const kept = memory();
    const drafts = new Drafts(kept, "drafts");
    drafts.write("a", "first");
    drafts.write("b", "second");
    drafts.attach("a", [attachment]);
    assert.deepEqual(drafts.attachments("a"), [attachment]);
    assert.deepEqual(drafts.attachments("b"), []);
    const later = new Drafts(kept, "drafts");
    assert.deepEqual([later.text("a"), later.text("b"), later.text("c")], ["first", "second", ""]);
    later.write("a", "");
    assert.deepEqual(kept.get("drafts"), { b: "second" });
  });

  it("keeps the newest of many, and takes a broken value for none", () => {
    const kept = memory();
    const drafts = new Drafts(kept, "drafts");
    for (let at = 0; at < 60; at++) drafts.write(`s${at}`, "text");
    assert.equal(drafts.text("s9"), "");
    assert.equal(drafts.text("s10"), "text");
    void kept.update("drafts", { a: 1 });
    assert.equal(new Drafts(kept, "drafts").text("a"), "");
  });
});
