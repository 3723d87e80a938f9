/** What the user has written in each session and not sent. It survives a reload; attachments do not. */
import type * as vscode from "vscode";
import * as z from "zod/mini";
import type { Attachment } from "../../chat/prompt-input.ts";

const Texts = z.record(z.string(), z.string());

/** Maximum number of sessions whose drafts are kept. */
const maxKept = 50;

export class Drafts {
  readonly #memory: vscode.Memento;
  readonly #key: string;
  readonly #attachments = new Map<string, Attachment[]>();
  #texts: Record<string, string>;

  constructor(memory: vscode.Memento, key: string) {
    this.#memory = memory;
    this.#key = key;
    this.#texts = Texts.safeParse(memory.get(key)).data ?? {};
  }

  text(session: string): string {
    return this.#texts[session] ?? "";
  }

  write(session: string, text: string): void {
    const { [session]: _, ...others } = this.#texts;
    this.#texts =
      text === "" ? others : Object.fromEntries([...Object.entries(others), [session, text]].slice(-maxKept));
    void this.#memory.update(this.#key, this.#texts);
  }

  attachments(session: string): Attachment[] {
    return this.#attachments.get(session) ?? [];
  }

  /** Takes what is attached out of the draft. */
  take(session: string): Attachment[] {
    const taken = this.attachments(session);
    this.#attachments.delete(session);
    return taken;
  }

  /** Gives the draft of one session to another, if there is one. */
  move(from: string, to: string): void {
    if (from === to) return;
    const text = this.text(from);
    if (text !== "") {
      this.write(from, "");
      this.write(to, text);
    }
    const attachments = this.take(from);
    if (attachments.length > 0) this.attach(to, attachments);
  }

  attach(session: string, attachments: Attachment[]): void {
    if (attachments.length > 0) this.#attachments.set(session, attachments);
    else this.#attachments.delete(session);
  }
}
