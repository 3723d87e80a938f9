/** A fast first look at lines that we wrote ourselves: most of a long record is taken without a copy of it being made. */
import type { $ZodDiscriminatedUnionDef, $ZodType, $ZodTypes, $ZodUnionDef } from "zod/v4/core";

type Check = (value: unknown) => boolean;

/**
 * A check that passes only what `schema` would take and give back as it came. What it does not pass may still be right,
 * only not in the plainest form: the schema itself has to say.
 */
export function exactly(schema: $ZodType): Check {
  // The way zod gives to those who walk its schemas: the union of all its classes.
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
      return (
        (values) => (value) =>
          values.has(value)
      )(new Set<unknown>(def.values));
    case "enum":
      return (
        (values) => (value) =>
          values.has(value)
      )(new Set<unknown>(Object.values(def.entries)));
    case "nullable":
      return (
        (inner) => (value) =>
          value === null || inner(value)
      )(exactly(def.innerType));
    case "optional":
      return exactly(def.innerType);
    case "array":
      return (
        (inner) => (value) =>
          Array.isArray(value) && value.every(inner)
      )(exactly(def.element));
    case "record":
      return record(exactly(def.valueType));
    case "object":
      return object(def.shape);
    case "union":
      return isDiscriminated(def) ? discriminated(def.discriminator, def.options) : () => false;
    default:
      return () => false;
  }
}

function record(inner: Check): Check {
  return (value) => {
    if (!isObject(value) || Object.hasOwn(value, "__proto__")) return false;
    for (const key in value) if (!inner(value[key])) return false;
    return true;
  };
}

function object(shape: Readonly<Record<string, $ZodType>>): Check {
  const checks = new Map(Object.entries(shape).map(([key, schema]) => [key, exactly(schema)]));
  const needed = Object.keys(shape).filter((key) => shape[key]?._zod.optin !== "optional");
  return (value) => {
    if (!isObject(value)) return false;
    // Unknown fields, `__proto__` among them, are for the schema to leave out.
    for (const key in value) if (!checks.get(key)?.(value[key])) return false;
    for (const key of needed) if (!(key in value)) return false;
    return true;
  };
}

function isDiscriminated(def: $ZodUnionDef): def is $ZodDiscriminatedUnionDef {
  return "discriminator" in def;
}

function discriminated(discriminator: string, options: readonly $ZodType[]): Check {
  const checks = new Map<unknown, Check>();
  for (const option of options) {
    const check = exactly(option);
    for (const value of option._zod.propValues?.[discriminator] ?? []) checks.set(value, check);
  }
  return (value) => isObject(value) && (checks.get(value[discriminator])?.(value) ?? false);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
