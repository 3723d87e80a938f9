/** Problems in words, for a prompt. Its texts are for the model. */
import * as vscode from "vscode";
import { cutLine } from "../../tools/text/text.ts";
import { toldName } from "../told-name.ts";

const maxProblems = 20;
const maxMessageChars = 1_000;

/** An error needs no word. */
const severityNames: Partial<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "info",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

/** Names the file and its problems, in a list with lines. */
export function describeProblems(uri: vscode.Uri, problems: readonly vscode.Diagnostic[]): string {
  const name = toldName(uri);
  const lines = problems.slice(0, maxProblems).map((problem) => `- ${inOneLine(problem)}`);
  const left = problems.length - lines.length;
  return [`${name}:`, ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
}

function inOneLine({ range, message, source, code, severity }: vscode.Diagnostic): string {
  const value = typeof code === "object" ? code.value : code;
  const from = [severityNames[severity], source, value].filter((one) => one !== undefined && one !== "").join(" ");
  const words = cutLine(message.replace(/\s+/g, " ").trim(), maxMessageChars);
  return `line ${range.start.line + 1}: ${words}${from === "" ? "" : ` (${from})`}`;
}
