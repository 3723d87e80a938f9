/** A start of Rondo that fails is told, leaves nothing, and can be tried again. No other test of the window starts it. */
import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { handlersOf, joined, stateOf } from "../../src/extension/feature.ts";
import { deferred } from "../../src/loop/session/deferred.ts";

/** The last command of `app.ts` that the manifest does not declare: all parts are made when it is registered. */
const internal = "rondo.showWaiting";

describe("the start of Rondo", () => {
  const { showErrorMessage, createOutputChannel } = vscode.window;
  const told: { message: string; choose(item: string | undefined): void }[] = [];
  const channels: string[] = [];
  const extension = vscode.extensions.getExtension("rondo.rondo") ?? assert.fail("Rondo is not installed");
  const bundle = path.join(extension.extensionPath, "dist/app.cjs");

  before(() => {
    // Nobody can press a button of a notification here.
    const answered = (message: string) => {
      const { promise, resolve } = deferred<string | undefined>();
      told.push({ message, choose: resolve });
      return promise;
    };
    Object.assign(vscode.window, {
      showErrorMessage: answered,
      createOutputChannel: (...args: Parameters<typeof createOutputChannel>) => {
        channels.push(args[0]);
        return createOutputChannel(...args);
      },
    });
  });
  after(() => {
    Object.assign(vscode.window, { showErrorMessage, createOutputChannel });
  });
  beforeEach(() => {
    told.length = 0;
  });

  const run = (command: string) => vscode.commands.executeCommand(command);
  const ownCommands = async () => (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("rondo."));
  async function untilTold(count: number): Promise<void> {
    for (let tries = 0; told.length < count && tries < 500; tries++) await wait(20);
    assert.equal(told.length, count, JSON.stringify(told));
  }

  it("fails if its files are gone or half written, as during an update, and says so at each try", async () => {
    await extension.activate();
    await rename(bundle, `${bundle}.whole`);
    try {
      await run("rondo.find");
      await untilTold(1);
      assert.match(told[0]?.message ?? "", /^Rondo could not be started: Cannot find module '.*app\.cjs'/);
      await writeFile(bundle, 'throw new Error("half of it");');
      await run("rondo.find");
      await untilTold(2);
      assert.equal(told[1]?.message, "Rondo could not be started: half of it");
    } finally {
      await rename(`${bundle}.whole`, bundle);
    }
  });

  it("leaves nothing if it fails at its end, and Try Again starts it afresh", async () => {
    const before = await ownCommands();
    const taken = vscode.commands.registerCommand(internal, () => {});
    // Each try would fail earlier, at a part of the one before, if that had left any.
    for (const tries of [1, 2]) {
      await run("rondo.showLog");
      await untilTold(tries);
      assert.match(
        told.at(-1)?.message ?? "",
        new RegExp(`^Rondo could not be started: .*${internal}.* already exists`),
      );
      assert.deepEqual((await ownCommands()).filter((id) => id !== internal).sort(), before.sort());
    }
    taken.dispose();
    // The second notification is closed; the button of the first is pressed.
    told[1]?.choose(undefined);
    told[0]?.choose("Try Again");
    for (let tries = 0; !(await ownCommands()).includes(internal) && tries < 500; tries++) await wait(20);
    const after = await ownCommands();
    assert.deepEqual(after.filter((id) => !before.includes(id)).sort(), ["rondo.showRemoved", internal].sort());
    // It runs now.
    await run("rondo.showLog");
    assert.equal(told.length, 2);
    // One log for all tries.
    assert.deepEqual(
      channels.filter((name) => name === "Rondo"),
      ["Rondo"],
    );
  });
});

describe("the features of a window", () => {
  it("no two of them have the same message, state or command", () => {
    const one = { handlers: { stop: () => {} }, state: () => ({ review: [] }) };
    assert.throws(() => handlersOf([one, { handlers: { stop: () => {} } }]), /Two features have “stop”/);
    assert.throws(() => stateOf([one, { state: () => ({ review: [] }) }]), /Two features have “review”/);
    assert.throws(() => joined([{ "rondo.showLog": 1 }, undefined, { "rondo.showLog": 1 }]), /“rondo.showLog”/);
    assert.deepEqual(joined([{ a: 1 }, {}, { b: 2 }]), { a: 1, b: 2 });
  });
});
