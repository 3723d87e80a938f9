/**
 * What the composer offers for the word at the cursor: commands after "/" and values of their arguments, what can be
 * mentioned after "@", or values of the variables of a template that was chosen there.
 */
import { tick } from "svelte";
import { quotedValue } from "../../src/chat/command-arguments.ts";
import type { ResourceTemplate } from "../../src/chat/mention-search.ts";
import type { CommandChoice } from "../../src/chat/slash-command.ts";
import { begunCommand, commandRows } from "../calls/command-rows.ts";
import { panel } from "../panel/panel.svelte.ts";
import { send } from "../panel/vscode-api.ts";
import { type BegunArguments, begunArguments, fittingValues, offeredValues, stillFitting } from "./argument-values.ts";
import { mentionSearch } from "./mention-search.svelte.ts";
import { type MentionRow, mentionAt, mentionKindLooks, mentionRows } from "./mentions.ts";
import { allCommands, ownValues, submitDraft } from "./own-commands.ts";
import { type BegunTemplate, valueInTurn, variableHead, withValue } from "./resource-template.ts";

type Offer =
  | { type: "none" }
  | { type: "commands"; start: number; begun: string; rows: CommandChoice[] }
  /** `isOwn`: the panel knows the values. */
  | { type: "values"; start: number; begun: BegunArguments; isOwn: boolean; rows: string[] }
  /** `value`: what is written of the value of the variable in turn. */
  | { type: "variables"; start: number; begun: BegunTemplate; value: string; rows: string[] }
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
  /** The template whose variables are asked for. */
  #template = $state.raw<BegunTemplate>();
  /** The folder into which the user looks; its name may have spaces. */
  #folder = $state.raw<{ start: number; path: string }>();
  readonly #found: Offer = $derived.by(() => this.#find());
  readonly offer: Offer = $derived(
    this.#found.type !== "none" && this.#found.start === this.#closed ? withoutRows(this.#found) : this.#found,
  );
  readonly isOpen = $derived(this.offer.type !== "none" && this.offer.rows.length > 0);
  /** Whether something says what is to be written. */
  readonly hasHint = $derived(this.offer.type === "values" || this.offer.type === "variables");
  /** -1: Enter takes none. Rows that come late do not move the choice. */
  readonly active = $derived.by(() => {
    const chosen = this.offer.type === "none" ? -1 : this.offer.rows.findIndex((row) => keyOf(row) === this.#chosen);
    return chosen >= 0 ? chosen : firstRow(this.offer);
  });

  #find(): Offer {
    if (panel.answerField) return none;
    const variables = this.#variables();
    if (variables) return variables;
    const commands = allCommands(panel.state?.commands ?? []);
    const command = begunCommand(panel.draft, this.#cursor);
    if (command !== undefined) {
      return { type: "commands", start: 0, begun: command, rows: commandRows(command, commands) };
    }
    const begun = begunArguments(panel.draft, this.#cursor, commands);
    if (begun) {
      const own = ownValues(begun.command);
      const rows = own ? fittingValues(own, begun.value) : offeredValues(panel.argumentValues, begun);
      return { type: "values", start: begun.from + begun.start, begun, isOwn: own !== undefined, rows };
    }
    const mention = mentionAt(panel.draft, this.#cursor, this.#folder);
    if (!mention) return none;
    const { notes, groups } = mentionSearch;
    const sources = { contexts: panel.editorContexts, agents: panel.helpers, notes, groups };
    return { type: "mentions", ...mention, rows: mentionRows(mention.begun, sources) };
  }

  #variables(): Offer | undefined {
    const begun = this.#template;
    const turn = begun && valueInTurn(begun, panel.draft, this.#cursor);
    if (!turn) return undefined;
    const { template, variable } = begun;
    const offered = mentionSearch.variableValues;
    const isFor = offered?.uri === template.uri && offered.server === template.server;
    const rows = isFor && offered.variable === variable.name ? stillFitting(offered, turn.value) : [];
    return { type: "variables", begun, ...turn, rows };
  }

  /** Keeps the choice at its row, wherever later rows put that: to be called when the rows are there. */
  hold(): void {
    const { offer, active } = this;
    const row = offer.type === "none" ? undefined : offer.rows[active];
    if (row) this.#chosen = keyOf(row);
  }

  /** To be called after each change of the text or the cursor. */
  track(): void {
    this.#cursor = panel.field?.selectionStart ?? 0;
    const begun = this.#template;
    if (begun && !panel.draft.startsWith(variableHead(begun), begun.start)) this.#template = undefined;
    const found = this.#found;
    const start = found.type === "none" ? -1 : found.start;
    if (this.#closed !== undefined && start !== this.#closed) this.#closed = undefined;
  }

  typed(): void {
    this.#chosen = undefined;
    this.track();
  }

  /** Moves in the open list, picks a row or closes the list. Returns false for keys that are not its own. */
  press({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const { offer, active } = this;
    if (offer.type === "none" || altKey || ctrlKey || metaKey) return false;
    if (offer.type === "variables" && !shiftKey && (!this.isOpen || active < 0) && this.#pressValue(key, offer)) {
      return true;
    }
    if (!this.isOpen) return false;
    if (key === "ArrowDown") this.#move(active + 1);
    else if (key === "ArrowUp") this.#move(active < 0 ? -1 : active - 1);
    else if (key === "Escape") this.#closed = offer.start;
    else if (key === "Enter" && !shiftKey && active >= 0) this.pick(active);
    else if (key === "Tab" && !shiftKey) this.pick(Math.max(0, active), false);
    else return false;
    return true;
  }

  /** Takes the value that is written, or goes back to the list of "@". */
  #pressValue(key: string, { begun, value }: Extract<Offer, { type: "variables" }>): boolean {
    if (key === "Escape" && !this.isOpen) {
      this.#template = undefined;
      this.#closed = undefined;
      const head = `${panel.draft.slice(0, begun.start)}@${begun.begun}`;
      this.#write(head, panel.draft.slice(this.#cursor));
    } else if ((key === "Enter" || (key === "Tab" && !this.isOpen)) && (value !== "" || !begun.variable.isRequired)) {
      this.#giveValue(value, begun);
      // Nothing is sent without the value: the hint says what is missing. Tab leaves the box.
    } else return key === "Enter";
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
    else if (offer.type === "values") this.#pickValue(offer.rows[at], offer.start, runs && offer.isOwn);
    else if (offer.type === "variables") this.#giveValue(offer.rows[at], offer.begun);
    else if (offer.type === "mentions") this.#pickMention(offer.rows[at], offer.start, runs);
  }

  #pickCommand(command: CommandChoice | undefined, runs: boolean): void {
    if (!command) return;
    const rest = panel.draft.slice(this.#cursor).trimStart();
    this.#write(`/${command.name} `, rest);
    if (runs && command.hint === "" && rest === "") submitDraft("next-step");
  }

  /** `runs`: the panel's own commands are carried out; a prompt of a server waits for Enter. */
  #pickValue(value: string | undefined, start: number, runs: boolean): void {
    if (value === undefined) return;
    const rest = panel.draft.slice(this.#cursor).trimStart();
    this.#write(`${panel.draft.slice(0, start)}${quotedValue(value)} `, rest);
    this.#chosen = undefined;
    if (runs && rest === "") submitDraft("next-step");
  }

  /** Asks for the next variable, or attaches the template with its values. */
  #giveValue(value: string | undefined, begun: BegunTemplate): void {
    if (value === undefined) return;
    const next = withValue(begun, value.trim());
    if ("template" in next) this.#askFor(next);
    else {
      this.#template = undefined;
      send({ type: "attach-mention", mention: next });
      this.#replaceWord(begun.start, "");
    }
  }

  #beginTemplate(template: ResourceTemplate, name: string, start: number): void {
    const [variable] = template.variables;
    const begun = panel.draft.slice(start + 1, this.#cursor);
    if (variable) this.#askFor({ template, name, start, begun, given: {}, variable });
  }

  #askFor(begun: BegunTemplate): void {
    this.#template = begun;
    this.#closed = undefined;
    this.#chosen = undefined;
    this.#write(panel.draft.slice(0, begun.start) + variableHead(begun), panel.draft.slice(this.#cursor));
  }

  /** Writes the name of an agent or a kind, asks for the variables of a template, else attaches it. */
  #pickMention(row: MentionRow | undefined, start: number, attaches: boolean): void {
    // A row that holds nothing says so, and stays.
    if (!row || isEmpty(row)) return;
    const written = writtenFor(row, attaches);
    if (written === "" && row.type === "context") send({ type: "attach-editor-context", kind: row.kind });
    if (written === "" && row.type === "hit") {
      const { mention, name } = row.hit;
      if (mention.kind === "template") {
        this.#beginTemplate(mention, name, start);
        return;
      }
      send({ type: "attach-mention", mention });
    }
    if (written.endsWith("/")) this.#folder = { start, path: written.slice(1) };
    this.#replaceWord(start, written);
  }

  /** Writes a text in place of the word at the cursor. An empty one leaves one space between the words around it. */
  #replaceWord(start: number, written: string): void {
    this.#chosen = undefined;
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

/** A closed list of values still says which variable is in turn. */
function withoutRows(offer: Offer): Offer {
  return offer.type === "variables" ? { ...offer, rows: [] } : none;
}

function keyOf(row: MentionRow | CommandChoice | string): string {
  if (typeof row === "string") return row;
  return "key" in row ? row.key : row.name;
}

/** What stands in place of the begun word; empty for what becomes a chip. */
function writtenFor(row: MentionRow, attaches: boolean): string {
  if (row.type === "agent") return `@${row.name} `;
  if (row.type === "kind") return `@${mentionKindLooks[row.kind].word}:`;
  const isFolder = row.type === "hit" && row.kind === "folder";
  return isFolder && !attaches ? `@${row.hit.where}${row.hit.name}/` : "";
}

/** Returns the row that Enter takes before the user has moved. A value that is written, or may be left out, is sent. */
function firstRow(offer: Offer): number {
  if (offer.type === "mentions") {
    return Math.max(
      0,
      offer.rows.findIndex((row) => !isEmpty(row)),
    );
  }
  if (offer.type !== "values" && offer.type !== "variables") return 0;
  const { value, isRequired } =
    offer.type === "values"
      ? { value: offer.begun.value, isRequired: offer.begun.argument.isRequired }
      : { value: offer.value, isRequired: offer.begun.variable.isRequired };
  return offer.rows.includes(value) || (value === "" && !isRequired) ? -1 : 0;
}
