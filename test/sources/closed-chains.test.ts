/**
 * A chain of `{:else if}` over the members of a union ends in `never(…)`: else a member that is added is drawn as
 * nothing, or as another one. For `switch` and lookups the compiler says it.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type AST, parse } from "svelte/compiler";

const webview = path.join(import.meta.dirname, "../../webview");
/** Two are a test of one thing and another; what is neither may be nothing. */
const leastMembers = 3;

interface Chain {
  tests: string[];
  /** What the branches hold. */
  contents: string;
}

/** Returns the chains of a component: each `{#if}` with its `{:else if}` and `{:else}`. */
function chainsIn(source: string): Chain[] {
  const chains: Chain[] = [];
  const textOf = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    if (isIf(node) && !node.elseif) {
      const chain: Chain = { tests: [], contents: textOf(node) };
      for (let next: AST.IfBlock | undefined = node; next; next = elseIfOf(next))
        chain.tests.push(textOf(next.test as unknown as { start: number; end: number }));
      chains.push(chain);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(parse(source, { modern: true }).fragment);
  return chains;
}

function isIf(node: object): node is AST.IfBlock {
  return "type" in node && node.type === "IfBlock";
}

function elseIfOf({ alternate }: AST.IfBlock): AST.IfBlock | undefined {
  return alternate?.nodes.find((node) => isIf(node) && node.elseif) as AST.IfBlock | undefined;
}

/** Returns what a chain tells apart by `X.type === "…"` and does not close. */
function openUnions({ tests, contents }: Chain): string[] {
  const compared = tests.flatMap((test) => /(?:^|\s)([\w.]+)\.(?:type|kind|status) === "/.exec(test)?.[1] ?? []);
  const members = Map.groupBy(compared, (subject) => subject);
  return [...members]
    .filter(([subject, found]) => found.length >= leastMembers && !contents.includes(`never(${subject})`))
    .map(([subject]) => subject);
}

describe("chains over a union", () => {
  it("end in `never`", () => {
    const files = readdirSync(webview, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".svelte"),
    );
    const chains = files.flatMap((file) =>
      chainsIn(readFileSync(path.join(webview, file), "utf8")).map((chain) => ({ file, chain })),
    );
    const open = chains.flatMap(({ file, chain }) => openUnions(chain).map((subject) => `${file}: ${subject}`));
    assert.deepEqual(open, []);
    const closed = chains
      .filter(({ chain }) => /\bnever\(/.test(chain.contents))
      .map(({ file }) => path.basename(file));
    assert.ok(closed.includes("LogRowView.svelte") && closed.includes("KeyForm.svelte"), closed.join(", "));
  });

  it("are found where they are open", () => {
    const branches = ["a", "b", "c"].map(
      (type, at) => `{${at === 0 ? "#" : ":else "}if row.type === "${type}"}${type}`,
    );
    const [open] = chainsIn(`${branches.join("")}{:else}d{/if}`);
    assert.deepEqual(open && openUnions(open), ["row"]);
    const [closed] = chainsIn(`${branches.join("")}{:else}{never(row)}{/if}`);
    assert.deepEqual(closed && openUnions(closed), []);
    const [two] = chainsIn(`${branches.slice(0, 2).join("")}{:else}d{/if}`);
    assert.deepEqual(two && openUnions(two), []);
  });
});
