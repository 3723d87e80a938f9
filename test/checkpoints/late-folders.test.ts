/** Checkpoints whose folders change while the session is open, and what they tell the reviewer. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openCheckpoints, type SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";

const { signal } = new AbortController();

describe("checkpoints of a session", () => {
  let root: string;
  let roots: string[];
  let checkpoints: SessionCheckpoints;
  /** What the reviewer was told, in order. */
  let told: string[];
  let looks: () => void;
  const logged: string[] = [];

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "checkpoints-late-")));
    for (const name of ["one", "two"]) mkdirSync(path.join(root, name));
    roots = [];
    told = [];
    logged.length = 0;
    checkpoints = openCheckpoints({
      folder: path.join(root, "store"),
      sessionID: "ses_one",
      roots: () => roots,
      limitBytes: () => 1e9,
      log: (line) => logged.push(line),
      reviewer: {
        commandBegins() {
          told.push("command begins");
          return () => told.push("command ends");
        },
        backgroundBegins(look) {
          looks = look;
          told.push("background begins");
          return () => told.push("background ends");
        },
        take: async ({ source, files }) => {
          for (const file of files) told.push(`${source} ${path.relative(root, file.path)}`);
        },
      },
    });
  });
  afterEach(async () => {
    await checkpoints.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(logged, []);
  });

  const at = (name: string) => path.join(root, name);

  async function step(name: string, text: string): Promise<{ begun: string; files: string[] | undefined }> {
    const begun = checkpoints.begin();
    await checkpoints.ready("unknown", signal);
    writeFileSync(at(name), text);
    return { begun, files: (await checkpoints.end())?.files };
  }

  it("E1 record nothing while no folder may be recorded, and then from the next step on", async () => {
    assert.deepEqual(await step("one/a.txt", "unrecorded\n"), { begun: "", files: undefined });
    assert.deepEqual(await checkpoints.preview("snp_1", signal), { snapshot: "snp_1", at: 0, known: false, files: [] });
    for (const undone of [
      checkpoints.restore("snp_1", [], signal),
      checkpoints.undo(signal),
      checkpoints.finish(signal),
    ])
      assert.deepEqual(await undone, { restored: [], left: [] });
    assert.equal(await checkpoints.restored(), undefined);
    assert.equal(await checkpoints.content("snp_1", "a.txt"), undefined);

    roots = [at("one")];
    const first = await step("one/a.txt", "first\n");
    assert.deepEqual(first.files, ["a.txt"]);
    // Another folder: another thread, which waits for the end of the former one.
    roots = [at("one"), at("two")];
    const second = await step("two/b.txt", "second\n");
    assert.deepEqual(second.files, ["b.txt"]);

    const { files } = await checkpoints.preview(first.begun, signal);
    assert.deepEqual(files.map(({ file }) => path.relative(root, file)).sort(), ["one/a.txt", "two/b.txt"]);
    const { restored } = await checkpoints.restore(
      first.begun,
      files.map(({ path: name }) => name),
      signal,
    );
    assert.equal(restored.length, 2);
    assert.equal(readFileSync(at("one/a.txt"), "utf8"), "unrecorded\n");

    roots = [];
    assert.equal(checkpoints.begin(), "");
    assert.equal(await checkpoints.restored(), undefined);
  });

  it("E1 a restore right after the folders have changed waits for the former thread", async () => {
    roots = [at("one")];
    const { begun } = await step("one/a.txt", "first\n");
    roots = [at("one"), at("two")];
    checkpoints.begin();
    const { files } = await checkpoints.preview(begun, signal);
    assert.deepEqual(
      files.map(({ file, effect }) => `${effect} ${path.relative(root, file)}`),
      ["delete one/a.txt"],
    );
  });

  it("V3 tell the reviewer when commands begin and end, also where nothing is recorded", async () => {
    await step("one/a.txt", "1\n");
    checkpoints.begin();
    await checkpoints.ready([at("one/a.txt")], signal);
    await checkpoints.ready("unknown", signal);
    await checkpoints.ready("unknown", signal);
    // The step before was not ended.
    checkpoints.begin();
    await checkpoints.ready("unknown", signal);
    await checkpoints.close();
    assert.deepEqual(told, Array.from({ length: 3 }, () => ["command begins", "command ends"]).flat());
  });

  it("V3 look for changes of a command in the background when the reviewer says so, until the last has ended", async () => {
    roots = [at("one")];
    await step("one/a.txt", "1\n");
    await checkpoints.background(true);
    told.length = 0;
    writeFileSync(at("one/b.txt"), "2\n");
    looks();
    // The next one begins while the end of the one before is looked at.
    await Promise.all([checkpoints.background(false), checkpoints.background(true)]);
    assert.deepEqual(told, ["background one/b.txt"]);
    await checkpoints.background(false);
    assert.deepEqual(told, ["background one/b.txt", "background ends"]);
    writeFileSync(at("one/c.txt"), "3\n");
    looks();
    await checkpoints.preview("snp_1", signal);
    assert.deepEqual(told, ["background one/b.txt", "background ends"]);
  });
});
