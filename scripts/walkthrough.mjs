/** Draws the pictures of the walkthrough, in the colours of VS Code's four kinds of theme: `node scripts/walkthrough.mjs`. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./version.mjs";

/**
 * @typedef {object} Colours
 * @property {string} ground @property {string} panel @property {string} raised @property {string} line
 * @property {string} ink @property {string} quiet @property {string} button @property {string} onButton
 * @property {string} edge edge of buttons @property {string} hover @property {string} bad @property {string} badTint
 * @property {string} added @property {string} removed @property {string} link @property {string} keyword
 */

/** Colours of Dark Modern, Light Modern, and the two high contrast themes. @type {Record<string, Colours>} */
const themes = {
  dark: {
    ...{ ground: "#1f1f1f", panel: "#181818", raised: "#202020", line: "#3c3c3c", ink: "#cccccc", quiet: "#9d9d9d" },
    ...{
      button: "#0078d4",
      onButton: "#ffffff",
      edge: "#454545",
      hover: "#2a2d2e",
      bad: "#f14c4c",
      badTint: "#4b1818",
    },
    ...{ added: "#1d3a25", removed: "#4b1818", link: "#4daafc", keyword: "#569cd6" },
  },
  light: {
    ...{ ground: "#ffffff", panel: "#f8f8f8", raised: "#ffffff", line: "#d4d4d4", ink: "#3b3b3b", quiet: "#616161" },
    ...{
      button: "#005fb8",
      onButton: "#ffffff",
      edge: "#cecece",
      hover: "#ececec",
      bad: "#c72e0f",
      badTint: "#fbe1dc",
    },
    ...{ added: "#dcf0dd", removed: "#fbe1dc", link: "#005fb8", keyword: "#0000ff" },
  },
  hc: {
    ...{ ground: "#000000", panel: "#000000", raised: "#000000", line: "#6fc3df", ink: "#ffffff", quiet: "#ffffff" },
    ...{
      button: "#000000",
      onButton: "#ffffff",
      edge: "#6fc3df",
      hover: "#000000",
      bad: "#f88070",
      badTint: "#000000",
    },
    ...{ added: "#000000", removed: "#000000", link: "#21a6ff", keyword: "#569cd6" },
  },
  hcl: {
    ...{ ground: "#ffffff", panel: "#ffffff", raised: "#ffffff", line: "#0f4a85", ink: "#292929", quiet: "#292929" },
    ...{
      button: "#0f4a85",
      onButton: "#ffffff",
      edge: "#0f4a85",
      hover: "#ffffff",
      bad: "#b5200d",
      badTint: "#ffffff",
    },
    ...{ added: "#ffffff", removed: "#ffffff", link: "#0f4a85", keyword: "#0f4a85" },
  },
};

/** @param {number} x @param {number} y @param {string} words @param {string} fill */
const text = (x, y, words, fill, more = "") => `<text x="${x}" y="${y}" fill="${fill}"${more}>${words}</text>`;
const bold = ' font-weight="600"';
const small = ' font-size="12"';
const mono = ' font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12.5" xml:space="preserve"';
/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} fill @param {string} stroke */
const box = (x, y, w, h, fill, stroke, r = 4) =>
  `<rect x="${x + 0.5}" y="${y + 0.5}" width="${w}" height="${h}" rx="${r}" fill="${fill}" stroke="${stroke}"/>`;
/** @param {number} x @param {number} y @param {number} w @param {string} words @param {Colours} c */
const button = (x, y, w, words, c, primary = false) =>
  box(x, y, w, 26, primary ? c.button : c.raised, primary && c.button !== c.ground ? c.button : c.edge) +
  text(x + w / 2, y + 18, words, primary ? c.onButton : c.ink, `${small} text-anchor="middle"${primary ? bold : ""}`);
/** Icons as strokes, 16 px wide. @type {Record<string, string>} */
const icons = {
  server: '<path d="M5 1.5h6v9H5zM7 4h2M7 6.5h2M3 14.5l2-4h6l2 4z"/>',
  copilot:
    '<rect x="1.5" y="6.5" width="13" height="7" rx="3"/><rect x="2.5" y="2.5" width="5" height="5" rx="2"/><rect x="8.5" y="2.5" width="5" height="5" rx="2"/><path d="M6 9.5v1.5M10 9.5v1.5"/>',
  key: '<circle cx="10.5" cy="5.5" r="4"/><path d="M7.5 8.5l-6 6M3 13l2 1.5M5 11l1.5 1.5"/>',
  question: '<circle cx="8" cy="8" r="6.5"/><path d="M6 6.5a2 2 0 1 1 2.5 2c-.5.2-.5.6-.5 1M8 11.5v.5"/>',
  file: '<path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3"/>',
};
/** @param {number} x @param {number} y @param {string} name @param {string} stroke */
const icon = (x, y, name, stroke) =>
  `<g transform="translate(${x} ${y})" fill="none" stroke="${stroke}" stroke-linecap="round" stroke-linejoin="round">${icons[name]}</g>`;

