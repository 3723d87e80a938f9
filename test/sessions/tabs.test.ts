/** Which sessions have a tab. */
import assert from "node:assert/strict";
import type { TabState } from "../../src/chat/session-views.ts";
import { SessionTabs } from "../../src/extension/sessions/tabs.ts";

const tab = (id: string, state: TabState = "idle") => ({ id, title: id, state });

describe("the tabs of a window", () => {
  let tabs: SessionTabs;
  const listed = () => tabs.list.map(({ id, state }) => `${id} ${state}`);

  beforeEach(() => {
    tabs = new SessionTabs();
  });

  it("a session that idles makes room for one that has no tab yet; one that runs, waits or ended unseen stays", () => {
    tabs.show(tab("a"));
    tabs.show(tab("b"));
    assert.deepEqual(listed(), ["b idle"]);
    tabs.update(tab("b", "running"));
    tabs.show(tab("c"));
    tabs.update(tab("c", "asks"));
    tabs.update(tab("b"));
    tabs.show(tab("d"));
    assert.deepEqual(listed(), ["b done", "c asks", "d idle"]);
  });

  it("pressing a tab removes no other", () => {
    tabs.show(tab("a", "running"));
    tabs.show(tab("b"));
    tabs.show(tab("a", "running"));
    assert.deepEqual(listed(), ["a running", "b idle"]);
  });

  it("that a session ended unseen is known until it is shown or works again", () => {
    tabs.show(tab("a", "running"));
    tabs.show(tab("b"));
    tabs.update(tab("a"));
    tabs.update(tab("a"));
    assert.deepEqual(listed(), ["a done", "b idle"]);
    tabs.update(tab("a", "running"));
    tabs.update(tab("a", "error"));
    assert.deepEqual(listed(), ["a error", "b idle"]);
    tabs.show(tab("a"));
    assert.deepEqual(listed(), ["a idle", "b idle"]);
    tabs.update(tab("a", "running"));
    tabs.update(tab("a"));
    assert.deepEqual(listed(), ["a idle", "b idle"], "on screen");
  });

  it("closing the tab on screen names its neighbour", () => {
    for (const id of ["a", "b", "c"]) tabs.show(tab(id, "running"));
    assert.equal(tabs.close("a"), undefined);
    assert.equal(tabs.close("c"), "b");
    tabs.show(tab("b"));
    assert.equal(tabs.close("b"), undefined, "no other is left");
  });

  it("takes tabs over a reload: nothing runs in them, and broken or deleted ones are left out", () => {
    tabs.show(tab("new"));
    const saved = [tab("a", "running"), tab("gone"), tab("b", "done"), tab("c", "asks")];
    tabs.restore(saved, (id) => id !== "gone");
    assert.deepEqual(listed(), ["a error", "b done", "c error", "new idle"]);
    tabs.restore([{ id: 1 }], () => true);
    tabs.restore("nonsense", () => true);
    assert.equal(tabs.list.length, 4);
  });
});
