/** What the composer offers for the word at the cursor: commands after "/", or what can be mentioned after "@". */
import { tick } from "svelte";
import type { CommandChoice } from "../../src/chat/slash-command.ts";
import { begunCommand, commandRows } from "../lib/command-rows.ts";
import { type MentionRow, mentionAt, mentionKindLooks, mentionRows } from "../lib/mentions.ts";
import { panel } from "../lib/panel.svelte.ts";
import { send } from "../lib/vscode-api.ts";
import { mentionSearch } from "./mention-search.svelte.ts";
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
  /** Key of the row that the user has moved to; without it, the first one that can be chosen. */
  #chosen = $state<string>();
  readonly offer: Offer = $derived.by(() => this.#offered());
  readonly isOpen = $derived(this.offer.type !== "none" && this.offer.rows.length > 0);
  readonly active = $derived.by(() => {
    const { offer } = this;
    if (offer.type === "none") return 0;
    // Rows that come late do not move the choice.
    const chosen = offer.rows.findIndex((row) => keyOf(row) === this.#chosen);
    if (chosen >= 0) return chosen;
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
    const { notes, groups } = mentionSearch;
    const sources = { contexts: panel.editorContexts, agents: panel.helpers, notes, groups };
    return { type: "mentions", ...mention, rows: mentionRows(mention.begun, sources) };
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
    if (key === "ArrowDown") this.#move(active + 1);
    else if (key === "ArrowUp") this.#move(active - 1);
    else if (key === "Escape") this.#closed = offer.start;
    else if ((key === "Enter" || key === "Tab") && !shiftKey) this.pick(active, key === "Enter");
    else return false;
    return true;
  }

  #move(to: number): void {
    const rows = this.offer.type === "none" ? [] : this.offer.rows;
    const row = rows[(to + rows.length) % rows.length];
    this.#chosen = row && keyOf(row);
  }

  /** `runs`: a command that expects no arguments is carried out, a folder attached; else its name is written. */
  pick(at: number, runs = true): void {
    const { offer } = this;
    if (offer.type === "commands") this.#pickCommand(offer.rows[at], runs);
    else if (offer.type === "mentions") this.#pickMention(offer.rows[at], offer.start, runs);
  }

  #pickCommand(command: CommandChoice | undefined, runs: boolean): void {
    if (!command) return;
    const rest = panel.draft.slice(this.#cursor).trimStart();
    this.#write(`/${command.name} `, rest);
    if (runs && command.hint === "" && rest === "") submitDraft("next-step");
  }

  /** Writes the name of an agent or a kind, else attaches it. A row that holds nothing says so, and stays. */
  #pickMention(row: MentionRow | undefined, start: number, attaches: boolean): void {
    if (!row || isEmpty(row)) return;
    this.#chosen = undefined;
    const written = writtenFor(row, attaches);
    if (written === "" && row.type === "context") send({ type: "attach-editor-context", kind: row.kind });
    if (written === "" && row.type === "hit") send({ type: "attach-mention", mention: row.hit.mention });
    const head = panel.draft.slice(0, start) + written;
    const rest = panel.draft.slice(this.#cursor);
    this.#write(head, /(^|\s)$/.test(head) ? rest.replace(/^ /, "") : rest);
  }

  #write(head: string, rest: string): void {
    panel.rewrite(head + rest);
    this.#cursor = head.length;
    void tick().then(() => panel.field?.setSelectionRange(head.length, head.length));
  }
}

const keyOf = (row: MentionRow | CommandChoice) => ("key" in row ? row.key : row.name);

/** What stands in place of the begun word; empty for what becomes a chip. */
function writtenFor(row: MentionRow, attaches: boolean): string {
  if (row.type === "agent") return `@${row.name} `;
  if (row.type === "kind") return `@${mentionKindLooks[row.kind].word}:`;
  const isFolder = row.type === "hit" && row.kind === "folder";
  return isFolder && !attaches ? `@${row.hit.where}${row.hit.name}/` : "";
}
