/** Makes links of the places in files that an answer names, in the elements that show it. */
import { t } from "../../src/l10n/l10n.ts";
import { fileChecks } from "./file-checks.svelte.ts";
import { hrefOf, type PlaceLines, parseLink } from "./link-target.ts";
import { type FoundPlace, placesIn } from "./places.ts";

/** Elements with texts that are no prose, or that are links already. */
const others = "pre, a, button, .Maths, .Picture, [data-href]";
/** More links in one text help nobody. */
const mostLinks = 200;

/** Elements whose texts were searched. They are replaced when their text changes. */
const searched = new WeakSet<Element>();

/** Searches the children of an element that are new. */
export function linkPlaces(root: HTMLElement, cwd: string): void {
  for (const child of root.children) {
    if (searched.has(child) || child.matches(others)) continue;
    searched.add(child);
    for (const node of textNodes(child)) linkNode(node, cwd);
  }
}

function textNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text && !node.parentElement?.closest(others)) nodes.push(node);
  }
  return nodes;
}

function linkNode(node: Text, cwd: string): void {
  const places = placesIn(node.data, cwd).slice(0, mostLinks);
  // From the end, so that what is before stays where it is.
  for (const { start, end, path, line, lastLine } of places.reverse()) {
    const text = node.splitText(start);
    text.splitText(end - start);
    const link = document.createElement("span");
    link.className = "Place";
    makeLink(link, hrefOf(path, line, lastLine));
    text.replaceWith(link);
    link.append(text);
  }
}

/** Strikes the links whose file is gone, those that the model has written too. */
export function markMissing(root: HTMLElement): void {
  for (const link of root.querySelectorAll<HTMLElement>("[data-href], .Place")) {
    const href = link.dataset["href"] ?? link.dataset["place"] ?? "";
    const place = parseLink(href);
    if (place?.type !== "file") continue;
    fileChecks.check(place.path);
    const { state, title } = placeLook(place.path, place);
    link.classList.toggle("gone", state === "gone");
    if (!link.classList.contains("Place")) {
      if (state === "gone") link.title = title;
      continue;
    }
    link.title = title;
    if ((state === "plain") === "place" in link.dataset) continue;
    if (state === "plain") {
      for (const name of ["data-href", "role", "tabindex"]) link.removeAttribute(name);
      link.dataset["place"] = href;
    } else {
      makeLink(link, href);
      delete link.dataset["place"];
    }
  }
}

function makeLink(element: HTMLElement, href: string): void {
  element.dataset["href"] = href;
  element.role = "link";
  element.tabIndex = 0;
}

interface PlaceLook {
  /** `plain`: a name without a folder that is no file means something else, and is no link. */
  state: "link" | "gone" | "plain";
  title: string;
}

export function placeLook(path: string, { line, lastLine }: PlaceLines): PlaceLook {
  if (!fileChecks.isMissing(path)) {
    if (line === undefined) return { state: "link", title: t("Open {0}", path) };
    const range = lastLine === undefined ? undefined : t("Open {0} at lines {1}–{2}", path, line, lastLine);
    return { state: "link", title: range ?? t("Open {0} at line {1}", path, line) };
  }
  return path.includes("/") ? { state: "gone", title: t("There is no file {0}", path) } : { state: "plain", title: "" };
}

/** A piece of an output; `place`: where a press on it leads. */
interface LinkedPiece {
  text: string;
  place: FoundPlace | undefined;
}

/** Divides an output into links and what is between them. Empty for an empty one. */
export function linkedPieces(text: string, cwd: string): LinkedPiece[] {
  const pieces: LinkedPiece[] = [];
  let from = 0;
  const add = (end: number, place: FoundPlace | undefined) => {
    if (end > from) pieces.push({ text: text.slice(from, end), place });
    from = end;
  };
  for (const place of placesIn(text, cwd).slice(0, mostLinks)) {
    add(place.start, undefined);
    add(place.end, place);
  }
  add(text.length, undefined);
  return pieces;
}
