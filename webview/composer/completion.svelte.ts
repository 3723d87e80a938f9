/** What the composer offers for the word at the cursor: commands after "/", or what can be mentioned after "@". */
import { tick } from "svelte";
import type { CommandChoice } from "../../src/chat/slash-command.ts";
import { begunCommand, commandRows } from "../lib/command-rows.ts";
import { type MentionRow, mentionAt, mentionRows } from "../lib/mentions.ts";
import { panel } from "../lib/panel.svelte.ts";
import { send } from "../lib/vscode-api.ts";
import { allCommands, submitDraft } from "./own-commands.ts";

type Offer =
  | { type: "none" }
  | { type: "commands"; start: number; begun: string; rows: CommandChoice[] }
  | { type: "mentions"; start: number; begun: string; rows: MentionRow[] };

const none: Offer = { type: "none" };

/** A row of the editor that holds nothing cannot be chosen. */
const isEmpty = (row: MentionRow) => row.type === "context" && row.held?.isEmpty === true;

export class Completion {
  #cursor = $state(0);
  /** Start of the word whose list the user has closed. */
  #closed = $state<number>();
  /** The row that the user has moved to; without it, the first one that can be chosen. */
  #chosen = $state<number>();
  readonly offer: Offer = $derived.by(() => this.#offered());
  readonly isOpen = $derived(this.offer.type !== "none" && this.offer.rows.length > 0);
  readonly active = $derived.by(() => {
    if (this.#chosen !== undefined) return this.#chosen;
    const { offer } = this;
    return offer.type === "mentions"
      ? Math.max(
          0,
          offer.rows.findIndex((row) => !isEmpty(row)),
        )
      : 0;
  });

  #offered(): Offer {
    if (panel.answerField) return none;
    const command = begunCommand(panel.draft, this.#cursor);
    if (command !== undefined) {
      if (this.#closed === 0) return none;
      return {
        type: "commands",
        start: 0,
        begun: command,
        rows: commandRows(command, allCommands(panel.state?.commands ?? [])),
      };
    }
    const mention = mentionAt(panel.draft, this.#cursor);
    if (!mention || mention.start === this.#closed) return none;
    return { type: "mentions", ...mention, rows: mentionRows(mention.begun, panel.editorContexts, panel.helpers) };
  }

  /** To be called after each change of the text or the cursor. */
  track(): void {
    this.#cursor = panel.field?.selectionStart ?? 0;
    const { start } =
      begunCommand(panel.draft, this.#cursor) === undefined
        ? (mentionAt(panel.draft, this.#cursor) ?? { start: -1 })
        : { start: 0 };
    if (this.#closed !== undefined && start !== this.#closed) this.#closed = undefined;
  }

  typed(): void {
    this.#chosen = undefined;
    this.track();
  }

  /** Moves in the open list, picks a row or closes the list. Returns false for keys that are not its own. */
  press({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const { offer, active } = this;
    if (!this.isOpen || offer.type === "none" || altKey || ctrlKey || metaKey) return false;
    const { length } = offer.rows;
    if (key === "ArrowDown") this.#chosen = (active + 1) % length;
    else if (key === "ArrowUp") this.#chosen = (active + length - 1) % length;
    else if (key === "Escape") this.#closed = offer.start;
    else if ((key === "Enter" || key === "Tab") && !shiftKey) this.pick(active, key === "Enter");
    else return false;
    return true;
  }

  /** `runs`: a command that expects no arguments is carried out at once, else only its name is written. */
  pick(at: number, runs = true): void {
    const { offer } = this;
    if (offer.type === "commands") this.#pickCommand(offer.rows[at], runs);
    else if (offer.type === "mentions") this.#pickMention(offer.rows[at], offer.start);
  }

  #pickCommand(command: CommandChoice | undefined, runs: boolean): void {
    if (!command) return;
    const rest = panel.draft.slice(this.#cursor).trimStart();
    this.#write(`/${command.name} `, rest);
    if (runs && command.hint === "" && rest === "") submitDraft("next-step");
  }

  /** Writes the agent's name, or attaches what the editor holds. A row that holds nothing says so, and stays. */
  #pickMention(row: MentionRow | undefined, start: number): void {
    if (!row || isEmpty(row)) return;
    if (row.type === "context") send({ type: "attach-editor-context", kind: row.kind });
    const head = panel.draft.slice(0, start) + (row.type === "agent" ? `@${row.name} ` : "");
    const rest = panel.draft.slice(this.#cursor);
    this.#write(head, /(^|\s)$/.test(head) ? rest.replace(/^ /, "") : rest);
  }

  #write(head: string, rest: string): void {
    panel.rewrite(head + rest);
    this.#cursor = head.length;
    void tick().then(() => panel.field?.setSelectionRange(head.length, head.length));
  }
}
