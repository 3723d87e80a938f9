/** Checks lines that Rondo wrote itself, so that replay need not copy each value as a schema does. */
import type { $ZodDiscriminatedUnionDef, $ZodType, $ZodTypes } from "zod/v4/core";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";

type ValueCheck = (value: unknown) => boolean;

/**
 * Returns a check that passes only values which `schema` would accept and return unchanged. A value that fails the
 * check may still be valid: then the schema decides. It is made when the first value comes.
 */
export function fastCheck(schema: $ZodType): ValueCheck {
  const check = lazily(() => checkOf(schema));
  return (value) => check()(value);
}

function checkOf(schema: $ZodType): ValueCheck {
  // `$ZodTypes` is the union of all classes of schemas, meant for code that walks them.
  const { def } = (schema as $ZodTypes)._zod;
  if (def.checks !== undefined && def.checks.length > 0) return () => false;
  switch (def.type) {
    case "string":
      return (value) => typeof value === "string";
    case "number":
      return Number.isFinite;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "unknown":
      return () => true;
    case "literal":
      return oneOf(def.values);
    case "enum":
      return oneOf(Object.values(def.entries));
    case "nullable": {
      const inner = checkOf(def.innerType);
      return (value) => value === null || inner(value);
    }
    case "optional":
    case "catch":
    // A value that is missing fails in `checkObject`, since the schema would add it.
    case "default":
      return checkOf(def.innerType);
    case "array": {
      const element = checkOf(def.element);
      return (value) => Array.isArray(value) && value.every(element);
    }
    case "record":
      return checkRecord(checkOf(def.valueType));
    case "object":
      return checkObject(def.shape);
    case "union":
      return "discriminator" in def ? checkUnion(def as $ZodDiscriminatedUnionDef) : () => false;
    default:
      return () => false;
  }
}

function oneOf(values: readonly unknown[]): ValueCheck {
  const allowed = new Set(values);
  return (value) => allowed.has(value);
}

function checkRecord(inner: ValueCheck): ValueCheck {
  return (value) => {
    if (!isRecord(value) || Object.hasOwn(value, "__proto__")) return false;
    for (const key in value) if (!inner(value[key])) return false;
    return true;
  };
}

function checkObject(shape: Readonly<Record<string, $ZodType>>): ValueCheck {
  const checks = new Map(Object.entries(shape).map(([key, schema]) => [key, checkOf(schema)]));
  // `optout`, not `optin`: what may be missing in the input can have a value in the output.
  const required = Object.keys(shape).filter((key) => shape[key]?._zod.optout !== "optional");
  return (value) => {
    if (!isRecord(value)) return false;
    // Unknown fields, including `__proto__`, fail the check: the schema removes them.
    for (const key in value) if (!checks.get(key)?.(value[key])) return false;
    for (const key of required) if (!(key in value)) return false;
    return true;
  };
}

function checkUnion({ discriminator, options }: $ZodDiscriminatedUnionDef): ValueCheck {
  const checks = new Map<unknown, ValueCheck>();
  for (const option of options) {
    const check = checkOf(option);
    for (const value of option._zod.propValues?.[discriminator] ?? []) checks.set(value, check);
  }
  return (value) => isRecord(value) && (checks.get(value[discriminator])?.(value) ?? false);
}
