/** The options of ps that show the environments of other programs, which hold keys. Pure. */

/**
 * ps(1), procps-ng 4.0: a word without a dash is a group of BSD options, where `e` shows the environment; `-e` selects
 * processes. On macOS `-E` shows it.
 */
export function psShowsEnvironments(words: readonly (string | undefined)[]): boolean {
  return words.some((word, index) => {
    if (isPsValue(words[index - 1], index === 1)) return /environ/i.test(word ?? "");
    // An unknown word may be anything.
    return word === undefined || /^\w*e|^-[a-zA-Z]*E|environ/.test(word);
  });
}

/** Whether the next word belongs to an option. */
function isPsValue(option: string | undefined, isFirst: boolean): boolean {
  if (option === undefined) return false;
  if (/^-[aAdefFlLmMwxHyjcZ]*[oOpuUgGtCsqk]$/.test(option)) return true;
  if (isFirst && /^[a-z]*[oOUptkq]$/.test(option)) return true;
  return /^--(sort|format|pid|ppid|user|User|group|Group|tty|sid|cols|columns|width|lines|rows|quick-pid)$/.test(
    option,
  );
}
