/** The text of elements as it is read: in the page, and of HTML that is in no page. */

/** Stands between texts of different blocks, so that nothing is found across them. Shown texts do not contain it. */
export const blockBreak = "\0";

export interface ReadText {
  text: string;
  /** Its nodes, and where the text of each begins. */
  nodes: { node: Text; start: number }[];
}

const inline = new Set(["A", "B", "CODE", "DEL", "EM", "KBD", "SPAN", "STRONG", "SUB", "SUP"]);
/** For screen readers, or line numbers; or what is text only until it is drawn. */
const unread = ".sr, [data-unread], .Maths, .Picture";

export function readText(root: Node): ReadText {
  const nodes: ReadText["nodes"] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(unread) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let text = "";
  let block: Node | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) {
      if (node.nodeName === "BR") text += blockBreak;
      continue;
    }
    const own = blockOf(node, root);
    if (own !== block && text !== "") text += blockBreak;
    block = own;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  return { text, nodes };
}

function blockOf(node: Node, root: Node): Node | null {
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
    if (from) range.setStart(from.node, start - from.start);
    if (to) range.setEnd(to.node, start + length - to.start);
    return range;
  });
}
