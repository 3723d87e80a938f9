import type { Answer } from "../model-server.ts";

/** Many words in order: `word0 word1 …`. */
export const manyWords = Array.from({ length: 80 }, (_, at) => `word${at}`).join(" ");

/**
 * Makes an answer that stops in the middle of its text until it is released, so that a test has the time that it needs
 * while the answer streams. `manyWords` is held behind `word9 `, for example.
 */
export function heldAnswer(text = manyWords): { answer: Answer; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pieces = 80;
  return {
    answer: { blocks: [{ text, pieces }], delay: 10, pause: { writes: pieces / 2, until: promise } },
    release: resolve,
  };
}
