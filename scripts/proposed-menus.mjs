/** Writes `proposed-menus.json`: the menus that need a proposal, from the VS Code that the tests run. */
import { writeFile } from "node:fs/promises";
import { bringVSCode } from "../test/vscode-install.mjs";
import { readProposedMenus } from "./stable-api.mjs";

const menus = await readProposedMenus(await bringVSCode(console.log));
await writeFile(new URL("proposed-menus.json", import.meta.url), `${JSON.stringify(menus, undefined, 2)}\n`);
