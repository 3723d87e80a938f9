/** Copies a selection in the log, with the rows in it that are not in the page. */
import { type LogRow, rowText } from "./log-rows.ts";

export function copySelection(event: ClipboardEvent, log: HTMLElement, rows: readonly LogRow[], cwd: string): void {
  const selection = getSelection();
  const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
  if (!range || range.collapsed || !event.clipboardData) return;
  const all = [...log.querySelectorAll<HTMLElement>("[data-row], [data-gap]")].filter((one) =>
    range.intersectsNode(one),
  );
  // What is in the page as a whole is copied by the browser, with its formatting.
  if (!all.some((one) => "gap" in one.dataset)) return;
  const texts = all.flatMap((one) => {
    if (!("gap" in one.dataset)) return [selectedText(range, one, log)];
    const { from, to } = one.dataset;
    return rows.slice(Number(from), Number(to)).map((row) => rowText(row, cwd));
  });
  event.clipboardData.setData("text/plain", texts.filter((text) => text.trim() !== "").join("\n\n"));
  event.preventDefault();
}

/** Returns the text of the part of an element that is selected, as the browser shows it. */
function selectedText(range: Range, element: HTMLElement, log: HTMLElement): string {
  const own = document.createRange();
  own.selectNodeContents(element);
  if (element.contains(range.startContainer)) own.setStart(range.startContainer, range.startOffset);
  if (element.contains(range.endContainer)) own.setEnd(range.endContainer, range.endOffset);
  const copy = document.createElement("div");
  copy.className = "sr";
  copy.append(own.cloneContents());
  for (const toolbar of copy.querySelectorAll("[role=toolbar]")) toolbar.remove();
  log.append(copy);
  const text = copy.innerText.trim();
  copy.remove();
  return text;
}
