/** States of the list that "@" opens. */

import type { EditorContext } from "../../src/chat/editor-views.ts";
import type { MentionGroup, MentionHit, MentionKind, ResourceTemplate } from "../../src/chat/mention-search.ts";
import * as f from "./fixtures.ts";
import { agents } from "./loop-states.ts";
import type { Unnumbered } from "./page.ts";
import type { State } from "./states.ts";

const held = (kind: EditorContext["kind"], words: string): EditorContext => ({ kind, words, isEmpty: false });
const nothing = (kind: EditorContext["kind"], words: string): EditorContext => ({ kind, words, isEmpty: true });

export const contexts: EditorContext[] = [
  held("problems", "3 errors, 1 warning in 2 files"),
  held("file-problems", "2 errors in cart.ts"),
  held("changes", "3 files"),
  held("terminal", "npm test -- cart, exit 1"),
  held("terminal-selection", "what is selected in zsh"),
  held("failed-tests", "1 failed test"),
  held("debug-output", "Launch shop, 212 lines"),
  held("open-editors", "2 files"),
];

export const noContexts: EditorContext[] = [
  nothing("problems", "no problems"),
  nothing("file-problems", "no file is open"),
  nothing("changes", "no changes"),
  nothing("terminal", "no terminal is open"),
  nothing("terminal-selection", "no terminal is open"),
  nothing("failed-tests", "no failed tests"),
  nothing("debug-output", "nothing printed yet"),
  nothing("open-editors", "no file is open"),
];

const long: EditorContext[] = [
  held("problems", "1,234 errors, 5,678 warnings, 910 infos in 1,112 files"),
  held("file-problems", "2 errors in a-very-long-name-of-a-file-that-does-not…"),
  held("terminal", "docker compose -f compose.yaml -f compos…, exit 137"),
];

export const telling = (list: readonly EditorContext[]): Unnumbered[] =>
  list.map((context) => ({ type: "editor-context", context }));

const file = (path: string, marks: MentionHit["marks"], note = ""): MentionHit => ({
  mention: { kind: "file", uri: `file:///shop/${path}` },
  name: path.slice(path.lastIndexOf("/") + 1),
  marks,
  where: path.slice(0, path.lastIndexOf("/") + 1),
  whereMarks: [],
  note,
});

/** What the host finds for "cart". */
export const groups: MentionGroup[] = [
  {
    kind: "file",
    hits: [
      file("src/cart.ts", [[0, 4]], "open"),
      file("src/model/CustomerArticle.ts", [
        [0, 1],
        [8, 11],
      ]),
    ],
  },
  {
    kind: "folder",
    hits: [
      {
        mention: { kind: "folder", uri: "file:///shop/src/fixtures/carts" },
        ...{ name: "carts", marks: [[0, 4]], where: "src/fixtures/", whereMarks: [], note: "12 files" },
      },
    ],
  },
];

export const symbols: MentionGroup = {
  kind: "symbol",
  hits: [
    {
      mention: { kind: "symbol", uri: "file:///shop/src/shop.ts", lines: [41, 52] },
      ...{ name: "addToCart", marks: [[5, 9]], where: "src/shop.ts:41", whereMarks: [], note: "method" },
    },
  ],
};

const others: MentionGroup[] = [
  {
    kind: "problem",
    hits: [
      {
        mention: {
          kind: "problem",
          uri: "file:///shop/src/shop.ts",
          line: 52,
          message: "'cart' is possibly undefined",
        },
        ...{
          name: "'cart' is possibly undefined",
          marks: [[1, 5]],
          where: "src/shop.ts:52",
          whereMarks: [],
          note: "error",
        },
      },
    ],
  },
  {
    kind: "session",
    hits: [
      {
        mention: { kind: "session", id: "ses_1" },
        ...{ name: "Split the cart module", marks: [[10, 14]], where: "", whereMarks: [], note: "yesterday" },
      },
    ],
  },
  {
    kind: "resource",
    hits: [
      {
        mention: { kind: "resource", server: "figma", uri: "figma://cart" },
        ...{ name: "Checkout / Cart page", marks: [[11, 15]], where: "figma", whereMarks: [], note: "" },
      },
    ],
  },
];

