/** What a question is about, as plain text. */
import { never } from "../../src/chat/never.ts";
import type { Preview } from "../../src/chat/requests.ts";

/** Returns the text of a preview; empty for one that has a view of its own. */
export function previewText(preview: Preview): string {
  switch (preview.type) {
    case "command":
    case "diff":
    case "diffs":
      return "";
    case "text":
      return preview.text;
    case "arguments": {
      const name = preview.server === "" ? preview.tool : `${preview.server}: ${preview.tool}`;
      const claim = preview.claim === "" ? "" : `\nThe server says: ${preview.claim}`;
      return `${name}${claim}\n${JSON.stringify(preview.input, undefined, 2)}`;
    }
    case "page":
      return `${preview.url}\n${preview.sent}`;
    case "path":
      return preview.path;
    case "deletion":
      return preview.files.map(({ path, inGit }) => `${path} (${inGit ? "in git" : "not in git"})`).join("\n");
    case "secret":
      return [preview.path, ...preview.names.map(({ name, value }) => `${name}: ${value}`)].join("\n");
    default:
      return never(preview);
  }
}