/** @param {Colours} c */
function connect(c) {
  const row = (
    /** @type {number} */ y,
    /** @type {string} */ glyph,
    /** @type {string} */ name,
    /** @type {string} */ sub,
  ) => icon(64, y, glyph, c.ink) + text(92, y + 12, name, c.ink) + text(92, y + 30, sub, c.quiet, small);
  return [
    box(44, 50, 312, 262, c.panel, c.line, 8),
    text(64, 84, "Connect a model", c.ink, ` font-size="17"${bold}`),
    box(52, 104, 296, 52, c.hover, c.hover, 6),
    row(114, "server", "Ollama on this machine", "3 models · free"),
    button(292, 117, 48, "Use", c, true),
    row(176, "copilot", "Models of your Copilot plan", "12 models"),
    button(292, 179, 48, "Use", c),
    row(238, "key", "Use an API key", "Anthropic, OpenAI and 14 more"),
  ];
}

/** @param {Colours} c */
function decide(c) {
  return [
    box(32, 66, 336, 228, c.raised, c.line, 8),
    icon(48, 82, "question", c.ink),
    text(74, 95, "Run this command?", c.ink, bold),
    box(46, 112, 308, 62, c.ground, c.line, 6),
    text(58, 136, "npm test", c.quiet, mono),
    text(58, 160, "&amp;&amp;", c.keyword, mono + bold),
    `<rect x="78" y="147" width="104" height="18" rx="3" fill="${c.badTint}"/>`,
    text(82, 160, "rm -rf build", c.ink, mono),
    `<path d="M82 165.5h92" stroke="${c.bad}" stroke-width="2"/>`,
    `<circle cx="195" cy="156" r="8" fill="${c.bad}"/>`,
    text(195, 160, "1", c.panel, ` font-size="11" text-anchor="middle"${bold}`),
    `<circle cx="56" cy="200" r="8" fill="${c.bad}"/>`,
    text(56, 204, "1", c.panel, ` font-size="11" text-anchor="middle"${bold}`),
    text(74, 204, "It deletes 214 files.", c.ink, bold),
    text(74, 222, "Git has 9 of them.", c.quiet, small),
    `<path d="M33 244.5h335" stroke="${c.line}"/>`,
    button(46, 256, 92, "Allow once", c, true),
    button(146, 256, 104, "Always allow", c),
    button(302, 256, 52, "Deny", c),
  ];
}

/** @param {Colours} c */
function review(c) {
  const line = (
    /** @type {number} */ y,
    /** @type {string} */ sign,
    /** @type {number} */ at,
    /** @type {string} */ code,
    fill = "none",
  ) =>
    `<rect x="25" y="${y - 17}" width="350" height="24" fill="${fill}"/>` +
    text(44, y, String(at), c.quiet, `${mono} text-anchor="end"`) +
    text(54, y, sign, c.ink, mono + bold) +
    text(70, y, code, c.ink, mono);
  return [
    box(24, 88, 352, 184, c.ground, c.line, 8),
    icon(40, 102, "file", c.ink),
    text(64, 114, "cart.ts", c.ink),
    `<path d="M25 130.5h351" stroke="${c.line}"/>`,
    line(156, " ", 30, "export function total(cart) {"),
    text(70, 180, "Accept  |  Reject  |  Comment", c.link, small),
    line(204, "−", 31, "  return sum(cart.map(round));", c.removed),
    line(228, "+", 31, "  return round(sum(cart));", c.added),
    line(252, " ", 32, "}"),
  ];
}

const pictures = { connect, decide, review };
const folder = path.join(root, "media/walkthrough");
await mkdir(folder, { recursive: true });
for (const [theme, colours] of Object.entries(themes)) {
  for (const [name, draw] of Object.entries(pictures)) {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="360" viewBox="0 0 400 360" font-family="system-ui,'Segoe WPC','Segoe UI',sans-serif" font-size="14">`;
    const all = [head, `<rect width="400" height="360" fill="${colours.ground}"/>`, ...draw(colours), "</svg>", ""];
    await writeFile(path.join(folder, `${name}-${theme}.svg`), all.join("\n"));
  }
}
