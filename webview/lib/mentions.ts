/** Finds "@" with the name of an agent in the text of a prompt. */

/** Returns the mention that ends at the cursor: the index of its "@" and the beginning of the name. */
export function mentionAt(text: string, cursor: number): { start: number; begun: string } | undefined {
  const [, begun] = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor)) ?? [];
  return begun === undefined ? undefined : { start: cursor - begun.length - 1, begun };
}

/** Returns the `names` that the text mentions, each once, in the order of the text. */
export function mentionedNames(text: string, names: readonly string[]): string[] {
  const words = [...text.matchAll(/(?:^|[\s(])@([^\s@]+)/g)].map(([, word = ""]) =>
    names.includes(word) ? word : word.replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, ""),
  );
  return [...new Set(words)].filter((word) => names.includes(word));
}
