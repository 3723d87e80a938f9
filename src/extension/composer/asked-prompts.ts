/** Prompts that wait for an MCP server: it is asked what the command in them says. Each can be stopped, and none is lost. */
import type * as vscode from "vscode";
import * as z from "zod/mini";
import type { Drafts } from "./drafts.ts";

/** The user has ended the wait. */
export class AskingStopped extends Error {
  override readonly name = "AskingStopped";
}

interface AskedPrompt {
  sessionID: string;
  /** Where its draft was. */
  place: string;
  text: string;
  server: string;
  stop: AbortController;
}

const Kept = z.array(z.object({ place: z.string(), text: z.string() }));

export class AskedPrompts {
  readonly #memory: vscode.Memento;
  readonly #key: string;
  readonly #changed: () => void;
  #asked: AskedPrompt[] = [];
  #isClosed = false;

  /** Texts that wait when a window is closed are drafts again in the next one. */
  constructor(memory: vscode.Memento, key: string, drafts: Drafts, changed: () => void) {
    this.#memory = memory;
    this.#key = key;
    this.#changed = changed;
    const kept = Kept.safeParse(memory.get(key)).data ?? [];
    for (const { place, text } of kept) {
      const draft = drafts.text(place);
      // The page may have got it back while the window closed.
      if (!draft.includes(text)) drafts.write(place, [text, draft].filter(Boolean).join("\n"));
    }
    if (kept.length > 0) this.#keep();
  }

  /** Name of the server that is asked for a prompt of this session; empty: none. */
  serverOf(sessionID: string): string {
    return this.#asked.find((one) => one.sessionID === sessionID)?.server ?? "";
  }

  /** @throws what `ask` throws, AskingStopped after `stop` */
  async wait<Answer>(about: Omit<AskedPrompt, "stop">, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const asked = { ...about, stop: new AbortController() };
    this.#set([...this.#asked, asked]);
    try {
      return await ask(asked.stop.signal);
    } finally {
      this.#set(this.#asked.filter((one) => one !== asked));
    }
  }

  /** Ends the waits of this session. */
  stop(sessionID: string): void {
    for (const one of this.#asked) if (one.sessionID === sessionID) one.stop.abort(new AskingStopped());
  }

  /** The window closes: texts that wait stay kept for the next one, although their servers end now. */
  close(): void {
    this.#isClosed = true;
  }

  #set(asked: AskedPrompt[]): void {
    this.#asked = asked;
    this.#keep();
    this.#changed();
  }

  #keep(): void {
    if (this.#isClosed) return;
    const kept = this.#asked.map(({ place, text }) => ({ place, text }));
    void this.#memory.update(this.#key, kept.length > 0 ? kept : undefined);
  }
}
