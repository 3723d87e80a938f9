/** The form in which windows share the review of a file. */
import * as z from "zod/mini";
import { FileReview } from "./file-review.ts";
import type { PastReview } from "./past-reviews.ts";
import type { SharedReview } from "./shared-reviews.ts";
import { readReview, reviewOf, StoredReview, storedReview } from "./stored-review.ts";

const StoredShare = z.object({
  version: z.literal(3),
  id: z.string(),
  uri: z.string(),
  present: z.discriminatedUnion("type", [
    z.object({ type: z.literal("open"), review: StoredReview }),
    z.object({ type: z.literal("ended"), texts: z.array(z.string()) }),
  ]),
  others: z.array(StoredReview),
  accepts: z.array(z.object({ id: z.string(), fresh: z.array(z.string()), old: z.array(z.string()) })),
});
export type StoredShare = z.infer<typeof StoredShare>;

/** Maximum length of all texts. What is longer is left out: the oldest accepts and texts first. */
const maxChars = 16 << 20;
const maxAcceptChars = 1 << 20;

export function storedShare(uri: string, { id, present, others, accepts }: SharedReview): StoredShare {
  const stored = (review: PastReview) => storedReview(uri, new FileReview(review.state, review.changes));
  return {
    ...{ version: 3, id, uri },
    present:
      present.type === "open"
        ? { type: "open", review: stored(present.review) }
        : { ...present, texts: [...present.texts] },
    others: newest(others.map(stored), maxChars, ({ base, text }) => base.length + text.length),
    accepts: newest(
      accepts.map((one) => ({ id: one.id, fresh: [...one.fresh], old: [...one.old] })),
      maxAcceptChars,
      ({ fresh, old }) => [...fresh, ...old].reduce((sum, line) => sum + line.length, 0),
    ),
  };
}

/** Reads what this version or a former one has written. Returns undefined if it is none. */
export function readShare(json: unknown): { uri: string; shared: SharedReview } | undefined {
  const stored = StoredShare.safeParse(json).data;
  if (!stored) {
    const former = readReview(json);
    if (!former) return undefined;
    const present = { type: "open" as const, review: past(former) };
    return { uri: former.uri, shared: { id: "former", present, others: [], accepts: [] } };
  }
  const { id, uri, present, others, accepts } = stored;
  const shared: SharedReview = {
    id,
    present: present.type === "open" ? { type: "open", review: past(present.review) } : present,
    others: others.map(past),
    accepts: accepts.map((one) => ({ id: one.id, fresh: new Set(one.fresh), old: new Set(one.old) })),
  };
  return { uri, shared };
}

function past(stored: StoredReview): PastReview {
  const { state, changes } = reviewOf(stored);
  return { state, changes };
}

function newest<T>(all: readonly T[], most: number, charsOf: (one: T) => number): T[] {
  const kept: T[] = [];
  let chars = 0;
  for (const one of all.toReversed()) {
    chars += charsOf(one);
    if (chars > most) break;
    kept.unshift(one);
  }
  return kept;
}
