/** What the card of a question shows of a rule's width before it is added (spec T7). */
import assert from "node:assert/strict";
import type { Rule } from "../../src/chat/requests.ts";
import { examplesFor } from "../../src/loop/permissions/examples.ts";

const allow = (permission: string, pattern: string): Rule => ({ permission, pattern, action: "allow" });

/** The examples that the rules match, and the others. */
function shown(rules: Rule[], permission: string, ...patterns: string[]) {
  const all = examplesFor(rules, permission, patterns);
  const texts = (matches: boolean) => all.filter((one) => one.matches === matches).map(({ text }) => text);
  return { matched: texts(true), others: texts(false) };
}

describe("T7 examples of a rule", () => {
  it("T7 of a command: with more words, with others, and another program", () => {
    assert.deepEqual(shown([allow("bash", "npm run build *")], "bash", "npm run build"), {
      matched: ["npm run build", "npm run build --more"],
      others: ["npm run", "npm run other", "npm other"],
    });
    assert.deepEqual(shown([allow("bash", "npm run *")], "bash", "npm run build"), {
      matched: ["npm run build", "npm run build --more", "npm run", "npm run other"],
      others: ["npm other"],
    });
    assert.deepEqual(shown([allow("outside_sandbox", "npm *")], "outside_sandbox", "npm test"), {
      matched: ["npm test", "npm test --more", "npm test other", "npm other"],
      others: [],
    });
    assert.deepEqual(shown([allow("bash", "ls *")], "bash", "ls"), { matched: ["ls", "ls …"], others: ["another"] });
  });

  it("T7 of a path: another file beside it, below it, and elsewhere", () => {
    assert.deepEqual(shown([allow("edit", "src/*")], "edit", "src/a.ts"), {
      matched: ["src/a.ts", "src/other", "src/below/other"],
      others: ["elsewhere/file"],
    });
    assert.deepEqual(shown([allow("edit", "a.ts")], "edit", "a.ts"), {
      matched: ["a.ts"],
      others: ["other", "below/other", "elsewhere/file"],
    });
    const outside = shown([allow("external_directory", "/tmp/*")], "external_directory", "/tmp/a");
    assert.deepEqual(outside, { matched: ["/tmp/a", "/tmp/other", "/tmp/below/other"], others: ["/elsewhere/file"] });
    assert.deepEqual(shown([], "edit", "/a").others, ["/a", "/other", "/below/other", "/elsewhere/file"]);
  });

  it("T7 any of the rules may match, if it is for the permission", () => {
    const rules = [allow("bash", "git log *"), allow("bash", "ls -l *"), allow("edit", "*")];
    assert.deepEqual(shown(rules, "bash", "ls -l"), {
      matched: ["ls -l", "ls -l --more", "ls -l other"],
      others: ["ls other"],
    });
  });

  it("T7 each once, and at most eight", () => {
    const all = examplesFor([], "bash", ["git status", "git status", "git log x", "npm test"]);
    assert.deepEqual(
      all.map(({ text }) => text),
      [
        ...["git status", "git status --more", "git status other", "git other"],
        ...["git log x", "git log x --more", "git log", "git log other"],
      ],
    );
  });
});
