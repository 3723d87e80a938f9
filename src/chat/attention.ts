/** What Rondo says outside of its panel: in a notification, in the status bar and on the view's badge. */
import { escapeInvisible } from "./escape-invisible.ts";
import { never } from "./never.ts";
import { titleOf } from "./request-titles.ts";
import type { PermissionRequest, UserRequest } from "./requests.ts";

const maxChars = 200;

/** What a session wants that is not in sight, the most urgent first. */
export type Wish = "waits" | "works" | "failed" | "done";

/**
 * Returns a question as a sentence for a notification: what Rondo wants, and the worst reason why that asks. It holds
 * words of the model, so it has no brackets, which VS Code would make links of, and shows invisible characters.
 */
export function questionSentence(request: UserRequest): string {
  return asPlainText(wordsOf(request));
}

/** `title`: of the session. */
export function endSentence(end: "done" | "failed", title: string): string {
  const words = end === "done" ? "Rondo is done" : "Rondo has stopped with an error";
  return asPlainText(title === "" ? `${words}.` : `${words}: ${title}`);
}

/** Returns the text of the badge's tooltip. */
export function waitingWords(questions: number): string {
  return questions === 1 ? "1 question waits for you" : `${questions} questions wait for you`;
}

function wordsOf(request: UserRequest): string {
  switch (request.kind) {
    case "permission":
      return permissionWords(request);
    case "choices":
      return `Rondo has a question: ${titleOf(request)}`;
    case "plan":
      return "Rondo has a plan for you to read.";
    case "budget":
    case "loop":
      return titleOf(request);
    default:
      return never(request);
  }
}

function permissionWords(request: PermissionRequest): string {
  const wants = `Rondo wants to ${actionOf(request)}`;
  const sentence = request.reasons[0]?.sentence ?? "";
  if (request.preview.type === "command" && sentence.startsWith("It "))
    return `${wants} that ${sentence.slice("It ".length)}`;
  return sentence === "" ? `${wants}.` : `${wants}. ${sentence}`;
}

function actionOf({ preview, tool }: PermissionRequest): string {
  switch (preview.type) {
    case "command":
      return "run a command";
    case "diff":
      return `change ${preview.diff.path}`;
    case "diffs":
      return `change ${preview.diffs.length} files`;
    case "deletion":
      return preview.files.length === 1 ? `delete ${preview.files[0]?.path}` : `delete ${preview.files.length} files`;
    case "page":
      return "read a web page";
    case "arguments":
      return preview.server === ""
        ? `use the tool ${preview.tool}`
        : `use the tool ${preview.tool} of ${preview.server}`;
    case "path":
      return `use ${preview.path}`;
    case "secret":
      return `use ${preview.path}`;
    case "text":
      return `use the tool ${tool}`;
    default:
      return never(preview);
  }
}

function asPlainText(text: string): string {
  const line = escapeInvisible(text.replace(/\s+/gu, " ").trim()).replaceAll("[", "(").replaceAll("]", ")");
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
