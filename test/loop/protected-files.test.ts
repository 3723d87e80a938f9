/** I6, T1: what no tool does, whatever the rules allow, with the whole loop. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import { harnesses } from "./harness.ts";

const allowAll = [{ permission: "*", pattern: "*", action: "allow" }] as const;
const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
const files = {
  "a.txt": "one\n",
  "n.ipynb": notebook,
  ".env": "KEY=hidden\n",
  ".rondoignore": "held.txt\n",
  "held.txt": "KEY\n",
};
const tools = builtInTools({ editor: true });

/** Input with which a tool would change something, if it can. */
const inputs: Record<string, Record<string, unknown>> = {
  bash: { command: "echo two > a.txt; touch made" },
  bash_output: { id: "1" },
  bash_kill: { id: "1" },
  read: { file_path: "a.txt" },
  write: { file_path: "a.txt", content: "two\n" },
  edit: { file_path: "a.txt", old_string: "one", new_string: "two" },
  multi_edit: { file_path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] },
  apply_patch: { input: "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: made\n+two\n*** End Patch" },
  notebook_edit: { notebook_path: "n.ipynb", new_source: "two", edit_mode: "insert" },
  glob: { pattern: "*" },
  grep: { pattern: "one" },
  todo_write: { todos: [] },
  ask_user: { questions: [] },
  web_fetch: { url: "http://127.0.0.1:9/" },
  diagnostics: {},
  symbols: { query: "one" },
  rename_symbol: { path: "a.txt", line: 1, symbol: "one", new_name: "two" },
  code_action: { path: "a.txt", line: 1, title: "Fix" },
};
/** Tools that may still be called. */
const harmless = ["bash_output", "read", "glob", "grep", "todo_write", "ask_user", "diagnostics", "symbols"];

describe("I6 workspace and protected files, with the loop", () => {
  const open = harnesses();

  for (const { name } of tools) {
    for (const options of [{ mode: "plan" }, { mode: "bypassPermissions", trusted: false }] as const) {
      it(`${name} changes nothing ${"trusted" in options ? "in a workspace that is not trusted" : "in the mode Plan"}`, async () => {
        const input = inputs[name];
        assert.ok(input, "a new tool needs a row above");
        // Only some models take patches, and these no other edits.
        const choices = { model: { providerID: "openai", modelID: name === "apply_patch" ? "gpt-5.4" : "gpt-4o" } };
        const h = open([[{ call: name, input }], ["Done."]], {
          choices,
          ...options,
          files,
          tools,
          rules: [...allowAll],
          attended: false,
        });
        await h.turn();
        const [result = ""] = h.results();
        if (harmless.includes(name)) assert.doesNotMatch(result, /is off/);
        else assert.match(result, /^ERROR .*is off/);
        const left = readdirSync(h.folder).filter((one) => !/^\.(record|outputs|child)/.test(one));
        assert.deepEqual(left.sort(), Object.keys(files).sort());
        for (const [file, text] of Object.entries(files))
          assert.equal(readFileSync(path.join(h.folder, file), "utf8"), text);
      });
    }
  }

  for (const [name, input] of Object.entries({
    read: { file_path: ".env" },
    grep: { pattern: "KEY", path: ".env", output_mode: "content" },
    write: { file_path: ".vscode/tasks.json", content: "{}" },
  })) {
    it(`${name} on a protected file is denied in all modes when nobody can answer, and reveals nothing`, async () => {
      for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
        const h = open([[{ call: name, input }], ["Done."]], { mode, files, rules: [...allowAll], attended: false });
        await h.turn();
        assert.match(h.results()[0] ?? "", /asks each time, in every mode\. Nobody can answer/);
        assert.doesNotMatch(JSON.stringify(h.events), /hidden/);
      }
    });
  }

  it("a protected file asks each time, without offering Always allow", async () => {
    const read = { call: "read", input: { file_path: "held.txt" } };
    const h = open([[read], [read], ["Done."]], { mode: "bypassPermissions", files });
    const turn = h.turn();
    for (let time = 0; time < 2; time++) {
      const request = await h.asked();
      assert.equal(request.reason, "A .rondoignore file names it, so Rondo asks each time, in every mode.");
      assert.deepEqual(request.always, []);
      h.session.answer(request.id, { kind: "permission", type: "once" });
    }
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(
      h.results().map((result) => /KEY/.test(result)),
      [true, true],
    );
  });
});
