/** Finds a text in the whole conversation: in its data while the page is idle, and then in the page. */

import { flushSync, untrack } from "svelte";
import type { Chat } from "../../src/chat/apply.ts";
import type { ToolPart } from "../../src/chat/message.ts";
import { formatted, t } from "../../src/l10n/l10n.ts";
import { isAbout } from "../calls/subagents.ts";
import type { LogRow } from "../conversation/log-rows.ts";
import type { LogScroll } from "../conversation/log-scroll.svelte.ts";
import { setKept } from "../conversation/open-lines.svelte.ts";
import { panel } from "../panel/panel.svelte.ts";
import { clearMarks, firstRect, markMatches, scrollInside } from "./find-marks.ts";
import { AnswerTexts, piecesOf } from "./find-pieces.ts";
import { MatchIndex, type RowMatch } from "./match-index.ts";
import { QueryMatcher } from "./query-matcher.ts";

/** A slice of the search leaves time for a frame. */
const sliceMs = 8;
/** A busy page searches at least so often. */
const longestPauseMs = 100;
/** Changed messages are searched again, the page is marked again, and the number so far is shown, at most so often. */
const changeMs = 150;

interface FindOptions {
  /** All rows, and the number of those that nothing changes any more; both are read reactively. */
  rows: () => readonly LogRow[];
  settled: () => number;
  chat: () => Chat;
  scroll: LogScroll;
  log: () => HTMLElement;
}

export class Finder {
  readonly #options: FindOptions;
  #matcher: QueryMatcher | undefined;
  #index = new MatchIndex();
  /** Rows to be searched; the next one is the last. */
  #queue: LogRow[] = [];
  #texts = new AnswerTexts();
  #current: RowMatch | undefined;
  /** The row from which on the first match is wanted. */
  #from: LogRow | undefined;
  #idle = 0;
  #searchTimer = 0;
  #markTimer = 0;
  #publishedAt = 0;
  /** Number of matches so far, and that of the current one, from 1; 0: there is none. */
  #counts = $state.raw({ total: 0, place: 0, isDone: true });
  query = $state("");

  /** How many matches there are; empty without a query. */
  readonly words = $derived.by(() => {
    const { total, place, isDone } = this.#counts;
    if (this.query.trim() === "") return "";
    if (!isDone) return total === 0 ? t("Searching…") : t("{0} so far", inWords(total));
    return total === 0 ? t("No results") : t("{0} of {1}", inWords(place), inWords(total));
  });

