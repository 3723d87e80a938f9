import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { TestWorkspace } from "../workspace.ts";
import { allowed } from "./allowed.ts";
import { decisionOf, reading } from "./judged.ts";
import { questions } from "./questions.ts";
import { tricks } from "./tricks.ts";

describe("T8 commands that run without a question", () => {
  let workspace: TestWorkspace;

  before(() => {
    workspace = new TestWorkspace();
    for (const name of [
      "a.ts",
      "src/b.ts",
      "package.json",
      ".env",
      ".env.local",
      "key.pem",
      "held.txt",
      "a.tgz",
      "data/.env",
    ]) {
      workspace.put(name, "x");
    }
    workspace.put(".rondoignore", "held.txt\n");
    workspace.put(".gitignore", ".env*\n*.pem\nheld.txt\n");
    for (const name of ["HEAD", "config", "objects/x", "refs/x"]) workspace.put(`bare/${name}`, "");
    for (const name of ["-o=y", "--pre=x", "-delete"]) workspace.put(`options/${name}`, "");
    mkdirSync(workspace.path("down/below/deepest"), { recursive: true });
    symlinkSync("down/below/deepest", workspace.path("deep"));
    symlinkSync("/etc", workspace.path("linked"));
    symlinkSync("/etc/passwd", workspace.path("link"));
    mkdirSync(path.join(workspace.root, "beside"));
  });

  after(() => workspace.dispose());

  describe("rules that allow reading permit", () => {
    for (const [about, commands] of Object.entries(allowed)) {
      for (const command of commands) {
        it(`${about}: ${JSON.stringify(command)}`, async () => {
          assert.equal(await decisionOf(command, workspace, reading), "allow");
        });
      }
    }
  });

  describe("rules that allow reading ask for", () => {
    for (const [about, commands] of [...Object.entries(questions), ...Object.entries(tricks)]) {
      for (const command of commands) {
        it(`${about}: ${JSON.stringify(command)}`, async () => {
          assert.equal(await decisionOf(command, workspace, reading), "ask");
        });
      }
    }
  });
});
