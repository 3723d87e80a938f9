import assert from "node:assert/strict";
import { folderNames } from "../../src/extension/mentions/folder-names.ts";

const names = (...folders: [name: string, path: string][]) =>
  folderNames(folders.map(([name, path]) => ({ name, path })));

describe("names of a workspace's folders", () => {
  it("are one word each, and no two are alike", () => {
    assert.deepEqual(names(["web", "/w/web"], ["api", "/w/api"]), ["web", "api"]);
    assert.deepEqual(names(["src", "/w/web/src"], ["src", "/w/api/src"]), ["src (web)", "src (api)"]);
    assert.deepEqual(names(["src", "/a/w/src"], ["src", "/b/w/src"]), ["src (w)", "src (w) (2)"]);
    // A workspace file may call its folders anything.
    assert.deepEqual(names(["libs/core", "/w/libs/core"], ["Web / App", "/w/app"]), ["core", "App"]);
    assert.deepEqual(names(["libs", "/w/libs"], ["libs/core", "/w/libs/core"]), ["libs", "core"]);
    assert.deepEqual(names(["/", "/w/x"], ["", "/"]), ["x", "folder"]);
  });
});
