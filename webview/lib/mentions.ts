/** "@" and the name of an agent in what is being written. */

/** The mention that ends at the cursor: where its "@" stands, and what of the name is there. */
export function mentionAt(text: string, cursor: number): { start: number; begun: string } | undefined {
  const [, begun] = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor)) ?? [];
  return begun === undefined ? undefined : { start: cursor - begun.length - 1, begun };
}

/** Which of `names` the text mentions, each once, in the text's order. */
export function mentioned(text: string, names: readonly string[]): string[] {
  const words = [...text.matchAll(/(?:^|[\s(])@([^\s@]+)/g)].map(([, word = ""]) =>
    names.includes(word) ? word : word.replace(/[^\p{L}\p{N}]+$/u, ""),
  );
  return [...new Set(words)].filter((word) => names.includes(word));
}
