/** Writes the table of docs/tools.md and the list of permissions in docs/permissions.md from src/chat/tool-cards.ts. */
import { permissionNames, toolSentences } from "../src/chat/tool-cards.ts";
import { rewrite, table, withParts } from "./written-parts.mjs";

const rows = Object.entries(toolSentences()).map(([name, sentence]) => [`\`${name}\``, sentence]);
rewrite("docs/tools.md", (text) => withParts(text, { "the table of tools": table(["Tool", "What it does"], rows) }));

const permissions = permissionNames().map((name) => `\`${name}\``);
rewrite("docs/permissions.md", (text) => withParts(text, { permissions: permissions.join(", ") }));
