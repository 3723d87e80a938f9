/**
 * Characters that have no width, or that change the order or place of other characters. Tabs, line breaks and the
 * joiners within an emoji are not included.
 */
const hidden =
  /(?!\t|\n|\r$)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}](?<!(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D)/gmu;

/** Returns the text with hidden characters as "[U+202E]", so that it shows exactly what will be run or written. */
export function escapeInvisible(text: string): string {
  return text.replace(
    hidden,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

export function removeInvisible(text: string): string {
  return text.replace(hidden, "");
}
