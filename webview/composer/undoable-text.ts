/** Text that Rondo writes into a field, which the field's own undo takes back as if the user had typed it. */

/**
 * Replaces the text of a field and focuses it; the caret stands behind what has changed. Setting `value` would empty the
 * browser's undo history, and so would `setRangeText`: of what scripts can do, only `execCommand` keeps it.
 * @returns false where the field does not take it, as one that is not shown
 */
export function replaceText(field: HTMLTextAreaElement, text: string): boolean {
  const { start, end } = changedRange(field.value, text);
  const inserted = text.slice(start, text.length - (field.value.length - end));
  field.focus();
  if (document.activeElement !== field) return false;
  if (field.value !== text) {
    field.setSelectionRange(start, end);
    if (inserted === "") document.execCommand("delete");
    else document.execCommand("insertText", false, inserted);
  }
  return field.value === text;
}

/** Returns the part of `before` that is not in `after`, too; it splits no character of two code units. */
function changedRange(before: string, after: string): { start: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (/[\uD800-\uDBFF]$/.test(before.slice(0, start))) start--;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  if (same > 0 && /^[\uDC00-\uDFFF]/.test(before.slice(before.length - same))) same--;
  return { start, end: before.length - same };
}
