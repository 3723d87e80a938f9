/** The names in a file of secrets, for the card of its question. Values are not shown. Pure. */

const maxNames = 30;
const dots = "••••••";

/** Values that are no secret under a name that does not sound like one. */
const harmless =
  /^(?:|true|false|yes|no|on|off|null|none|trace|debug|info|warn|warning|error|silent|local|localhost|dev|development|test|testing|staging|prod|production)$/i;
const secretName = /key|token|secret|pass|pwd|pin\b|auth|credential|salt|cert|private/i;

/** Returns the names in order, with dots for values; none for a format without names, such as a private key. */
export function secretNames(text: string): { name: string; value: string }[] {
  // What is between these lines has no names, and must not be taken for some.
  if (/-----BEGIN [A-Z ]+-----/.test(text)) return [];
  const found = text
    .split(/\r?\n/)
    .map((line) => assigned(line))
    .filter((one) => one !== undefined);
  return found.slice(0, maxNames);
}

/** `NAME=value`, `export NAME="value"`, `name: value`, `"name": "value",` */
function assigned(line: string): { name: string; value: string } | undefined {
  const text = line.trim().replace(/^export\s+/, "");
  const match = /^(["']?)([A-Za-z][\w.-]{0,80})\1\s*([=:])(.*)$/.exec(text);
  const [, , name, sign, rest] = match ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const given = rest.trimStart();
  // A line may be a secret as a whole, such as base64 that ends in "=".
  if (given.startsWith("//") || (sign === "=" && /^=*\s*$/.test(given) && !isEmptyName(name, given))) return undefined;
  const value = given
    .replace(/,\s*$/, "")
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2");
  if (/^[[{]$/.test(value)) return undefined;
  return { name, value: harmless.test(value) && !secretName.test(name) ? value : dots };
}

/** Whether it is surely a name without a value. */
const isEmptyName = (name: string, given: string) => given.trim() === "" && /^[A-Z]+(?:_[A-Z\d]+)*$/.test(name);
