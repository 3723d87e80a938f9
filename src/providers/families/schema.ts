/** JSON Schemas for servers that take only a part of the standard. */

type Schema = Record<string, unknown>;

/**
 * Returns the schema of a tool's input without a choice at its top, for which Anthropic and OpenAI refuse all tools at
 * once (notion-mcp-server#341, claude-code#95504; langchainjs#9804): an object with the properties of all alternatives.
 */
export function objectSchema(schema: Schema): Schema {
  const { oneOf, anyOf, allOf, enum: _, not: __, ...rest } = schema;
  const choices = [oneOf, anyOf].filter(Array.isArray).map((all) => all.map((one) => resolved(one, schema)));
  const all = Array.isArray(allOf) ? allOf.map((one) => resolved(one, schema)) : [];
  if (choices.length === 0 && all.length === 0) return { ...rest, type: "object" };
  const parts = [rest, ...all, ...choices.flat()];
  const required = [rest, ...all].flatMap(requiredOf);
  for (const alternatives of choices) {
    const [first, ...others] = alternatives.map(requiredOf);
    required.push(...(first ?? []).filter((name) => others.every((names) => names.includes(name))));
  }
  const { additionalProperties: ___, ...kept } = rest;
  return { ...kept, type: "object", properties: unionOf(parts), required: [...new Set(required)] };
}

function unionOf(schemas: readonly Schema[]): Schema {
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of schemas) {
    for (const [name, property] of Object.entries(record(properties))) {
      const known = found.get(name) ?? new Map<string, unknown>();
      found.set(name, known.set(JSON.stringify(property), property));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, known]) => {
      const [first, ...others] = known.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

/** Follows a reference to a definition, and joins the choices below. */
function resolved(schema: unknown, root: Schema, depth = 0): Schema {
  const { $ref: ref, ...rest } = record(schema);
  if (depth > 8) return {};
  if (typeof ref === "string") {
    const path = ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    return resolved(
      path.reduce<unknown>((at, key) => record(at)[key], root),
      root,
      depth + 1,
    );
  }
  const isChoice = ["oneOf", "anyOf", "allOf"].some((key) => key in rest);
  return isChoice ? objectSchema({ ...definitionsOf(root), ...rest }) : rest;
}

function definitionsOf({ $defs, definitions }: Schema): Schema {
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

interface SchemaLimits {
  /** Whether an object may have no properties. */
  emptyObjects: boolean;
}

const kept = [
  "description",
  "title",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
] as const;

/**
 * Returns the schema without references, lists of types, `additionalProperties`, and enums of anything but strings;
 * each value has a type, each array its items, and a choice no type beside it. Undefined for no arguments at all.
 */
export function plainSchema(schema: Schema, limits: SchemaLimits): Schema | undefined {
  const plain = object({ ...withoutChoice(schema), type: "object" }, { root: schema, limits, depth: 0 });
  const isEmpty = Object.keys(record(plain["properties"])).length === 0;
  return isEmpty && !limits.emptyObjects ? undefined : plain;
}

interface Walk {
  root: Schema;
  limits: SchemaLimits;
  depth: number;
}

/** Recursive schemas end here. */
const maxDepth = 12;

function plain(given: unknown, walk: Walk): Schema {
  const schema = resolve(record(given), walk);
  const deeper = { ...walk, depth: walk.depth + 1 };
  const said = Object.fromEntries(kept.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));
  if (walk.depth >= maxDepth) return { ...said, type: "string" };
  const choice = choices(schema);
  const [only] = choice;
  if (choice.length === 1 && only)
    return { ...said, ...plain({ ...schema, ...only, anyOf: undefined, oneOf: undefined }, deeper) };
  if (choice.length > 1) {
    const { type, ...rest } = said;
    return { ...rest, anyOf: choice.map((one) => plain(one, deeper)) };
  }
  switch (typeOf(schema)) {
    case "object":
      return { ...said, ...object(schema, walk) };
    case "array":
      return { ...said, type: "array", items: plain(schema["items"] ?? { type: "string" }, deeper) };
    case "string": {
      const values = enumOf(schema);
      return { ...said, type: "string", ...(values.length > 0 && { enum: values }) };
    }
    default:
      return { ...said, type: typeOf(schema) };
  }
}

function object(schema: Schema, walk: Walk): Schema {
  const deeper = { ...walk, depth: walk.depth + 1 };
  const properties = Object.fromEntries(
    Object.entries(record(schema["properties"])).map(([name, one]) => [name, plain(one, deeper)]),
  );
  if (Object.keys(properties).length === 0 && walk.depth > 0 && !walk.limits.emptyObjects) {
    properties["value"] = { type: "string", description: "Any value, as JSON." };
  }
  const required = list(schema["required"]).filter((name) => typeof name === "string" && name in properties);
  const description = schema["description"];
  return {
    type: "object",
    ...(typeof description === "string" && { description }),
    properties,
    ...(required.length > 0 && { required }),
  };
}

/** Returns the alternatives of a schema, without `null`; none where it has no choice. */
function choices(schema: Schema): Schema[] {
  const given = [...list(schema["anyOf"]), ...list(schema["oneOf"])].map(record);
  const types = Array.isArray(schema["type"]) ? schema["type"].map((type) => ({ ...schema, type })) : [];
  return (given.length > 0 ? given : types).filter(({ type }) => type !== "null");
}

function withoutChoice({ anyOf: _, oneOf: __, allOf: ___, ...schema }: Schema): Schema {
  return schema;
}

/** Replaces a reference by what it names, and joins `allOf`. */
function resolve(schema: Schema, walk: Walk): Schema {
  const { $ref: ref, allOf, ...rest } = schema;
  if (typeof ref === "string") {
    const found = ref
      .replace(/^#\/?/, "")
      .split("/")
      .filter((key) => key !== "")
      .reduce<unknown>((at, key) => record(at)[key], walk.root);
    return walk.depth >= maxDepth ? rest : resolve({ ...record(found), ...rest }, { ...walk, depth: walk.depth + 1 });
  }
  const all = list(allOf).map(record);
  if (all.length === 0) return rest;
  const properties = Object.assign({}, ...all.map((one) => one["properties"]), rest["properties"]);
  const required = [...all.flatMap((one) => list(one["required"])), ...list(rest["required"])];
  return { ...Object.assign({}, ...all), ...rest, properties, required };
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  if (typeof type === "string" && /^(object|array|string|number|integer|boolean)$/.test(type)) return type;
  if (schema["properties"] !== undefined) return "object";
  if (schema["items"] !== undefined) return "array";
  const [value] = [...list(schema["enum"]), schema["const"]];
  return typeof value === "number" || typeof value === "boolean" ? typeof value : "string";
}

function enumOf(schema: Schema): string[] {
  const given = schema["const"] === undefined ? list(schema["enum"]) : [schema["const"]];
  return given.filter((value) => typeof value === "string" && value !== "").map(String);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Schema {
  // Properties of any object can be read; their values stay unknown.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
