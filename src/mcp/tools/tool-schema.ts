/**
 * Checks the schemas of servers' tools, because a provider rejects every request that contains an invalid one.
 * Its texts are for the model.
 */
import { attempt } from "../../base/attempt.ts";
import { isRecord } from "../../base/json.ts";
import { visibleText } from "../connection/server-text.ts";

/** Replaces a schema that cannot be used. */
const anyObject = { type: "object", additionalProperties: true } as const;

const maxCharacters = 20_000;
const maxDepth = 24;

type JsonSchema = Record<string, unknown>;

/** `note` tells the model why the server's schema was replaced, or is empty. */
export function checkedSchema(given: unknown): { schema: JsonSchema; note: string } {
  try {
    return { schema: usableSchema(given), note: "" };
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    return { schema: anyObject, note: `(Its input is not known: its schema ${error.message}.)` };
  }
}

class UnusableSchema extends Error {}

function usableSchema(given: unknown): JsonSchema {
  if (!isRecord(given)) throw new UnusableSchema("is not an object");
  const size = sizeOf(given, maxDepth);
  if (size > maxCharacters) throw new UnusableSchema("is too large");
  const { $schema: _, $id: __, ...schema } = given;
  if (schema["type"] !== undefined && schema["type"] !== "object")
    throw new UnusableSchema("does not describe an object");
  // Providers reject these at the top level.
  if (["anyOf", "oneOf", "allOf", "not", "if", "enum"].some((name) => name in schema)) {
    throw new UnusableSchema("is a choice between several");
  }
  const checked = { ...schema, type: "object" };
  checkKeywords(checked);
  checkReferences(checked);
  return JSON.parse(JSON.stringify(checked), (key, value) =>
    (key === "description" || key === "title") && typeof value === "string" ? visibleText(value) : value,
  );
}

/** Estimates the number of characters. @throws UnusableSchema when it has more than `left` levels */
function sizeOf(value: unknown, left: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  if (left === 0) throw new UnusableSchema("is nested too deeply");
  let size = 2;
  for (const [key, one] of Object.entries(value)) {
    size += (Array.isArray(value) ? 0 : key.length + 3) + sizeOf(one, left - 1) + 1;
    if (size > maxCharacters) return size;
  }
  return size;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isPattern = (value: unknown): boolean =>
  typeof value === "string" && attempt(() => Boolean(new RegExp(value)), false);
const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
function isType(value: unknown): boolean {
  const given = Array.isArray(value) ? value : [value];
  return given.length > 0 && new Set(given).size === given.length && given.every((one) => typeNames.includes(one));
}

/** The keywords whose values each check is for. Other keywords may have any value. */
const checks: [(value: unknown) => boolean, string[]][] = [
  [isText, ["title", "description", "$comment", "format", "contentEncoding", "contentMediaType"]],
  [isPattern, ["pattern"]],
  [isNumber, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]],
  [(value) => isNumber(value) && Number(value) > 0, ["multipleOf"]],
  [isCount, ["minLength", "maxLength", "minItems", "maxItems"]],
  [isCount, ["minProperties", "maxProperties", "minContains", "maxContains"]],
  [isBoolean, ["uniqueItems", "deprecated", "readOnly", "writeOnly"]],
  [Array.isArray, ["enum", "examples"]],
  [areNames, ["required"]],
  [isType, ["type"]],
];
const checkOf = new Map(checks.flatMap(([check, keywords]) => keywords.map((keyword) => [keyword, check] as const)));
const holdsSchema =
  "items additionalProperties unevaluatedItems unevaluatedProperties propertyNames contains not if then else".split(
    " ",
  );
const holdsList = ["anyOf", "oneOf", "allOf", "prefixItems"];
const holdsNamed = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** @throws UnusableSchema */
function checkKeywords(schema: unknown): void {
  if (typeof schema === "boolean") return;
  if (!isRecord(schema)) throw new UnusableSchema("is malformed");
  for (const [key, value] of Object.entries(schema)) {
    if (["$dynamicRef", "$recursiveRef", "$id", "$anchor"].includes(key))
      throw new UnusableSchema("refers to other schemas");
    if (checkOf.get(key)?.(value) === false) throw new UnusableSchema(`is malformed at "${key}"`);
    if (holdsSchema.includes(key)) checkKeywords(value);
    if (holdsList.includes(key)) {
      if (!Array.isArray(value) || value.length === 0) throw new UnusableSchema(`is malformed at "${key}"`);
      for (const one of value) checkKeywords(one);
    }
    if (holdsNamed.includes(key)) {
      if (!isRecord(value)) throw new UnusableSchema(`is malformed at "${key}"`);
      const names = Object.keys(value);
      // Providers accept only these names.
      if (key === "properties" && !names.every((name) => /^[\w.-]{1,64}$/.test(name))) {
        throw new UnusableSchema("has names that cannot be sent");
      }
      for (const name of names) checkKeywords(value[name]);
    }
  }
}

/** @throws UnusableSchema when a reference leaves the schema, is broken, or is circular */
function checkReferences(root: JsonSchema): void {
  const done = new Set<string>();
  const anyObject = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("$ref" in value) follow(value.$ref);
    Object.values(value).forEach(visit);
  };
  const follow = (reference: unknown): void => {
    if (typeof reference !== "string" || !reference.startsWith("#/"))
      throw new UnusableSchema("refers to other schemas");
    if (anyObject.has(reference)) throw new UnusableSchema("refers to itself");
    if (done.has(reference)) return;
    anyObject.add(reference);
    visit(resolveReference(reference, root));
    anyObject.delete(reference);
    done.add(reference);
  };
  visit(root);
}

function resolveReference(reference: string, root: JsonSchema): unknown {
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isRecord(at) || !Object.hasOwn(at, name)) throw new UnusableSchema("has a broken reference");
    at = at[name];
  }
  return at;
}
