/** A template of MCP resources whose variables the user gives in turn, each written after "@" and its name. */
import type { CommandArgument } from "../../src/chat/command-arguments.ts";
import type { Mention, ResourceTemplate } from "../../src/chat/mention-search.ts";

/** `start`: where "@" stands in the draft. `begun`: what was written after it when the template was chosen. */
export interface BegunTemplate {
  template: ResourceTemplate;
  name: string;
  start: number;
  begun: string;
  /** Values so far, and the variable in turn. */
  given: Readonly<Record<string, string>>;
  variable: CommandArgument;
}

/** What the draft holds for the variable in turn before its value. */
export const variableHead = ({ variable }: Pick<BegunTemplate, "variable">): string => `@${variable.name}=`;

/** Returns the value before the cursor and where it begins; undefined if the draft or the cursor is elsewhere. */
export function valueInTurn(
  begun: BegunTemplate,
  draft: string,
  cursor: number,
): { start: number; value: string } | undefined {
  const head = variableHead(begun);
  const start = begun.start + head.length;
  const value = draft.slice(start, cursor);
  const isThere = draft.startsWith(head, begun.start) && cursor >= start && !value.includes("\n");
  return isThere ? { start, value } : undefined;
}

/** Returns the template with the next variable in turn, or what can be attached if this was the last one. */
export function withValue(begun: BegunTemplate, value: string): BegunTemplate | Mention {
  const { template, variable } = begun;
  const given = value === "" ? begun.given : { ...begun.given, [variable.name]: value };
  const next = template.variables[template.variables.findIndex(({ name }) => name === variable.name) + 1];
  if (next) return { ...begun, given, variable: next };
  return { kind: "filled-template", server: template.server, uri: template.uri, values: given };
}

/** A piece of the address of a template. */
export interface TemplatePiece {
  text: string;
  look: "given" | "in-turn" | "plain";
}

/** Returns the address in pieces: values in place of the variables that have some, and the one in turn marked. */
export function templatePieces({ template, given, variable }: BegunTemplate): TemplatePiece[] {
  return template.uri.split(/(\{[^{}]*\})/).flatMap((text): TemplatePiece[] => {
    if (!text.startsWith("{")) return text === "" ? [] : [{ text, look: "plain" }];
    const names: string[] = text.match(/[\w.]+/g) ?? [];
    if (names.includes(variable.name)) return [{ text, look: "in-turn" }];
    const values = names.flatMap((name) => given[name] ?? []);
    if (values.length === 0) return [{ text, look: "plain" }];
    return [{ text: values.join(","), look: "given" }];
  });
}
