import assert from "node:assert/strict";
import * as vscode from "vscode";
import proposedMenus from "../../scripts/proposed-menus.json" with { type: "json" };
import { readProposedMenus } from "../../scripts/stable-api.mjs";

describe("the VS Code of the tests", () => {
  it("refuses proposed API, so that no test passes with it", () => {
    const findTextInFiles: unknown = Reflect.get(vscode.workspace, "findTextInFiles");
    assert.ok(findTextInFiles instanceof Function, "a proposal of this version");
    assert.throws(() => findTextInFiles({ pattern: "x" }, {}, () => {}), /CANNOT use API proposal: findTextInFiles/);
  });

  it("has the proposed menus that the check knows", async function () {
    // The server's version is fixed; that of a desktop VS Code is not.
    if (vscode.env.uiKind !== vscode.UIKind.Web) this.skip();
    assert.deepEqual(await readProposedMenus(vscode.env.appRoot), proposedMenus, "node scripts/proposed-menus.mjs");
  });
});
