/** Whether the schema that a server gives for its tool can be sent to a model: one that cannot would spoil every request. */

import { visible } from "../connection/server-text.ts";

/** Offered instead of a schema that cannot be used. */
const open = { type: "object", additionalProperties: true } as const;

const mostCharacters = 20_000;
const deepest = 24;

type Json = Record<string, unknown>;

/** `note`: for the model, why the schema is not the server's; empty when it is. */
export function checkedSchema(given: unknown): { schema: Json; note: string } {
  try {
    return { schema: usable(given), note: "" };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { schema: open, note: `(What input it takes is not known: its schema ${error.message}.)` };
  }
}

class Unusable extends Error {}

function usable(given: unknown): Json {
  if (!isObject(given)) throw new Unusable("is no object");
  const size = sizeOf(given, deepest);
  if (size > mostCharacters) throw new Unusable("is too large");
  const { $schema: _, $id: __, ...schema } = given;
  if (schema["type"] !== undefined && schema["type"] !== "object") throw new Unusable("does not describe an object");
  // Providers refuse these at the top.
  if (["anyOf", "oneOf", "allOf", "not", "if", "enum"].some((name) => name in schema)) {
    throw new Unusable("is a choice between several");
  }
  const checked = { ...schema, type: "object" };
  check(checked);
  checkReferences(checked);
  return JSON.parse(JSON.stringify(checked), (key, value) =>
    (key === "description" || key === "title") && typeof value === "string" ? visible(value) : value,
  );
}

/** Characters, about. @throws Unusable where it is deeper than `left` */
function sizeOf(value: unknown, left: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  if (left === 0) throw new Unusable("is too deep");
  let size = 2;
  for (const [key, one] of Object.entries(value)) {
    size += (Array.isArray(value) ? 0 : key.length + 3) + sizeOf(one, left - 1) + 1;
    if (size > mostCharacters) return size;
  }
  return size;
}

/** What a keyword's value must be; keywords that are not here may be anything. */
const kinds: Record<string, (value: unknown) => boolean> = {
  title: isText,
  description: isText,
  $comment: isText,
  pattern: isPattern,
  format: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: isBoolean,
  deprecated: isBoolean,
  readOnly: isBoolean,
  writeOnly: isBoolean,
  enum: Array.isArray,
  examples: Array.isArray,
  required: (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length,
  type: isType,
};
const holdsSchema = [
  "items",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const holdsList = ["anyOf", "oneOf", "allOf", "prefixItems"];
const holdsNamed = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const types = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** @throws Unusable */
function check(schema: unknown): void {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) throw new Unusable("is malformed");
  for (const [key, value] of Object.entries(schema)) {
    if (["$dynamicRef", "$recursiveRef", "$id", "$anchor"].includes(key)) throw new Unusable("refers to others");
    const isKind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (isKind?.(value) === false) throw new Unusable(`is malformed at "${key}"`);
    if (holdsSchema.includes(key)) check(value);
    if (holdsList.includes(key)) {
      if (!Array.isArray(value) || value.length === 0) throw new Unusable(`is malformed at "${key}"`);
      for (const one of value) check(one);
    }
    if (holdsNamed.includes(key)) {
      if (!isObject(value)) throw new Unusable(`is malformed at "${key}"`);
      const names = Object.keys(value);
      // What providers take for names.
      if (key === "properties" && !names.every((name) => /^[\w.-]{1,64}$/.test(name))) {
        throw new Unusable("has names that cannot be sent");
      }
      for (const name of names) check(value[name]);
    }
  }
}

/** @throws Unusable when a reference leads out of the schema, nowhere, or in a circle */
function checkReferences(root: Json): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("$ref" in value) follow(value.$ref);
    Object.values(value).forEach(visit);
  };
  const follow = (reference: unknown): void => {
    if (typeof reference !== "string" || !reference.startsWith("#/")) throw new Unusable("refers to others");
    if (open.has(reference)) throw new Unusable("refers to itself");
    if (done.has(reference)) return;
    open.add(reference);
    visit(target(reference, root));
    open.delete(reference);
    done.add(reference);
  };
  visit(root);
}

function target(reference: string, root: Json): unknown {
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(at) || !Object.hasOwn(at, name)) throw new Unusable("refers to what is not there");
    at = at[name];
  }
  return at;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value);
    return true;
  } catch {
    return false;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isType(value: unknown): boolean {
  const given = Array.isArray(value) ? value : [value];
  return given.length > 0 && new Set(given).size === given.length && given.every((one) => types.includes(one));
}
