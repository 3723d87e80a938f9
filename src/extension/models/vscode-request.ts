/** Translates a request of the loop into messages and options of VS Code's language models. */

import * as vscode from "vscode";
import { never } from "../../base/never.ts";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, Part } from "../../chat/message.ts";
import { notSaid, userText } from "../../chat/words.ts";
import { t } from "../../l10n/l10n.ts";
import type { ModelRequest } from "../../loop/model.ts";
import {
  allTools,
  callIDs,
  continuePrompt,
  fileContent,
  hiddenFile,
  modelCall,
  shownCalls,
  toolResult,
  validToolName,
} from "../../providers/shared/entry-content.ts";

type VSCodePart = vscode.LanguageModelInputPart;

interface RoleContent {
  role: "user" | "assistant";
  content: VSCodePart[];
}

/**
 * Returns messages in which each reply follows a message of the user, and each call is followed by its result. The
 * system prompt is the first message of the user, since there is no role for it.
 */
export function messagesOf(
  { system, entries, imagelessEntries }: ModelRequest,
  takesImages: boolean,
): vscode.LanguageModelChatMessage[] {
  const said: RoleContent[] = [];
  const ids = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    for (const piece of contentOf(entry, ids, takesImages && at >= imagelessEntries)) {
      const last = said.at(-1);
      if (last?.role === piece.role) last.content.push(...piece.content);
      else said.push(piece);
    }
  }
  const filler = piece("user", [text(continuePrompt)]);
  if (said[0]?.role === "assistant") said.unshift(...filler);
  if (said.at(-1)?.role === "assistant") said.push(...filler);
  const first = system === "" ? [] : [vscode.LanguageModelChatMessage.User(system)];
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  const message = ({ role, content }: RoleContent) =>
    new vscode.LanguageModelChatMessage(role === "user" ? User : Assistant, content);
  return [...first, ...said.map(message)];
}

export function optionsOf(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  const { toolUse, temperature, options } = request;
  const offered = toolUse === "none" ? [] : allTools(request);
  return {
    justification: t("Rondo answers your message with the model that you chose."),
    modelOptions: { ...(temperature !== undefined && { temperature }), ...options },
    // VS Code has no mode that sends tools but forbids calls.
    ...(offered.length > 0 && {
      tools: offered.map(({ name, description, schema }) => {
        // Some providers reject an object schema without properties.
        return { name, description, inputSchema: { properties: {}, ...schema } };
      }),
      toolMode: vscode.LanguageModelChatToolMode.Auto,
    }),
  };
}

/** Returns all that an entry says to the model, except images. */
export function contentText(entry: Entry): string {
  const words = contentOf(entry, new Set(), false).flatMap(({ content }) => content.flatMap(partText));
  return words.join("\n");
}

function partText(part: VSCodePart): string[] {
  if (part instanceof vscode.LanguageModelTextPart) return [part.value];
  if (part instanceof vscode.LanguageModelToolCallPart) return [part.name, JSON.stringify(part.input)];
  if (!(part instanceof vscode.LanguageModelToolResultPart)) return [];
  return part.content.flatMap((one) => (one instanceof vscode.LanguageModelTextPart ? [one.value] : []));
}

/** Translates one entry. `taken`: call IDs in earlier entries; those of this entry are added. */
function contentOf({ info, parts }: Entry, taken: Set<string>, withFiles: boolean): RoleContent[] {
  if (info.role === "user")
    return piece(
      "user",
      parts.flatMap((part) => userContent(part, withFiles)),
    );
  const calls = shownCalls(parts);
  const given = callIDs(calls, { rename: 0 }, () => true);
  const isTaken = [...given.values()].some((id) => taken.has(id));
  const ids = isTaken ? callIDs(calls, { rename: 1 }, () => true) : given;
  for (const id of ids.values()) taken.add(id);
  const reply = parts.flatMap((part): VSCodePart[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() && !part.ignored ? [text(part.text)] : [];
      case "tool": {
        const id = ids.get(part.id);
        if (id === undefined) return [];
        return [new vscode.LanguageModelToolCallPart(id, validToolName(part), modelCall(part).input)];
      }
      case "reasoning":
        return [];
      default:
        return notSaid(part);
    }
  });
  const results = calls.map((call) => {
    const { text: output, failed } = toolResult(call);
    const words = text(failed ? `Error: ${output}` : output);
    return new vscode.LanguageModelToolResultPart(ids.get(call.id) ?? call.id, [words]);
  });
  // Files are separate parts, since many providers accept only text in a result.
  const files = calls.flatMap((call) => toolResult(call).files.flatMap((file) => fileParts(file, withFiles)));
  return [...piece("assistant", reply), ...piece("user", [...results, ...files])];
}

function piece(role: RoleContent["role"], content: VSCodePart[]): RoleContent[] {
  return content.length === 0 ? [] : [{ role, content }];
}

function text(words: string): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(words.toWellFormed());
}

function userContent(part: Part, withFiles: boolean): VSCodePart[] {
  const words = userText(part);
  if (words !== undefined) return [text(words)];
  return part.type === "file" ? fileParts(part, withFiles) : [];
}

function fileParts(part: FilePart, withFiles: boolean): VSCodePart[] {
  const content = fileContent(part, { withFiles });
  switch (content.type) {
    case "text":
      return [text(content.text)];
    case "image":
      return [vscode.LanguageModelDataPart.image(Buffer.from(content.data, "base64"), content.mime)];
    case "pdf":
      return [text(hiddenFile(part))];
    default:
      return never(content);
  }
}
