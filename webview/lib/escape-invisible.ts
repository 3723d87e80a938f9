/**
 * Characters that have no width, or that change the order or the place in which others are shown; tabs, ends of lines and
 * the joints within an emoji are not among them.
 */
const hidden =
  /(?!\t|\n|\r$)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}](?<!(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D)/gmu;

/** The text with hidden characters as "[U+202E]": what is shown is what will be run or written, in its order. */
export function escapeInvisible(text: string): string {
  return text.replace(
    hidden,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** The text without its hidden characters. */
export function removeInvisible(text: string): string {
  return text.replace(hidden, "");
}
