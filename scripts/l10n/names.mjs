/** Names of buttons and commands within texts: “Stop asking” brings it back. They have to be what the button says. */

/** What other programs call something. */
const foreign = new Set(["Chat: Manage Language Models"]);

/** Returns the names in a text: what stands in quotation marks and begins like a name. A sentence is what somebody says. */
function namesIn(/** @type {string} */ text) {
  const quoted = [...text.matchAll(/[“"](\p{Lu}[^“”"{}]*)[”"]/gu)].map(([, name = ""]) => name);
  return quoted.filter((name) => !/[.!?]$/.test(name) && !foreign.has(name));
}

/**
 * Finds names of nothing, and translations that call something other than its button or command does.
 * @param {string} file for messages
 * @param {Iterable<string>} texts English
 * @param {Record<string, string>} translated
 * @param {{ english: Record<string, string>, translated: Record<string, string> }} manifest titles of commands by name
 */
export function nameProblems(file, texts, translated, manifest) {
  const commands = Object.keys(manifest.english).filter((key) => key.startsWith("command."));
  const titleOf = (/** @type {string} */ name) => {
    const key = commands.find((one) => manifest.english[one] === name);
    return key === undefined ? undefined : manifest.translated[key];
  };
  /** @type {string[]} */
  const problems = [];
  for (const text of texts) {
    for (const name of namesIn(text)) {
      const title = name.startsWith("Rondo: ") ? titleOf(name.slice("Rondo: ".length)) : undefined;
      const known = title ?? (Object.hasOwn(translated, name) ? translated[name] : titleOf(name));
      if (known === undefined) problems.push(`${file}: nothing is called “${name}”, as "${text}" says`);
      else if (!translated[text]?.includes(known))
        problems.push(`${file}: “${name}” is called “${known}”, in "${text}"`);
    }
  }
  return problems;
}
