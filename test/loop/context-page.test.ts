/** What the page of the context window names and changes as a whole (C8): all that is not pinned; where the fixed parts come from. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Part } from "../../src/chat/message.ts";
import { configPlace } from "../../src/extension/conversation/config-place.ts";
import { fixedSize } from "../../src/loop/context/context.ts";
import { contextUse } from "../../src/loop/context/context-use.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { bareConfig } from "./bare.ts";
import { type Harness, harnesses } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const sent = (h: Harness) => JSON.stringify(h.model.requests.at(-1)?.entries ?? []);
const idOf = (h: Harness, is: (part: Part) => boolean) =>
  h.chat.messages.flatMap(({ parts }) => parts).find(is)?.id ?? assert.fail("no such part");
const outputOf = (h: Harness, file: string) =>
  idOf(h, (part) => part.type === "tool" && part.state.input["file_path"] === file);
const words = (h: Harness, text: string) => idOf(h, (part) => part.type === "text" && part.text.includes(text));

describe("C8 keep only what is pinned", () => {
  const open = harnesses();
  const files = { "a.txt": "alpha\n", "b.txt": "beta\n" };
  const names = (h: Harness) =>
    h.session
      .contextUse()
      .pieces.filter(({ dropped }) => dropped)
      .map(({ name }) => name)
      .toSorted();

  it("C8 all else leaves with the next request, the message that is answered stays, and the record keeps everything", async () => {
    const h = open([[read("a.txt"), read("b.txt")], ["Read."], ["Done."], ["Well."]], { files });
    await h.turn("Look at them.");
    await h.session.changePiece(outputOf(h, "a.txt"), "pin");
    await h.turn("And?");
    const { loose, waiting } = h.session.contextUse();
    assert.deepEqual([loose.count, waiting], [4, { count: 0, tokens: 0 }]);
    await h.session.changePieces("keep-pinned");
    assert.deepEqual(names(h), ["b.txt", "“Done.”", "“Look at them.”", "“Read.”"]);
    assert.deepEqual(h.session.contextUse().waiting, loose);
    assert.deepEqual(h.session.contextUse().loose, { count: 0, tokens: 0 });
    await h.turn("Well?");
    assert.match(sent(h), /alpha/);
    assert.match(sent(h), /And\?.*Well\?/);
    assert.doesNotMatch(sent(h), /beta|Look at them|Read\.|Done\./);
    assert.match(JSON.stringify(h.chat.messages), /beta/);
    // Too late.
    await h.session.changePieces("put-back");
    assert.equal(Object.values(h.chat.pieces).filter(({ dropped }) => dropped?.after).length, 4);
    h.checkRecord();
  });

  it("C8 until the next request all comes back at once, also what was dropped singly; pins stay", async () => {
    const h = open([[read("a.txt"), read("b.txt")], ["Read."], ["Well."]], { files });
    await h.turn("Look at them.");
    await h.session.changePiece(outputOf(h, "a.txt"), "pin");
    await h.session.changePiece(words(h, "Read."), "drop");
    await h.session.changePieces("keep-pinned");
    assert.deepEqual(names(h), ["b.txt", "“Read.”"]);
    await h.session.changePieces("put-back");
    assert.deepEqual(names(h), []);
    assert.equal(h.session.contextUse().dropCost, undefined);
    await h.turn("Well?");
    assert.match(sent(h), /alpha.*beta.*Read\./);
    assert.equal(h.session.contextUse().pieces.filter(({ pinned }) => pinned).length, 1);
    h.checkRecord();
  });
});

describe("C8 the fixed parts of the context", () => {
  const tool = (name: string) => ({ name, description: "Does it. ".repeat(9), schema: {} });
  const prompt = {
    base: "Base.",
    rules: "Rules A. Rules B, which are longer.",
    memory: "Notes.",
    skills: "",
    added: "",
  };
  const config = {
    ...bareConfig(100_000),
    system: "Base. Rules A. Rules B, which are longer. Notes.",
    definitions: ["read", "mcp__github__a", "mcp__github__b_c", "mcp__db__q"].map(tool),
  };
  const files = {
    rules: [
      { path: "AGENTS.md", text: "Rules A." },
      { path: "~/.rondo/AGENTS.md", text: "Rules B, which are longer." },
    ],
    memory: { path: ".rondo/MEMORY.md", text: "Notes." },
  };

  it("C8 are each rules file, the memory and each MCP server, with the place where they are changed; together they are the whole", () => {
    const { parts } = contextUse({ ...newSession(""), messages: [] }, config, prompt, files, defaultLimits);
    const fixed = parts.filter(({ tokens }) => tokens > 0);
    assert.deepEqual(
      fixed.map(({ name, detail, count, place }) => [name, detail, count, place]),
      [
        ["system", undefined, undefined, undefined],
        ["rules", "AGENTS.md", undefined, { type: "file", path: "AGENTS.md" }],
        ["rules", "~/.rondo/AGENTS.md", undefined, { type: "file", path: "~/.rondo/AGENTS.md" }],
        ["memory", undefined, undefined, { type: "file", path: ".rondo/MEMORY.md" }],
        ["tools", undefined, 1, undefined],
        ["tools", "github", 2, { type: "servers" }],
        ["tools", "db", 1, { type: "servers" }],
      ],
    );
    const [, small, large] = fixed;
    assert.ok((small?.tokens ?? 0) < (large?.tokens ?? 0));
    const whole = fixed.reduce((all, { tokens }) => all + tokens, 0);
    assert.ok(Math.abs(whole - fixedSize(config)) < 2, `${whole} of ${fixedSize(config)}`);
  });

  it("C8 a rules file is found from the name that is shown: in its folder, in one of several, and in the user's own", () => {
    const [one, two] = [path.resolve("/w/shop"), path.resolve("/w/api")];
    const home = path.resolve("/home/ada");
    assert.equal(configPlace("AGENTS.md", [one], home), path.join(one, "AGENTS.md"));
    assert.equal(configPlace("api/AGENTS.md", [one, two], home), path.join(two, "AGENTS.md"));
    assert.equal(configPlace("shop/AGENTS.md", [one], home), path.join(one, "shop", "AGENTS.md"));
    assert.equal(configPlace("~/.rondo/AGENTS.md", [one], home), path.join(home, ".rondo", "AGENTS.md"));
  });
});
