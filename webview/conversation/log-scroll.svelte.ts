/** The scrolling of the log: which of its rows are drawn, and what stays in place when something changes. */
import { untrack } from "svelte";
import { anchorAt, layOutLog, type ScrollAnchor } from "./log-layout.ts";
import { estimatedHeight, type LogRow } from "./log-rows.ts";
import { topsOf } from "./visible-rows.ts";

/** A log scrolled to within this distance of its end stays at the end. */
const nearEndPx = 24;
/** Until the log is in the page. */
const usualHeightPx = 700;
const end = { type: "end" } as const;

type RowAttachment = (element: HTMLElement) => () => void;

export class LogScroll {
  readonly #rows: () => readonly LogRow[];
  #log: HTMLElement | undefined;
  readonly #heights = new Map<string, number>();
  readonly #elements = new Map<string, HTMLElement>();
  readonly #attachments = new Map<string, RowAttachment>();
  readonly #unobserved = new Set<HTMLElement>();
  readonly #observer = new ResizeObserver((entries) => this.#resized(entries));
  /** Changes with the heights. */
  #measured = $state(0);
  #aim = $state.raw<Parameters<typeof layOutLog>[0]["aim"]>(end);
  #scrollTop = $state(0);
  #height = $state(usualHeightPx);
  #seesEnd = $state(true);
  #focused = $state("");
  #selected = $state.raw<readonly string[]>([]);
  #lastTop = 0;
  /** Whether what is in view stays, also at the end, until the user scrolls. */
  #isPinned = false;

