/** The check that no proposed API is used notices each way to use one. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { proposedApiIn } from "../../scripts/stable-api.mjs";

const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
const [, floor] = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode) ?? [];

describe("the check for proposed API", () => {
  const check = (change: { manifest?: object; typesVersion?: string; files?: { name: string; text: string }[] }) =>
    proposedApiIn({
      manifest: { ...manifest, ...change.manifest },
      typesVersion: change.typesVersion ?? `${floor}.1`,
      files: change.files ?? [],
    });
  const contributes = (change: object) => ({ manifest: { contributes: { ...manifest.contributes, ...change } } });

  it("finds nothing in the present manifest", () => {
    assert.deepEqual(check({}), []);
  });

  it("finds a manifest that asks for proposals", () => {
    assert.match(check({ manifest: { enabledApiProposals: ["findTextInFiles"] } }).join(), /enabledApiProposals/);
    assert.match(check({ manifest: { enableProposedApi: true } }).join(), /enableProposedApi/);
  });

  it("finds types of another version than the oldest VS Code that is supported", () => {
    assert.match(check({ typesVersion: "1.999.0" }).join(), /@types\/vscode is 1\.999\.0/);
    assert.match(check({ manifest: { engines: {} } }).join(), /engines\.vscode is undefined/);
  });

  it("finds menus and contribution points that need a proposal, or may need one", () => {
    const { menus } = manifest.contributes;
    for (const menu of ["scm/inputBox", "menuBar/home", "comments/commentThread/title/context", "editor/content"]) {
      const found = check(contributes({ menus: { ...menus, [menu]: [] } }));
      assert.deepEqual(found.length, 1, menu);
      assert.match(found.join(), new RegExp(`The menu "${menu}" needs the proposal contrib`));
    }
    assert.deepEqual(check(contributes({ menus: { ...menus, "terminal/context": [] } })), []);
    assert.match(check(contributes({ chatOutputRenderers: [] })).join(), /"chatOutputRenderers" needs a proposal/);
  });

  it("finds declarations of proposed API", () => {
    const own = { name: "src/vscode.proposed.findTextInFiles.d.ts", text: "" };
    const more = { name: "src/types.d.ts", text: 'declare module "vscode" { const all: string; }' };
    assert.equal(check({ files: [own, more] }).length, 2);
  });
});
