/** The text of elements as it is read: in the page, and of HTML that is in no page. A formula is read as its TeX. */
import { texOf } from "../drawings/maths-rules.ts";

/** Stands between texts of different blocks, so that nothing is found across them. Shown texts do not contain it. */
export const blockBreak = "\0";

export interface ReadText {
  text: string;
  /** Its nodes, and where the text of each begins; of a formula the element, which shows its text in another form. */
  nodes: { node: Text | Element; start: number }[];
}

const inline = new Set(["A", "B", "CODE", "DEL", "EM", "KBD", "SPAN", "STRONG", "SUB", "SUP"]);
/** For screen readers, or line numbers; or what is text only until it is drawn. */
const unread = ".sr, [data-unread], .Maths > *, .Picture";
/** Its source, once it is drawn. */
const sourceOf = (maths: HTMLElement) => maths.dataset["source"] ?? maths.textContent ?? "";

export function readText(root: Node): ReadText {
  const nodes: ReadText["nodes"] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(unread) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let text = "";
  let block: Node | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = wordsOf(node);
    if (words === undefined || !(node instanceof Text || node instanceof Element)) {
      if (node.nodeName === "BR") text += blockBreak;
      continue;
    }
    const own = blockOf(node, root);
    if (own !== block && text !== "") text += blockBreak;
    block = own;
    nodes.push({ node, start: text.length });
    text += words;
  }
  return { text, nodes };
}

/** Returns the text of a node that is read as a whole. */
function wordsOf(node: Node): string | undefined {
  if (node instanceof HTMLElement && node.matches(".Maths")) return texOf(sourceOf(node).trim()).tex;
  const isText = node instanceof Text && !node.parentElement?.matches(".Maths");
  return isText ? node.data : undefined;
}

function blockOf(node: Node, root: Node): Node | null {
  if (node instanceof Element && node.matches(".display")) return node;
  let parent = node.parentNode;
  while (parent && parent !== root && inline.has(parent.nodeName)) parent = parent.parentNode;
  return parent;
}

/** Returns the ranges of texts with this length that begin at `starts`, in order. */
export function rangesOf({ nodes }: ReadText, starts: readonly number[], length: number): Range[] {
  let first = 0;
  return starts.map((start) => {
    while ((nodes[first + 1]?.start ?? Number.POSITIVE_INFINITY) <= start) first++;
    let last = first;
    while ((nodes[last + 1]?.start ?? Number.POSITIVE_INFINITY) < start + length) last++;
    const range = document.createRange();
    const [from, to] = [nodes[first], nodes[last]];
    if (from?.node instanceof Text) range.setStart(from.node, start - from.start);
    else if (from) range.setStartBefore(from.node);
    if (to?.node instanceof Text) range.setEnd(to.node, start + length - to.start);
    else if (to) range.setEndAfter(to.node);
    return range;
  });
}