  readonly hasMatches = $derived(this.#counts.total > 0);
  /** All was searched in vain. */
  readonly isNowhere = $derived(this.query.trim() !== "" && this.#counts.isDone && this.#counts.total === 0);
  /** Whether the user has asked, and waits to hear the number. */
  #isAsked = false;

  constructor(options: FindOptions) {
    this.#options = options;
  }

  /** Begins to follow the page. Returns what ends the search. */
  attach(): () => void {
    const log = this.#options.log();
    const observer = new MutationObserver(() => this.#markSoon());
    observer.observe(log, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      clearTimeout(this.#markTimer);
      this.#markTimer = 0;
      this.search("");
      this.#texts = new AnswerTexts();
    };
  }

  /** Searches from the view on: the first match at or below its top, else the last one above. */
  search(query: string): void {
    this.query = query;
    this.#isAsked = true;
    this.#rest();
    const { rows, scroll } = this.#options;
    this.#from = this.#current?.row ?? rows()[scroll.top.index];
    this.#current = undefined;
    this.#index = new MatchIndex();
    this.#matcher = query.trim() === "" ? undefined : new QueryMatcher(query);
    this.#counts = { total: 0, place: 0, isDone: this.#matcher === undefined };
    if (this.#matcher) {
      panel.earlier.hurry();
      this.#fill(rows());
      this.#work();
    }
    if (!this.#current) this.#mark();
  }

  /** Call this in an effect: searches what has come or changed. */
  follow(): void {
    void panel.chatVersion;
    void this.#options.rows();
    void panel.earlier.missing;
    untrack(() => {
      if (this.#matcher && this.#searchTimer === 0) {
        this.#searchTimer = window.setTimeout(() => this.#searchChanged(), changeMs);
      }
    });
  }

  /** Goes to the next match, or the one before, around the ends. */
  step(by: 1 | -1): void {
    this.#isAsked = true;
    const rows = this.#options.rows();
    const next = this.#current ? this.#index.next(this.#current, by, rows) : this.#index.first(rows);
    if (next) this.#go(next);
  }

  #rest(): void {
    cancelIdleCallback(this.#idle);
    clearTimeout(this.#searchTimer);
    this.#searchTimer = 0;
    this.#queue = [];
  }

  #searchChanged(): void {
    this.#rest();
    const rows = this.#options.rows();
    this.#fill(rows);
    this.#work();
    this.#markSoon();
  }

  /** Queues the rows that were not searched yet, and those that may have changed: from the wanted row to the end, then back. */
  #fill(rows: readonly LogRow[]): void {
    const settled = this.#options.settled();
    const from = this.#from ? Math.max(0, rows.indexOf(this.#from)) : 0;
    const isDue = (row: LogRow, at: number) => at >= settled || !this.#index.has(row);
    const above = rows.slice(0, from).filter(isDue);
    const below = rows.slice(from).filter((row, at) => isDue(row, from + at));
    this.#queue = [...above, ...below.reverse()];
  }

  /** Searches for some ms, and goes on when the page is idle. */
  #work(): void {
    const end = performance.now() + sliceMs;
    while (performance.now() < end) {
      const row = this.#queue.pop();
      if (!row) break;
      const count = this.#count(row);
      if (count > 0 && !this.#current) this.#goToFirst(row);
    }
    if (this.#queue.length === 0 || end - this.#publishedAt > changeMs) this.#publish();
    if (this.#queue.length === 0) return;
    this.#idle = requestIdleCallback(() => this.#work(), { timeout: longestPauseMs });
  }

  #count(row: LogRow): number {
    const asks = (part: ToolPart) => panel.requests.some((request) => isAbout(request, part));
    const pieces = piecesOf(row, { chat: this.#options.chat(), texts: this.#texts, asks });
    return this.#index.add(row, pieces, (text) => this.#matcher?.count(text) ?? 0);
  }

  #goToFirst(row: LogRow): void {
    const rows = this.#options.rows();
    const isAbove = this.#from !== undefined && rows.indexOf(row) < rows.indexOf(this.#from);
    const found = this.#index.at(row, isAbove ? -1 : 0);
    if (found) this.#go(found);
  }

  /** Opens what the match is folded in, and brings it into view. */
  #go(match: RowMatch): void {
    this.#current = match;
    const { scroll } = this.#options;
    const log = this.#options.log();
    const { key } = match.row;
    for (const fold of match.folds) setKept(...fold);
    flushSync();
    scroll.measure(key);
    const third = log.clientHeight / 3;
    let range = this.#mark();
    if (!range) {
      scroll.show(key, third);
      flushSync();
      range = this.#mark();
    }
    if (range) {
      scrollInside(range, log);
      const view = log.getBoundingClientRect();
      const { top, bottom } = firstRect(range);
      const rowTop = scroll.element(key)?.getBoundingClientRect().top ?? top;
      const isInView = top >= view.top && bottom <= view.bottom;
      scroll.show(key, isInView ? rowTop - view.top : rowTop - top + third);
    }
    flushSync();
    scroll.pin();
    this.#publish();
  }

  #mark(): Range | undefined {
    if (this.#matcher) return markMatches(this.#options.log(), this.#matcher, this.#current);
    clearMarks();
    return undefined;
  }

  #markSoon(): void {
    if (this.#markTimer !== 0) return;
    this.#markTimer = window.setTimeout(() => {
      this.#markTimer = 0;
      this.#mark();
    }, changeMs);
  }

  #publish(): void {
    this.#publishedAt = performance.now();
    const rows = this.#options.rows();
    const isDone = this.#queue.length === 0 && panel.earlier.missing === 0;
    const again = this.#current && this.#index.again(this.#current, rows);
    // Its row may only be searched later.
    if (again || isDone) this.#current = again;
    let total = 0;
    let place = 0;
    for (const row of rows) {
      if (row === this.#current?.row) place = total + 1 + this.#current.inRow;
      total += this.#index.countIn(row);
    }
    this.#counts = { total, place, isDone };
    if (!isDone || !this.#isAsked) return;
    this.#isAsked = false;
    panel.announcements.setFound(`${this.words}.`);
  }
}

const inWords = (count: number) => formatted(count);
