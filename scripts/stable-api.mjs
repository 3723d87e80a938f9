/** What the Marketplace refuses: an extension that needs proposed API. VS Code forgives it only during development. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import proposedMenus from "./proposed-menus.json" with { type: "json" };

/**
 * Contribution points that need no proposal, as far as Rondo uses them. A further one is added here after a look at its
 * schema in VS Code: some of its fields may need one.
 */
const stablePoints = [
  "commands",
  "configuration",
  "configurationDefaults",
  "keybindings",
  "menus",
  "submenus",
  "views",
  "viewsContainers",
  "walkthroughs",
];

/**
 * @typedef {object} SourceFile
 * @property {string} name
 * @property {string} text
 *
 * @typedef {object} Sources
 * @property {Record<string, any>} manifest package.json
 * @property {string} typesVersion version of the installed types of VS Code
 * @property {SourceFile[]} files all sources
 */

/**
 * Returns a sentence for each use of proposed API.
 * @param {Sources} sources
 * @returns {string[]}
 */
export function proposedApiIn({ manifest, typesVersion, files }) {
  const fields = ["enabledApiProposals", "enableProposedApi"].filter((field) => field in manifest);
  return [
    ...fields.map((field) => `package.json has "${field}": no proposed API may be used.`),
    ...typesProblem(manifest, typesVersion),
    ...contributionProblems(manifest["contributes"] ?? {}),
    ...files.flatMap(fileProblems),
  ];
}

/**
 * Types of a later VS Code would let the code call what the oldest supported one has only as a proposal, or not at all.
 * @param {Record<string, any>} manifest @param {string} typesVersion
 */
function typesProblem({ engines = {} }, typesVersion) {
  const floor = minorOf(String(engines.vscode));
  if (floor !== "" && floor === minorOf(typesVersion)) return [];
  return [`@types/vscode is ${typesVersion}, and engines.vscode is ${engines.vscode}: both must be the same version.`];
}

/** @param {string} version */
const minorOf = (version) => /^\^?(\d+\.\d+)\./.exec(version)?.[1] ?? "";

/** @param {Record<string, any>} contributes */
function contributionProblems({ menus = {}, ...contributes }) {
  const unknown = Object.keys(contributes).filter((point) => !stablePoints.includes(point));
  /** @type {Record<string, string>} */
  const proposals = proposedMenus;
  return [
    ...unknown.map((point) => `Nobody has checked whether the contribution point "${point}" needs a proposal.`),
    ...Object.keys(menus).flatMap((menu) => {
      const proposal = proposals[menu];
      return proposal === undefined ? [] : [`The menu "${menu}" needs the proposal ${proposal}.`];
    }),
  ];
}

/** @param {SourceFile} file */
function fileProblems({ name, text }) {
  if (/vscode\.proposed\.[^/\\]*\.d\.ts$/.test(name)) return [`${name} declares proposed API.`];
  if (/declare\s+module\s+["']vscode["']/.test(text)) return [`${name} adds to the types of VS Code.`];
  return [];
}

/**
 * Returns the proposal of each menu that needs one.
 * @param {string} vscode folder of VS Code's server
 */
export async function readProposedMenus(vscode) {
  const workbench = await readFile(path.join(vscode, "out/vs/code/browser/workbench/workbench.js"), "utf8");
  // VS Code's table of menus, `menusExtensionPoint.ts`: key, id, description, and the proposal if there is one.
  const rows = workbench.matchAll(/\{key:"([\w/]+)",id:[\w$.]+,[^{}]*\}/g);
  const menus = [...rows].flatMap(([row, key = ""]) => {
    const proposal = /proposed:"(\w+)"/.exec(row)?.[1];
    return proposal === undefined ? [] : [[key, proposal]];
  });
  return Object.fromEntries(menus.sort());
}
