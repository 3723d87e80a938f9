/** Returns the plan in a reply. Answers to comments, behind which a changed plan stands, are left out. */
export function planText(text: string): string {
  const begin = text.startsWith("# Plan\n") ? 0 : text.indexOf("\n# Plan\n") + 1;
  return `${text.slice(begin).trim()}\n`;
}