  readonly #keys = $derived.by(() => this.#rows().map(({ key }) => key));
  readonly #tops = $derived.by(() => {
    void this.#measured;
    return topsOf(this.#rows().map((row) => this.#heights.get(row.key) ?? estimatedHeight(row)));
  });
  readonly #kept = $derived.by(() => {
    const focused = this.#focused === "" ? -1 : this.#keys.indexOf(this.#focused);
    // The arrow keys move to the neighbours of what has the focus.
    const near = focused < 0 ? [] : [focused - 1, focused, focused + 1];
    return [...near, ...this.#selected.map((key) => this.#keys.indexOf(key))];
  });
  readonly layout = $derived.by(() =>
    layOutLog({
      ...{ keys: this.#keys, tops: this.#tops, scrollTop: this.#scrollTop, height: this.#height },
      ...{ aim: this.#aim, kept: this.#kept },
    }),
  );
  /** Whether the log stays at its end. Without rows it shows the start page, which scrolls on its own. */
  readonly following = $derived(this.#aim.type === "end" && this.#keys.length > 0);

  /** Whether the end is in view; it may still not be followed. */
  get seesEnd(): boolean {
    return this.#seesEnd;
  }

  /** `rows` is read reactively. */
  constructor(rows: () => readonly LogRow[]) {
    this.#rows = rows;
  }

  /** Begins with the log that the rows are in. Returns what ends it. */
  attach(log: HTMLElement): () => void {
    this.#log = log;
    this.#observer.observe(log);
    return () => this.#observer.disconnect();
  }

  /** Returns the attachment for the element of a row: the same each time, or the element would be attached again. */
  row(key: string): RowAttachment {
    const known = this.#attachments.get(key) ?? this.#attachmentOf(key);
    this.#attachments.set(key, known);
    return known;
  }

  #attachmentOf(key: string): RowAttachment {
    return (element) => {
      this.#elements.set(key, element);
      if (this.#unobserved.size === 0) requestAnimationFrame(() => this.#observe());
      this.#unobserved.add(element);
      return () => {
        this.#attachments.delete(key);
        if (this.#elements.get(key) === element) this.#elements.delete(key);
        this.#unobserved.delete(element);
        this.#observer.unobserve(element);
      };
    };
  }

  /** Call this when the rows are in the page, before it is painted: measures new ones, and scrolls. */
  settle(): void {
    const log = this.#log;
    if (!log || log.clientHeight === 0) return;
    // The user has scrolled, or moved the focus, and the event that tells it is still to come.
    const moved = log.scrollTop - this.#lastTop;
    const isGoing = this.#aim.type === "go";
    if (!isGoing && (moved < 0 || (moved > 0 && this.#aim.type === "hold"))) this.scrolled();
    if (this.#measureNew()) return;
    const { scrollTo } = this.layout;
    if (this.following) log.scrollTop = log.scrollHeight;
    else if (typeof scrollTo === "number" && Math.abs(log.scrollTop - scrollTo) > 0.5) log.scrollTop = scrollTo;
    this.#lastTop = log.scrollTop;
    this.#scrollTop = log.scrollTop;
    this.#height = log.clientHeight;
    this.#seesEnd = isNearEnd(log);
    if (typeof scrollTo === "number") this.#hold(log.scrollTop);
  }

  toEnd(): void {
    this.#isPinned = false;
    this.#aim = end;
  }

  /** Keeps what is in view in place until the user scrolls, also if the end is in view. */
  pin(): void {
    this.#isPinned = true;
    if (this.following) this.stay();
  }

  /** Keeps what is in view in place. */
  stay(): void {
    if (this.#log) this.#hold(this.#log.scrollTop - this.layout.shift);
  }

  /** Brings a row into view, drawn or not, `offset` px below its top. */
  show(key: string, offset: number): void {
    this.#aim = { type: "go", anchor: { key, offset, index: this.#keys.indexOf(key) } };
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  /** The row at the top of the view; undefined at the end. */
  get anchor(): ScrollAnchor | undefined {
    return this.#aim.type === "end" ? undefined : this.#aim.anchor;
  }

  element(key: string): HTMLElement | undefined {
    return this.#elements.get(key);
  }

  /** Call this before a row is shown that has just changed its height: others learn it only with the next frame. */
  measure(key: string): void {
    const element = this.#elements.get(key);
    if (!element) return;
    this.#heights.set(key, element.getBoundingClientRect().height);
    this.#measured++;
  }

  /** The row at the top of the view, also at the end. */
  get top(): ScrollAnchor {
    return anchorAt(this.#keys, this.#tops, (this.#log?.scrollTop ?? 0) - this.layout.shift);
  }

  /** Call this when the log was scrolled. Only scrolling up leaves the end: content that grows or collapses never does. */
  scrolled(): void {
    const log = this.#log;
    if (!log || log.clientHeight === 0) return;
    const top = log.scrollTop;
    this.#seesEnd = isNearEnd(log);
    if (top !== this.#lastTop) this.#isPinned = false;
    if (this.#seesEnd && !this.#isPinned) this.#aim = end;
    else if (top < this.#lastTop || this.#aim.type !== "end") this.#hold(top - this.layout.shift);
    this.#lastTop = top;
    this.#scrollTop = top;
  }

  /** Call this when scrolling is over: what the gap at the top is too high or too low is put right. */
  rest(): void {
    if (this.#aim.type === "hold" && this.layout.shift !== 0) this.#aim = { type: "go", anchor: this.#aim.anchor };
  }

  /** The row with the focus stays in the page; undefined: none has it. */
  keepFocused(element: Element | undefined): void {
    this.#focused = keyOf(element ?? null);
  }

  /** So do those with an end of the selection. */
  keepSelected(selection: Selection | null): void {
    const nodes = selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : [];
    const keys = nodes.map(keyOf).filter((key) => key !== "" && this.#keys.includes(key));
    if (keys.join() !== this.#selected.join()) this.#selected = keys;
  }

  #hold(top: number): void {
    this.#aim = { type: "hold", anchor: anchorAt(this.#keys, this.#tops, top) };
  }

  /** Returns whether a height was not known. */
  #measureNew(): boolean {
    let isNew = false;
    for (const [key, element] of this.#elements) {
      if (this.#heights.has(key)) continue;
      this.#heights.set(key, element.getBoundingClientRect().height);
      isNew = true;
    }
    if (isNew) this.#measured++;
    return isNew;
  }

  /** Not while sizes are reported: the report would be that of the next frame, and an error. */
  #observe(): void {
    for (const element of this.#unobserved) this.#observer.observe(element);
    this.#unobserved.clear();
  }

  #resized(entries: ResizeObserverEntry[]): void {
    const log = this.#log;
    if (!log || log.clientHeight === 0) return;
    let isNew = false;
    for (const { target, borderBoxSize } of entries) {
      const key = target === log ? "" : keyOf(target);
      const height = borderBoxSize[0]?.blockSize ?? 0;
      if (key === "" || !target.isConnected || Math.abs((this.#heights.get(key) ?? 0) - height) < 0.1) continue;
      this.#heights.set(key, height);
      isNew = true;
    }
    if (isNew) this.#measured++;
    this.#height = log.clientHeight;
    this.#seesEnd = isNearEnd(log);
    // At the end even where only something below the rows has grown.
    if (!untrack(() => this.following)) return;
    log.scrollTop = log.scrollHeight;
    // A taller view has scrolled up without the user.
    this.#lastTop = log.scrollTop;
  }
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < nearEndPx;
}

function keyOf(node: Node | null): string {
  const element = node instanceof Element ? node : node?.parentElement;
  return element?.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? "";
}
