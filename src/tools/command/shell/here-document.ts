import type { Syntax } from "./grammar.ts";
import { holdsCode, UnsupportedSyntax } from "./word.ts";

interface HereDocument {
  /** Standard input of the command; undefined: unknown before it runs. */
  text: string | undefined;
  /** The node in which the shell substitutes; undefined: none. */
  body: Syntax | undefined;
  /** Everything else on the first line. */
  others: Syntax[];
}

/**
 * Checks that the grammar found the text that shells find: from the next line to the first line that is the delimiter.
 * @throws UnsupportedSyntax when they differ
 */
export function hereDocument(node: Syntax): HereDocument {
  const child = (type: string) => node.children.find((one) => one.type === type);
  const [opening, body, closing] = ["heredoc_start", "heredoc_body", "heredoc_end"].map(child);
  const isIndented = child("<<-") !== undefined;
  const quoted = /^(?:'(\w+)'|"(\w+)"|\\(\w+))$/.exec(opening?.text ?? "");
  const delimiter = quoted ? (quoted[1] ?? quoted[2] ?? quoted[3]) : /^\w+$/.exec(opening?.text ?? "")?.[0];
  if (!body || !closing || delimiter === undefined) throw new UnsupportedSyntax();
  const bodyStart = body.start - node.start;
  const firstLine = node.text.indexOf("\n") + 1;
  const skipped = firstLine > 0 && firstLine <= bodyStart ? node.text.slice(firstLine, bodyStart) : "?";
  if (node.text.slice(bodyStart) !== body.text + delimiter || !(isIndented ? /^\t*$/ : /^$/).test(skipped)) {
    throw new UnsupportedSyntax();
  }
  const text = isIndented ? body.text.replace(/^\t+/gm, "") : body.text;
  if ((text !== "" && !text.endsWith("\n")) || text.split("\n").includes(delimiter)) throw new UnsupportedSyntax();
  const others = node.children.filter((one) => one.named && ![opening, body, closing].includes(one));
  if (quoted) return { text, body: undefined, others };
  return { text: /[$`\\]/.test(text) ? undefined : text, body: checked(body), others };
}

function checked(body: Syntax): Syntax {
  let at = body.start;
  const literals: string[] = [];
  for (const child of body.children) {
    if (child.type === "heredoc_content") continue;
    literals.push(body.text.slice(at - body.start, child.start - body.start));
    at = child.end;
  }
  literals.push(body.text.slice(at - body.start));
  if (literals.some(holdsCode)) throw new UnsupportedSyntax();
  return body;
}
