/**
 * What all windows on a folder know of the review of one file, and how one window takes it over and adds to it. Pure.
 *
 * All windows are equals. Each text of a file has its own review, and a window takes over that of the text it has: so it
 * does not matter in which order the text and its review arrive, and a window with unsaved changes keeps its own.
 */
import { createHash } from "node:crypto";
import type { FileReview } from "./file-review.ts";
import { baseText, type Changes, hunksAt, unchanged } from "./hunks.ts";
import {
  type AcceptedLines,
  acceptedLines,
  type PastReview,
  type PastReviews,
  textOf,
  withoutAccepted,
} from "./past-reviews.ts";

/** Hunks that a window has accepted, for windows that have another text. */
export interface SharedAccept extends AcceptedLines {
  id: string;
}

export interface SharedReview {
  /** Another one for each version. */
  id: string;
  /** The review of the text that was saved last; `ended`: nothing is under review in the texts with these hashes. */
  present: { type: "open"; review: PastReview } | { type: "ended"; texts: readonly string[] };
  /** Reviews of other texts that the file may have: unsaved ones, and those of `PastReviews`. */
  others: readonly PastReview[];
  /** The last accepts, oldest first. */
  accepts: readonly SharedAccept[];
}

/**
 * How a window came to what it knows and has not told yet. `none`: it has told it, or was told. `seen`: it has seen a
 * text on disk without knowing who wrote it; who wrote it knows better. `own`: its agent or its user has done it.
 */
type Knowledge = "none" | "seen" | "own";

export type News = "seen" | "own" | "disk";

/**
 * What a window has taken over. `opens`: it had no review of the file, and continues this one. `look`: the file may have
 * a text by now whose review is known.
 */
export type Taken = { type: "nothing" | "adopted" | "look" } | { type: "opens"; review: PastReview };

/** About the text of a window that tells of its review. */
export interface ToldText {
  /** Whether the editor has no unsaved changes. */
  isSaved: boolean;
  /** Whether the file on disk has this text now: VS Code may not have reported another one yet. */
  isOnDisk(): boolean;
}

const maxAccepts = 16;
const maxEndedTexts = 16;

/** One file's review in one window. */
export class SharedFile {
  readonly #uri: string;
  readonly #past: PastReviews;
  readonly #newID: () => string;
  /** What was shared when this window looked last. */
  #shared: SharedReview | undefined;
  #knowledge: Knowledge = "none";
  #accepts: readonly SharedAccept[] = [];
  /** The hash of the text that was shared while it was this window's. */
  #text: string | undefined;
  /** That of the unsaved text of which this window has told. */
  #unsavedText: string | undefined;
  /** That of the text which the user saved here while the window had no review of the file. */
  #savedText: string | undefined;

  /** @param past of this window */
  constructor(uri: string, past: PastReviews, newID: () => string) {
    this.#uri = uri;
    this.#past = past;
    this.#newID = newID;
  }

  /**
   * The window knows something new. `disk`: another text has come from there, so what the window has done to the former
   * one says nothing of it.
   */
  knows(news: News): void {
    if (this.#knowledge !== "own" || news === "disk") this.#knowledge = news === "disk" ? "seen" : news;
  }

  /** Hunks of these changes were accepted: one, or all. */
  accepted(changes: Changes, hunk: number | undefined): void {
    const lines = acceptedLines(changes, hunksAt(changes, hunk));
    this.#accepts = [...this.#accepts, { id: this.#newID(), ...lines }].slice(-maxAccepts);
  }

  /** Whether all that was under review in this text was decided. */
  isEnded(text: string | undefined): boolean {
    return this.#hasEnded(hashOf(text));
  }

  #hasEnded(hash: string): boolean {
    return this.#shared?.present.type === "ended" && this.#shared.present.texts.includes(hash);
  }

