import assert from "node:assert/strict";
import {
  argumentHint,
  argumentInTurn,
  missingArguments,
  quotedValue,
  writtenArguments,
} from "../../src/chat/command-arguments.ts";

const declared = [
  { name: "city", description: "", isRequired: true },
  { name: "state", description: "", isRequired: false },
];
const written = (text: string) => writtenArguments(text, declared).map(({ name, value }) => `${name}=${value}`);
const turn = (text: string) => {
  const { argument, start, value } = argumentInTurn(text, declared) ?? {};
  return argument && [argument.name, start, value];
};

describe("arguments of commands", () => {
  it("are words in turn, quoted words, or given by name", () => {
    assert.deepEqual(written("Berlin BE"), ["city=Berlin", "state=BE"]);
    assert.deepEqual(written(`"New York"  'N Y'`), ["city=New York", "state=N Y"]);
    assert.deepEqual(written(`state=NY "New York"`), ["state=NY", "city=New York"]);
    assert.deepEqual(written(`city="New York" NY`), ["city=New York", "state=NY"]);
    assert.deepEqual(written(""), []);
  });

  it("the last one takes all words that follow; what is no argument's name is a word", () => {
    assert.deepEqual(written("Berlin in the east"), ["city=Berlin", "state=in the east"]);
    assert.deepEqual(written("a=b don't"), ["city=a=b", "state=don't"]);
    assert.deepEqual(written("city=A city=B"), ["city=A", "state=B"]);
  });

  it("what follows the last one stays as it is written: quotes, spaces and lines", () => {
    const code = `if (a == "b") {\n    run('c');\n}`;
    assert.deepEqual(written(`Berlin ${code}`), ["city=Berlin", `state=${code}`]);
    assert.deepEqual(written(`Berlin "New" York`), ["city=Berlin", `state="New" York`]);
    assert.deepEqual(written(`Berlin state=say "no"  twice`), ["city=Berlin", `state=say "no"  twice`]);
    assert.deepEqual(written(`Berlin "New York" \n`), ["city=Berlin", "state=New York"]);
    assert.deepEqual(turn(`Berlin say "n`), ["state", 7, `say "n`]);
    const one = declared.slice(0, 1);
    assert.deepEqual(writtenArguments(`"a" + 'b'`, one), [{ name: "city", start: 0, end: 9, value: `"a" + 'b'` }]);
  });

  it("a quote that is still open reaches to the end", () => {
    assert.deepEqual(written(`"New Yo`), ["city=New Yo"]);
    assert.deepEqual(written(`"`), ["city="]);
    assert.deepEqual(written(`city=`), ["city="]);
  });

  it("the argument in turn is the one at the cursor, or the next one", () => {
    assert.deepEqual(turn(""), ["city", 0, ""]);
    assert.deepEqual(turn("Ber"), ["city", 0, "Ber"]);
    assert.deepEqual(turn("Berlin "), ["state", 7, ""]);
    assert.deepEqual(turn("state=N"), ["state", 6, "N"]);
    assert.deepEqual(turn(`state=NY "New`), ["city", 9, "New"]);
    assert.equal(turn("Berlin BE "), undefined);
    assert.equal(argumentInTurn("x", []), undefined);
  });

  it("missing are those that are required and not written", () => {
    const missing = (text: string) => missingArguments(text, declared).map(({ name }) => name);
    assert.deepEqual(missing(""), ["city"]);
    assert.deepEqual(missing("state=NY"), ["city"]);
    assert.deepEqual(missing(`""`), ["city"]);
    assert.deepEqual(missing("Berlin"), []);
  });

  it("a quoted value is read as it was", () => {
    for (const value of ["Berlin", "New York", `it's`, `say "hi"`, ""]) {
      assert.deepEqual(written(quotedValue(value)), [`city=${value}`]);
    }
    assert.deepEqual(written(quotedValue(`it's "two"`)), ["city=it's two"]);
    assert.equal(argumentHint(declared), "<city> [state]");
  });

  it("names of a server that are names of every object are arguments as others", () => {
    const odd = [{ name: "__proto__", description: "", isRequired: true }];
    assert.deepEqual(missingArguments("x", odd), []);
    assert.deepEqual(missingArguments("", odd), odd);
  });
});
