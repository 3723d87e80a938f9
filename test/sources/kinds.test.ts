/** A kind of message part, card or page that is added does not compile in any place that has to know it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const root = path.join(import.meta.dirname, "../..");

interface Added {
  what: string;
  /** In the messages of the compiler. */
  name: string;
  /** Where it is declared, and behind what. */
  file: string;
  behind: string;
  text: string;
  /** The files that do not compile then. */
  places: string[];
}

const part = (name: string, group: string) => ({
  ...{ name, file: "src/chat/message.ts", behind: `const ${group} = [` },
  text: `z.object({ ...partBase, type: z.literal("${name}") }),`,
});
const card = (name: string, base: string) => ({
  ...{ name, file: "src/chat/requests.ts", behind: "export type UserRequest =" },
  text: `(${base} & { kind: "${name}" }) |`,
});
const partPlaces = ["src/loop/part-kinds.ts", "webview/conversation/part-rows.ts"];

/** All at once, because reading the program takes most of the time. */
const all: Added[] = [
  { what: "a part that Rondo notes", ...part("x-noted", "notedParts"), places: partPlaces },
  {
    what: "a part that the user gives",
    ...part("x-given", "givenParts"),
    places: ["src/chat/words.ts", ...partPlaces],
  },
  {
    what: "a part that a model says",
    ...part("x-said", "saidParts"),
    places: [
      ...partPlaces,
      "src/extension/models/vscode-request.ts",
      "src/providers/anthropic/anthropic-request.ts",
      "src/providers/openai-responses/responses-request.ts",
      "src/providers/shared/entry-content.ts",
      "src/query/sdk-blocks.ts",
    ],
  },
  { what: "a card", ...card("x-card", "Asked"), places: ["src/chat/request-kinds.ts", "webview/questions/cards.ts"] },
  {
    what: "a card about a call",
    ...card("x-call", "AskedOfCall"),
    places: ["src/chat/request-kinds.ts", "src/query/ask.ts", "webview/questions/cards.ts"],
  },
  {
    what: "a page",
    ...{ name: "x-page", file: "src/chat/pages.ts", behind: "export interface PageContents {" },
    text: '"x-page": { lines: string[] };',
    places: ["webview/pages/pages.ts"],
  },
];
const files = [...new Set(all.flatMap(({ places }) => places))];

describe("kinds", () => {
  /** What the compiler says of each file. */
  const said = new Map<string, string>();

  before(() => {
    const texts = new Map<string, string>();
    for (const { file, behind, text } of all) {
      const source = texts.get(file) ?? readFileSync(path.join(root, file), "utf8");
      assert.ok(source.includes(behind), `${file}: ${behind}`);
      texts.set(file, source.replace(behind, `${behind} ${text}`));
    }
    const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, { noErrorTruncation: true });
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (name, language, ...rest) => {
      const text = texts.get(path.relative(root, path.resolve(name)).replaceAll(path.sep, "/"));
      return text === undefined ? read(name, language, ...rest) : ts.createSourceFile(name, text, language);
    };
    const roots = [...files, "node_modules/svelte/types/index.d.ts"].map((name) => path.join(root, name));
    const program = ts.createProgram(roots, options, host);
    for (const name of files) {
      const found = program.getSemanticDiagnostics(program.getSourceFile(path.join(root, name)));
      said.set(name, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")).join("\n"));
    }
  });

  for (const { what, name, places } of all) {
    it(`${what} does not compile where it is not known`, () => {
      const named = files.filter((file) => said.get(file)?.includes(name));
      for (const place of places) assert.ok(named.includes(place), `${place}: ${said.get(place)}`);
    });
  }
});
