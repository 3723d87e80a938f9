/** Search by words in any order: a word is found wherever its letters and digits stand, whatever stands between them. */

/** Returns the words of a search, without signs. */
export function wordsOf(search: string): string[] {
  return search
    .split(/\s+/)
    .map(lettersOf)
    .filter((word) => word !== "");
}

/** Returns the letters and digits of a text, in small letters. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the text in pieces; those that a word has found are hits. */
export function markedPieces(text: string, words: readonly string[]): { text: string; isHit: boolean }[] {
  const letters: string[] = [];
  const places: { start: number; end: number }[] = [];
  for (const { 0: sign, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    for (const letter of sign.toLowerCase()) {
      letters.push(letter);
      places.push({ start: index, end: index + sign.length });
    }
  }
  const whole = letters.join("");
  const isHit = new Set<number>();
  for (const word of words) {
    const at = whole.indexOf(word);
    const [first, last] = [places[at], places[at + word.length - 1]];
    if (!first || !last) continue;
    for (let place = first.start; place < last.end; place++) isHit.add(place);
  }
  const pieces: { text: string; isHit: boolean }[] = [];
  for (let place = 0; place < text.length; place++) {
    const last = pieces.at(-1);
    if (last?.isHit === isHit.has(place)) last.text += text[place];
    else pieces.push({ text: text[place] ?? "", isHit: isHit.has(place) });
  }
  return pieces;
}
