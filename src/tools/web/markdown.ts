/** Converts the visible text of a page to Markdown, without scripts, embedded and hidden content. */

import Turndown from "turndown";
import { fenceFor } from "../../base/fence.ts";

const unseen = [
  ...["script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "canvas", "video", "audio"],
  ...["form", "input", "select", "textarea", "button", "dialog", "link", "meta", "base"],
];
const hiding = /(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0\s*(;|$)|font-size\s*:\s*0)/i;

/** `base` is the page's address, to resolve links. */
export function toMarkdown(html: string, base: string): string {
  const given = /<base\b[^>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(html)?.[1];
  const service = converter(given !== undefined && URL.canParse(given, base) ? new URL(given, base).href : base);
  return service
    .turndown(html)
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n");
}

function converter(base: string): Turndown {
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  // The rule added last applies first: hidden content is always removed.
  service.addRule("title", { filter: "title", replacement: (text) => (text === "" ? "" : `# ${text}\n\n`) });
  service.addRule("pre", { filter: "pre", replacement: (_, node) => fencedCode(node) });
  service.addRule("link", { filter: "a", replacement: (text, node) => link(text, node.getAttribute("href"), base) });
  service.addRule("image", {
    filter: "img",
    replacement: (_, node) => link(oneLine(node.getAttribute("alt") ?? ""), node.getAttribute("src"), base, "!"),
  });
  service.addRule("cell", {
    filter: ["td", "th"],
    replacement: (text) => ` ${oneLine(text).replaceAll("|", "\\|")} |`,
  });
  service.addRule("row", { filter: "tr", replacement: tableRow });
  service.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (text) => text });
  service.addRule("table", { filter: "table", replacement: (text) => `\n\n${text.trim()}\n\n` });
  service.addRule("unseen", {
    filter: (node) => unseen.includes(node.nodeName.toLowerCase()) || isInvisible(node),
    replacement: () => "",
  });
  return service;
}

function isInvisible(node: HTMLElement): boolean {
  return (
    node.hasAttribute("hidden") ||
    node.getAttribute("aria-hidden") === "true" ||
    hiding.test(node.getAttribute("style") ?? "")
  );
}

/** Keeps links to the web; removes `data:`, `javascript:` and others. */
function link(text: string, target: string | null, base: string, mark = ""): string {
  const words = text.trim();
  if (words === "" || target === null || target.startsWith("#") || !URL.canParse(target, base)) return text;
  const { protocol, href } = new URL(target, base);
  if (protocol !== "https:" && protocol !== "http:" && protocol !== "mailto:") return text;
  return `${mark}[${words}](${href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** Adds the separator line below the first row of a table. */
function tableRow(text: string, node: HTMLElement): string {
  const line = `\n|${text}`;
  const isFirst = node.previousElementSibling === null && startsTable(node.parentElement);
  return isFirst ? `${line}\n|${" --- |".repeat(node.children.length)}` : line;
}

/** Whether this part is the first of its table. */
function startsTable(part: HTMLElement | null): boolean {
  const before = part?.previousElementSibling?.nodeName;
  return part?.nodeName === "TABLE" || part?.nodeName === "THEAD" || before === undefined || before === "CAPTION";
}

function fencedCode(node: HTMLElement): string {
  const text = (node.textContent ?? "").replace(/\n$/, "");
  const classes = `${node.className} ${node.querySelector("code")?.className ?? ""}`;
  const language = /\blang(?:uage)?-([\w+#-]+)/.exec(classes)?.[1] ?? "";
  const fence = fenceFor(text);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
