/** Words for the model never stand before the user: an error that speaks to the model has other words for people. */
import assert from "node:assert/strict";
import ts from "typescript";
import { denialWords, wordsForPeople } from "../../src/chat/call-words.ts";
import { sources } from "./regexps.ts";

/** Names of arguments and tools, and what is said to the model alone. */
const forModel =
  /\byou\b|\byour\b|old_string|new_string|new_source|cell_id|bash_|tool_search|run_in_background|\bgrep\b|\bglob\b|\bthe user\b|\b(Give|Read|Use|Look|Find|Add lines|Repeat|Call|Decide|Continue|Choose|Edit the files|Try again)\b/;

interface ThrownError {
  where: string;
  message: ts.Expression;
  words: ts.Expression | undefined;
}

/** Messages that are made elsewhere, and name what went wrong for anybody. */
const madeElsewhere = ["src/tools/node-host/locate.ts"];

function toolErrors(): ThrownError[] {
  return sources
    .filter(({ name, text }) => name.endsWith(".ts") && text.includes("new ToolError("))
    .flatMap(({ name, text }) => {
      const found: ThrownError[] = [];
      const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
      const visit = (node: ts.Node) => {
        if (ts.isNewExpression(node) && node.expression.getText() === "ToolError") {
          const [message, words] = node.arguments ?? [];
          assert(message, name);
          const { line } = file.getLineAndCharacterOfPosition(node.getStart());
          found.push({ where: `${name}:${line + 1}`, message, words });
        }
        ts.forEachChild(node, visit);
      };
      visit(file);
      return found;
    });
}

describe("T4 the error of a tool", () => {
  const all = toolErrors();

  it("is found in all sources", () => assert(all.length > 100, `${all.length}`));

  it("has words for people wherever it speaks to the model, or is made elsewhere", () => {
    const isTranslated = (node: ts.Expression): node is ts.CallExpression =>
      ts.isCallExpression(node) && /^msg(Count)?$/.test(node.expression.getText());
    const isLiteral = (node: ts.Expression) =>
      ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || isTranslated(node);
    const textsOf = (node: ts.Expression) =>
      isTranslated(node) ? node.arguments.filter(ts.isStringLiteralLike) : [node];
    const bare = all.filter(({ message, words, where }) => {
      if (words) return false;
      if (!isLiteral(message)) return !madeElsewhere.some((file) => where.startsWith(file));
      return textsOf(message).some((text) => forModel.test(text.getText().replace(/\$\{[^{}]*\}/g, "")));
    });
    assert.deepEqual(
      bare.map(({ where, message }) => `${where} ${message.getText()}`),
      [],
    );
  });

  it("has words for people that do not speak to the model", () => {
    const wrong = all.filter(({ words }) => words && forModel.test(words.getText().replace(/\$\{[^{}]*\}/g, "")));
    const spoken = wrong.filter(({ words }) => !/wants you to sign in|You answered in/.test(words?.getText() ?? ""));
    assert.deepEqual(
      spoken.map(({ where, words }) => `${where} ${words?.getText()}`),
      [],
    );
  });
});

describe("T7 what people read", () => {
  it("is the output, and then their words in place of those for the model", () => {
    const result = "1 failed\n\nGive a longer timeout.";
    assert.equal(wordsForPeople(result, { at: 10, text: "Stopped." }), "1 failed\n\nStopped.");
    assert.equal(wordsForPeople(result, undefined), result);
  });

  it("is not what an older record has for the model", () => {
    assert.equal(wordsForPeople("The user refused this call and stopped the turn.", undefined), denialWords(""));
    assert.equal(
      wordsForPeople("old_string was not found in a.ts. Look", undefined),
      "The text was not found; the model tries again.",
    );
  });
});