  /** Whether the windows know the review of `text`, which is not that of this window: it has not got the text yet. */
  isBehind(file: FileReview, text: string): boolean {
    return hashOf(text) !== hashOfReview(file) && reviewsOf(this.#shared).has(hashOf(text));
  }

  /** Whether the windows know reviews of other texts of the file. */
  get hasOthers(): boolean {
    return reviewsOf(this.#shared).size > 1;
  }

  /** Takes over what other windows have told. `file`: this window's review. */
  takeOver(shared: SharedReview, file: FileReview | undefined): Taken {
    const last = this.#shared;
    if (last?.id === shared.id) return { type: "nothing" };
    this.#shared = shared;
    const { present } = shared;
    const isOwn = this.#knowledge === "own";
    const own = file && hashOfReview(file);
    if (own !== undefined && reviewsOf(shared).has(own)) this.#text = own;
    const fit = this.#takeTexts(last, shared, own);
    if (!file) {
      if (present.type === "open" && !isOwn) {
        this.#text = hashOfReview(present.review);
        return { type: "opens", review: present.review };
      }
      return { type: shared.others.length > 0 ? "look" : "nothing" };
    }
    if (!isOwn && this.#hasEnded(hashOfReview(file))) {
      if (!file.isOpen) return { type: "nothing" };
      file.followed({ type: "changed" }, unchanged(file.changes.text));
      return { type: "adopted" };
    }
    if (!isOwn && fit) {
      this.#knowledge = "none";
      if (isSame(file, fit)) return { type: "nothing" };
      file.followed(fit.state, fit.changes);
      return { type: "adopted" };
    }
    if (this.#takeAccepts(last, shared, file)) return { type: "adopted" };
    // One of the other texts may be on disk already.
    return { type: fit ? "nothing" : "look" };
  }

  /** Returns what is to be shared; undefined if there is nothing to tell. */
  told(file: FileReview | undefined, { isSaved, isOnDisk }: ToldText): SharedReview | undefined {
    const last = this.#shared;
    if (this.#knowledge === "seen" && file && this.#isSavedHere(file)) this.#knowledge = "own";
    const known = file && this.#knowledge !== "own" ? reviewsOf(last).get(hashOfReview(file)) : undefined;
    const former = last?.present.type === "open" ? [last.present.review] : [];
    // A text whose review is known has come to the disk: what was there before may come back.
    const isSeen = this.#knowledge === "seen";
    const isBack = known !== undefined && isSeen && isOnDisk();
    const isFirst = former.length === 0 && file?.isOpen && isSeen && !this.#hasEnded(hashOfReview(file)) && isOnDisk();
    const shown = isBack ? known : isFirst ? { state: file.state, changes: file.changes } : undefined;
    const present = shown ? { type: "open" as const, review: shown } : this.#present(file, isSaved);
    const hash = present.type === "open" ? hashOfReview(present.review) : undefined;
    const unsaved = isSaved ? [] : this.#unsaved(file);
    const kept = [...(isBack ? former : []), ...this.#past.of(this.#uri), ...(known ? [known] : []), ...unsaved];
    const others = [...byHash(kept).values()].filter((review) => hashOfReview(review) !== hash);
    const accepts = [...(last?.accepts ?? []), ...this.#accepts].slice(-maxAccepts);
    const isTold = this.#knowledge !== "own" && this.#accepts.length === 0;
    const isNew = shown !== undefined && !former.some((review) => hashOfReview(review) === hash);
    if (isTold && !isNew && areSame(others, last?.others ?? [])) return undefined;
    return { id: this.#newID(), present: withoutTexts(present, others), others, accepts };
  }

  /**
   * The user has saved a text in this window, which had no review of the file. Where all was decided, nothing is under
   * review in that text either: returns what is to be shared then. Windows that have not got the decided text, and only
   * see this one, know it from that. Where another window has told meanwhile what is under review in the text before,
   * this one tells what becomes of it.
   */
  toldSaved(text: string): SharedReview | undefined {
    const last = this.#shared;
    const hash = hashOf(text);
    this.#savedText = hash;
    if (last?.present.type !== "ended" || last.present.texts.length === 0) return undefined;
    if (this.#hasEnded(hash) || reviewsOf(last).has(hash)) return undefined;
    const texts = [...last.present.texts, hash].slice(-maxEndedTexts);
    return { ...last, id: this.#newID(), present: { type: "ended", texts } };
  }

  /** What `told` or `toldSaved` returned is shared now. */
  wasTold(shared: SharedReview, file: FileReview | undefined): void {
    const hash = file && hashOfReview(file);
    if (file && isPresent(shared, file)) this.#text = hash;
    this.#unsavedText = shared.others.some((review) => review.changes === file?.changes) ? hash : undefined;
    this.#shared = shared;
    this.#savedText = undefined;
    this.#knowledge = "none";
    this.#accepts = [];
  }

  /** Whether the user has saved this text here, and no window has told of it. */
  #isSavedHere(file: FileReview): boolean {
    const hash = hashOfReview(file);
    return hash === this.#savedText && !this.#hasEnded(hash) && !reviewsOf(this.#shared).has(hash);
  }

  #present(file: FileReview | undefined, isSaved: boolean): SharedReview["present"] {
    const last = this.#shared?.present ?? { type: "ended", texts: [] };
    if (this.#knowledge !== "own") return last;
    // What is on disk stays under review, but for what was accepted.
    if (!isSaved) return this.#accepts.reduce(afterAccept, last);
    if (file?.isOpen) return { type: "open", review: { state: file.state, changes: file.changes } };
    const texts = [this.#text, file && hashOfReview(file)].filter((text) => text !== undefined);
    return { type: "ended", texts: [...new Set(texts)] };
  }

  /**
   * Returns the review of the unsaved text, and what is known of texts that may be on disk: this window has none of them,
   * and may tell more than once before it saves.
   */
  #unsaved(file: FileReview | undefined): PastReview[] {
    const isOwn = this.#knowledge === "own";
    const others = (this.#shared?.others ?? []).filter(
      (review) => !isOwn || hashOfReview(review) !== this.#unsavedText,
    );
    const left = others.map(({ state, changes }) => ({
      state,
      changes: this.#accepts.reduce(withoutAccepted, changes),
    }));
    const own = isOwn && file?.isOpen ? [{ state: file.state, changes: file.changes }] : [];
    return [...left.filter(({ state, changes }) => state.type !== "changed" || changes.hunks.length > 0), ...own];
  }

  /** Takes over the reviews of texts. Returns that of the window's own text. */
  #takeTexts(last: SharedReview | undefined, shared: SharedReview, own: string | undefined): PastReview | undefined {
    // A hunk that was accepted in one text is accepted in those, too, that this window alone knows.
    for (const lines of newAccepts(last, shared)) this.#past.accepted(this.#uri, lines);
    const [former, fresh, mine] = [reviewsOf(last), reviewsOf(shared), byHash(this.#past.of(this.#uri))];
    for (const [hash, review] of former) if (!fresh.has(hash)) this.#drop(mine.get(hash) ?? review);
    for (const [hash, review] of fresh) {
      const before = former.get(hash);
      if (hash === own || (own === undefined && isPresent(shared, review))) continue;
      // What the window itself has forgotten meanwhile, stays forgotten.
      if (before === undefined || (mine.has(hash) && !isSame(before, review))) this.#past.add(this.#uri, review);
      else if (own !== undefined && isPresent(shared, review)) this.#past.add(this.#uri, review);
    }
    if (shared.present.type === "ended") {
      const { texts } = shared.present;
      for (const [hash, review] of byHash(this.#past.of(this.#uri))) if (texts.includes(hash)) this.#drop(review);
    }
    return own === undefined ? undefined : fresh.get(own);
  }

  #takeAccepts(last: SharedReview | undefined, shared: SharedReview, file: FileReview): boolean {
    const { changes } = file;
    const left = newAccepts(last, shared).reduce(withoutAccepted, changes);
    if (left === changes) return false;
    file.followed(file.state, left);
    return true;
  }

  #drop(review: PastReview): void {
    this.#past.drop(this.#uri, textOf(review));
  }
}

const isPresent = ({ present }: SharedReview, { changes }: PastReview): boolean =>
  present.type === "open" && present.review.changes === changes;

/** Returns the accepts since this window looked last; none if it has not looked before. */
function newAccepts(last: SharedReview | undefined, shared: SharedReview): readonly SharedAccept[] {
  const known = new Set(last?.accepts.map(({ id }) => id));
  return last ? shared.accepts.filter(({ id }) => !known.has(id)) : [];
}

/** The agent is about to write a text again whose review had ended. */
function withoutTexts(present: SharedReview["present"], reviews: readonly PastReview[]): SharedReview["present"] {
  if (present.type === "open") return present;
  const known = byHash(reviews);
  return { type: "ended", texts: present.texts.filter((text) => !known.has(text)) };
}

function afterAccept(present: SharedReview["present"], lines: AcceptedLines): SharedReview["present"] {
  if (present.type === "ended") return present;
  const { state, changes } = present.review;
  const left = withoutAccepted(changes, lines);
  if (left.hunks.length === 0 && state.type === "changed")
    return { type: "ended", texts: [hashOfReview(present.review)] };
  return { type: "open", review: { state, changes: left } };
}

const byHash = (reviews: readonly PastReview[]): Map<string, PastReview> =>
  new Map(reviews.map((review) => [hashOfReview(review), review]));

function reviewsOf(shared: SharedReview | undefined): Map<string, PastReview> {
  if (!shared) return new Map();
  const { present, others } = shared;
  return byHash([...others, ...(present.type === "open" ? [present.review] : [])]);
}

const hashes = new WeakMap<Changes, string>();

function hashOfReview({ state, changes }: PastReview): string {
  const known = state.type === "deleted" ? undefined : hashes.get(changes);
  if (known !== undefined) return known;
  const hash = hashOf(textOf({ state, changes }));
  if (state.type !== "deleted") hashes.set(changes, hash);
  return hash;
}

/** Line endings do not count: git changes them. */
function hashOf(text: string | undefined): string {
  return text === undefined ? "gone" : createHash("sha1").update(text.replaceAll(/\r\n?/g, "\n")).digest("base64");
}

/** Whether two reviews of one text are equal. */
const isSame = (a: PastReview, b: PastReview): boolean =>
  a.changes === b.changes
    ? a.state === b.state
    : JSON.stringify([a.state, a.changes.pieces, a.changes.marks]) ===
        JSON.stringify([b.state, b.changes.pieces, b.changes.marks]) && baseText(a.changes) === baseText(b.changes);

function areSame(a: readonly PastReview[], b: readonly PastReview[]): boolean {
  const [first, second] = [byHash(a), byHash(b)];
  if (first.size !== second.size) return false;
  for (const [hash, review] of first) {
    const other = second.get(hash);
    if (!other || !isSame(review, other)) return false;
  }
  return true;
}
