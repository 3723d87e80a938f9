/** Finds the operators between the commands of the first level. Pure. */
import type { TextRange } from "../../../chat/requests.ts";
import type { SyntaxNode } from "../shell/grammar.ts";

/** Nodes whose children stand on the first level of the command, as these themselves do. */
const open = new Set(["program", "list", "pipeline", "redirected_statement", "negated_command"]);
const operators = new Set(["&&", "||", ";", "&", "|", "|&"]);

export function connectorsOf(root: SyntaxNode): TextRange[] {
  const found: TextRange[] = [];
  const visit = ({ type, start, end, children }: SyntaxNode): void => {
    if (operators.has(type)) found.push({ start, end });
    else if (open.has(type)) for (const child of children) visit(child);
    else if (type === "heredoc_redirect") {
      // The grammar makes what follows on the first line a part of the here-document: `<<EOF | sort`.
      for (const child of children) if (operators.has(child.type) || open.has(child.type)) visit(child);
    }
  };
  visit(root);
  return found.sort((one, other) => one.start - other.start);
}
