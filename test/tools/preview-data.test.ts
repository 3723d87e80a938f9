/** What the card of a call knows before the call runs: real files in a real git repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { secretNames } from "../../src/tools/file-access/secret-names.ts";
import { EditWorkspace } from "./edit-tools.ts";

describe("T15 previews", () => {
  let work: EditWorkspace;
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], { cwd: work.folder, stdio: "pipe" });
  const remove = (...names: string[]) =>
    `*** Begin Patch\n${names.map((name) => `*** Delete File: ${name}`).join("\n")}\n*** End Patch`;
  beforeEach(() => {
    work = new EditWorkspace();
  });
  afterEach(() => work.dispose());

  it("a deletion names each file, whether git has it, and where the copy is", async () => {
    git("init", "-q");
    work.put("src/csv.ts", "export {};\n");
    work.put("src/notes.md", "notes\n");
    git("add", "src/csv.ts");
    git("commit", "-qm", "1");
    await work.run("read", { file_path: "src/csv.ts" });
    await work.run("read", { file_path: "src/notes.md" });
    const { title, preview, effects } = await work.plan("apply_patch", { input: remove("src/csv.ts", "src/notes.md") });
    assert.equal(title, "Delete 2 files");
    assert.ok(preview.type === "deletion");
    assert.deepEqual(preview.files, [
      { path: "src/csv.ts", inGit: true },
      { path: "src/notes.md", inGit: false },
    ]);
    assert.match(preview.copy, /reject in the review writes them again/);
    const found = await effects?.(new AbortController().signal);
    assert.deepEqual(found?.effects, [
      {
        risk: "deletes",
        sentence: "It deletes 2 files.",
        detail: "Git has 1 of them. The other one is not in git.",
        marks: [],
      },
    ]);
  });

  it("a move deletes nothing, and a mixed patch shows its changes", async () => {
    work.put("a.txt", "one\n");
    work.put("b.txt", "two\n");
    for (const file_path of ["a.txt", "b.txt"]) await work.run("read", { file_path });
    const move = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n-one\n+1\n*** End Patch";
    const moved = await work.plan("apply_patch", { input: move });
    assert.deepEqual((await moved.effects?.(new AbortController().signal))?.effects, []);
    const mixed = "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Delete File: b.txt\n*** End Patch";
    const { preview, effects } = await work.plan("apply_patch", { input: mixed });
    assert.equal(preview.type, "diffs");
    const found = await effects?.(new AbortController().signal);
    assert.deepEqual(
      found?.effects.map(({ sentence }) => sentence),
      ["It deletes 1 file."],
    );
  });

  it("a file of secrets shows names, and no value", async () => {
    work.put(
      ".env",
      "DATABASE_URL=postgres://u:hunter2@h/db\nexport STRIPE_KEY='sk_live_1'\nLOG_LEVEL=debug\n# note\n",
    );
    const { preview } = await work.plan("read", { file_path: ".env" });
    assert.deepEqual(preview, {
      type: "secret",
      path: ".env",
      names: [
        { name: "DATABASE_URL", value: "••••••" },
        { name: "STRIPE_KEY", value: "••••••" },
        { name: "LOG_LEVEL", value: "debug" },
      ],
    });
  });

  it("the part of a path that leads out of the workspace", async () => {
    const file = path.join(work.root, "shared.json");
    writeFileSync(file, "{}");
    const { preview } = await work.plan("read", { file_path: file });
    assert.ok(preview.type === "path");
    assert.equal(preview.path.slice(preview.outside.start, preview.outside.end), "shared.json");
  });

  const secret = "c2VjcmV0cGFzc3dvcmQ";
  const files: [title: string, text: string, names: string[]][] = [
    ["JSON", `{\n  "token": "${secret}",\n  "debug": true\n}`, ["token", "debug"]],
    ["YAML", `password: ${secret}\nhost: ${secret}`, ["password", "host"]],
    ["a private key", `-----BEGIN RSA PRIVATE KEY-----\nAbc=${secret}\n-----END RSA PRIVATE KEY-----`, []],
    ["a line that is a secret as a whole", `${secret}=\n${secret}==\n${secret}`, []],
    ["an address", `https://u:${secret}@example.com`, []],
    ["a harmless word under the name of a secret", "API_KEY=test", ["API_KEY"]],
    ["an empty value", "EMPTY_KEY=", ["EMPTY_KEY"]],
  ];
  for (const [title, text, names] of files) {
    it(`no value is shown: ${title}`, () => {
      const found = secretNames(text);
      assert.deepEqual(
        found.map(({ name }) => name),
        names,
      );
      assert.ok(!JSON.stringify(found).includes(secret));
      for (const { name, value } of found) if (/key|token|password/i.test(name)) assert.equal(value, "••••••");
    });
  }
});