const longPath = `packages/${"a-folder-with-a-long-name/".repeat(4)}`;
const longHits: MentionGroup[] = [
  {
    kind: "file",
    hits: [
      file(`${longPath}cart.ts`, [[0, 4]]),
      file(`${longPath}${"a-long-name-".repeat(6)}cart.ts`, [[72, 76]], "open"),
    ],
  },
];

const found = (words: string, hits: readonly MentionGroup[], pending: MentionKind[] = []): Unnumbered => ({
  type: "mentions",
  found: { query: { words, ignored: false }, groups: hits, pending },
});

/** Types the words, and gives the answer of the host then. */
function finding(words: string, answer: Unnumbered, keys: string[] = []): State {
  const typed = mentioning(`Why does @${words}`, contexts);
  return {
    ...typed,
    async act(page, panel) {
      await typed.act?.(page, panel);
      await panel.post(answer);
      for (const key of keys) await page.getByRole("textbox", { name: "Message" }).press(key);
    },
  };
}

const mentioning = (typed: string, list: readonly EditorContext[], keys: string[] = []): State => ({
  messages: [
    f.snapshot(f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)]), f.panelState({ agents })),
    ...telling(list),
  ],
  async act(page) {
    const field = page.getByRole("textbox", { name: "Message" });
    await field.pressSequentially(typed);
    for (const key of keys) await field.press(key);
  },
});

export const repositoryFile: ResourceTemplate = {
  kind: "template",
  server: "github",
  uri: "repo://{owner}/{repo}/contents{/path*}",
  description: "Reads one file, or the names of a folder",
  variables: [
    { name: "owner", description: "", isRequired: true },
    { name: "repo", description: "", isRequired: true },
    { name: "path", description: "", isRequired: false },
  ],
};

/** What the host finds for the words: a resource and a template. */
export function foundTemplate(words: string, template: ResourceTemplate): Unnumbered {
  const marks: MentionHit["marks"] = [[12, 16]];
  const where = template.server;
  const hits: MentionHit[] = [
    { mention: template, name: "A file of a repository", marks, where, whereMarks: [], note: "3 values…" },
    {
      mention: { kind: "resource", server: "figma", uri: "figma://report" },
      ...{ name: "The sales report", marks: [[10, 13]], where: "figma", whereMarks: [], note: "" },
    },
  ];
  return found(words, [{ kind: "resource", hits }]);
}

/** Chooses the template, writes the first value, and gets values for the second. */
const filling = (values: readonly string[], ...keys: string[]): State => {
  const { server, uri } = repositoryFile;
  const chosen = finding("repo", foundTemplate("repo", repositoryFile), ["Enter"]);
  return {
    ...chosen,
    async act(page, panel) {
      await chosen.act?.(page, panel);
      const field = page.getByRole("textbox", { name: "Message" });
      await field.pressSequentially("rondo-dev");
      await field.press("Enter");
      await panel.post({ type: "variable-values", server, uri, variable: "repo", value: "", values });
      for (const key of keys) await field.press(key);
    },
  };
};

export const mentionStates: Record<string, State> = {
  mentions: mentioning("Why does @", contexts),
  "mentions-begun": mentioning("Why does @t", contexts, ["ArrowDown"]),
  "mentions-none": mentioning("Why does @", noContexts, ["ArrowDown"]),
  "mentions-found": finding("cart", found("cart", [...groups, ...others], ["symbol"]), ["ArrowDown"]),
  "mentions-nothing": finding("crttotl", found("crttotl", [])),
  "mentions-long-paths": finding("cart", found("cart", longHits)),
  "mentions-template": finding("repo", foundTemplate("repo", repositoryFile)),
  "mentions-variable": filling(["rondo", "rondo-tests", "website"], "ArrowDown"),
  "mentions-long": mentioning("Why does @", [...contexts.slice(3), ...long]),
};
