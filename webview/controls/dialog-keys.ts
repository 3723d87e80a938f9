/** Returns what a dialog does with keys: Escape closes it, Ctrl+Enter (or Cmd+Enter) does what its first button does. */
export function dialogKeys(confirm: () => void, close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) confirm();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
