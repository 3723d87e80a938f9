/** The question that comes before a message is answered again: what becomes of the changes since. */
import type { Entry } from "../../src/chat/apply.ts";
import type { RestoreFile } from "../../src/chat/review-views.ts";
import { isPrompt } from "../../src/chat/words.ts";
import { send } from "../panel/vscode-api.ts";

export interface AnswerAgainQuestion {
  /** The user's message. */
  messageID: string;
  /** Messages of the user after it, which go. */
  later: number;
  /** What has changed since; undefined until the host has answered. */
  files: readonly RestoreFile[] | undefined;
}

export class AnswerAgain {
  open = $state.raw<AnswerAgainQuestion>();
  /** The answer whose question comes when the messages before it are there; empty if none. */
  wanted = "";

  /** `messages`: all that are here. `earlier`: those before them, which are requested if they are needed. */
  show(replyID: string, messages: readonly Entry[], earlier: { missing: number; hurry(): void }): void {
    const reply = messages.findIndex(({ info }) => info.id === replyID);
    const at = messages.findLastIndex((entry, index) => index < reply && isAsked(entry));
    const prompt = messages[at];
    this.wanted = prompt || earlier.missing === 0 ? "" : replyID;
    if (!prompt) {
      earlier.hurry();
      return;
    }
    const messageID = prompt.info.id;
    this.open = { messageID, later: messages.slice(at + 1).filter(isAsked).length, files: undefined };
    send({ type: "preview-restore", messageID });
  }

  /** Takes the host's answer to what has changed since the message. */
  take(messageID: string, files: readonly RestoreFile[]): void {
    if (this.open?.messageID === messageID) this.open = { ...this.open, files };
  }

  close(): void {
    this.open = undefined;
    this.wanted = "";
  }
}

function isAsked({ info, parts }: Entry): boolean {
  return info.role === "user" && !info.silent && isPrompt(parts);
}
