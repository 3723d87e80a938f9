/** What the host has found for the word after "@". The list keeps its order: what comes late is added at its end. */
import { sameJson } from "../../src/base/json.ts";
import type {
  FoundMentions,
  MentionGroup,
  MentionKind,
  MentionKindNotes,
  MentionQuery,
  VariableValues,
} from "../../src/chat/mention-search.ts";
import { send } from "../panel/vscode-api.ts";

class MentionSearch {
  /** What there is of each kind; empty until the host has said it. */
  notes = $state.raw<MentionKindNotes>({});
  /** What was found for the present words, or, until the host has answered, for those before. */
  groups = $state.raw<readonly MentionGroup[]>([]);
  /** Kinds that are still looked for. */
  pending = $state.raw<readonly MentionKind[]>([]);
  /** Whether the host has answered for the present words. */
  isAnswered = $state(false);
  /** Whether files that git ignores are looked for, too: until the list closes. */
  ignored = $state(false);
  /** Values of a variable of a template of MCP resources, as the server has offered them last. */
  variableValues = $state.raw<VariableValues>();
  #query: MentionQuery | undefined;

  /** The list opens. */
  begin(): void {
    send({ type: "begin-mention" });
  }

  /** The list has closed. */
  end(): void {
    this.#query = undefined;
    this.groups = [];
    this.pending = [];
    this.isAnswered = false;
    this.ignored = false;
  }

  /** Searches, if the words are others than before. Without words and kind there is nothing to search. */
  ask(words: string, only: MentionKind | undefined): void {
    const query: MentionQuery = { words, ignored: this.ignored, ...(only && { only }) };
    if (sameJson(query, this.#query)) return;
    this.#query = query;
    this.isAnswered = false;
    if (words === "" && !only) this.groups = [];
    else send({ type: "find-mentions", query });
  }

  /** Takes an answer of the host; one for words that are not the present ones any more says nothing. */
  take({ query, groups, pending }: FoundMentions): void {
    if (!sameJson(query, this.#query)) return;
    if (!this.isAnswered) {
      // Rows of a slow kind stay until that kind is answered.
      this.groups = [...groups, ...this.groups.filter(({ kind }) => pending.includes(kind))];
      this.pending = pending;
      this.isAnswered = true;
      return;
    }
    const kinds = new Map(groups.map((group) => [group.kind, group]));
    const kept = this.groups.map((group) => kinds.get(group.kind) ?? group);
    const added = groups.filter(({ kind }) => !this.groups.some((group) => group.kind === kind));
    this.groups = [...kept, ...added].filter(({ hits }) => hits.length > 0);
    this.pending = this.pending.filter((kind) => !kinds.has(kind));
  }
}

export const mentionSearch = new MentionSearch();
