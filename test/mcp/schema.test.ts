/** The texts of a server that a model gets: schemas, names, answers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { toToolResult } from "../../src/mcp/tools/call-result.ts";
import { serverSlugs, toolNames } from "../../src/mcp/tools/offered-names.ts";
import { checkedSchema } from "../../src/mcp/tools/tool-schema.ts";
import { randomly } from "../random.ts";

const of = (property: unknown, more: object = {}) => ({ type: "object", properties: { a: property }, ...more });

describe("schemas of servers", () => {
  const good: [string, object][] = [
    ["no properties", { type: "object" }],
    ["a text with a pattern", of({ type: "string", pattern: "^a\\-b$", maxLength: 3 })],
    ["several types", of({ type: ["string", "null"], default: null })],
    ["a union within a property", of({ anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] })],
    ["a reference within the schema", of({ $ref: "#/$defs/b" }, { $defs: { b: { type: "string" } } })],
    [
      "the same reference twice",
      of({ items: { $ref: "#/$defs/b" }, contains: { $ref: "#/$defs/b" } }, { $defs: { b: {} } }),
    ],
    ["unknown keywords", of({ type: "string", "x-order": 1, markdownDescription: "b" })],
    ["additionalProperties: false", { type: "object", properties: {}, required: [], additionalProperties: false }],
  ];
  for (const [what, schema] of good) {
    it(`T11 with ${what} are not changed`, () => {
      assert.deepEqual(checkedSchema({ $schema: "http://json-schema.org/draft-07/schema#", ...schema }), {
        schema,
        note: "",
      });
    });
  }

  const bad: [string, unknown][] = [
    ["null", null],
    ["a list", []],
    ["a type other than object", { type: "string" }],
    ["a union at the top", { type: "object", anyOf: [{}] }],
    ["an unknown type", of({ type: "any" })],
    ["required in the form of old drafts", of({ type: "string", required: true })],
    ["limits in the form of old drafts", of({ type: "number", exclusiveMinimum: true })],
    ["items as a list", of({ type: "array", items: [{ type: "string" }] })],
    ["properties as a list", { type: "object", properties: [] }],
    ["a property that is a string", of("string")],
    ["a name that providers reject", { type: "object", properties: { "a b": {} } }],
    ["an invalid pattern", of({ pattern: "(" })],
    ["an empty union", of({ anyOf: [] })],
    ["a reference to a file", of({ $ref: "file:///etc/passwd" })],
    ["a dangling reference", of({ $ref: "#/$defs/b" })],
    ["a reference to a member of every object", of({ $ref: "#/constructor" })],
    ["a reference to itself", of({ $ref: "#/properties/a" })],
    ["a circle of references", of({ $ref: "#/$defs/b" }, { $defs: { b: { items: { $ref: "#/properties/a" } } } })],
    ["a dynamic reference", of({ $dynamicRef: "#b" })],
    ["a nested $id", of({ $id: "https://example.com/" })],
  ];
  for (const [what, schema] of bad) {
    it(`T11 with ${what} are replaced, and the model is told`, () => {
      const { schema: offered, note } = checkedSchema(schema);
      assert.deepEqual(offered, { type: "object", additionalProperties: true });
      assert.match(note, /^\(Its input is not known: its schema .+\.\)$/);
    });
  }

  it("T11 lose their invisible characters", () => {
    const { schema } = checkedSchema(of({ type: "string", description: "see\u001b[8m\u{e0041}\u200bn" }));
    assert.deepEqual(schema["properties"], { a: { type: "string", description: "seen" } });
  });
});

describe("names of servers' tools", () => {
  randomly("T11 are unique, valid for every provider, and no rule for one server matches another", () => {
    const names = fc.uniqueArray(fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[ab_-]{0,6}$/)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(names, names, (servers, tools) => {
        const slugs = serverSlugs(servers);
        const offered = servers.map((server) => {
          const slug = slugs.get(server) ?? "";
          return { prefix: `mcp__${slug}__`, names: [...toolNames(slug, tools).values()] };
        });
        const all = offered.flatMap((one) => one.names);
        assert.equal(new Set(all).size, servers.length * tools.length);
        for (const name of all) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
        for (const { prefix, names } of offered) {
          assert.deepEqual(
            all.filter((name) => name.startsWith(prefix)),
            names,
          );
        }
      }),
    );
  });

  it("T11 contain no double underscore in the server's part, even when it is shortened", () => {
    const [slug = ""] = serverSlugs([`${"x".repeat(14)} ${"y".repeat(20)}`]).values();
    assert.match(slug, /^x{14}_[0-9a-f]{8}$/);
  });

  it("T11 are not changed if they are valid", () => {
    assert.deepEqual([...serverSlugs(["git-hub", "a__b", "@x/y z"]).values()], ["git-hub", "a_b", "x_y_z"]);
    assert.deepEqual(
      [...toolNames("s", ["read_file", "read.file"]).values()],
      ["mcp__s__read_file", "mcp__s__read_file_dd32cdf5"],
    );
  });
});

describe("answers of servers", () => {
  const answer = (...content: unknown[]) => toToolResult({ content, structuredContent: undefined, isError: false });
  const png = Buffer.from("89504e470d0a1a0a0000", "hex").toString("base64");

  it("T11 the type of an image comes from its bytes, not from the server", () => {
    const { output, attachments = [] } = answer(
      { type: "image", data: png, mimeType: "image/jpeg" },
      { type: "image", data: Buffer.from("<svg onload=x>").toString("base64"), mimeType: "image/png" },
      { type: "image", data: "A".repeat(8 * 1024 * 1024), mimeType: "image/png" },
    );
    assert.deepEqual(
      attachments.map(({ mime }) => mime),
      ["image/png"],
    );
    assert.match(output, /it is not a PNG, JPEG, GIF or WebP.*it has 6291456 bytes/s);
  });

  it("T11 images beyond the limits of providers are left out", () => {
    const { output, attachments = [] } = answer(...Array.from({ length: 12 }, () => ({ type: "image", data: png })));
    assert.equal(attachments.length, 10);
    assert.equal(output.match(/too many/g)?.length, 2);
    const large = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(3.5 * 1024 * 1024)]).toString("base64");
    const three = Array.from({ length: 3 }, () => ({ type: "image", data: large }));
    assert.equal(answer(...three).attachments?.length, 2);
  });

  it("T11 unknown parts are named, escape sequences are removed, and an empty answer is reported", () => {
    assert.equal(answer({ type: "video" }, 7).output.match(/unknown type/g)?.length, 2);
    assert.equal(answer({ type: "text", text: "a\u001b[2Jb" }).output, "ab");
    assert.equal(answer().output, "(The answer is empty.)");
    assert.equal(answer({ type: "audio", data: "AAAA" }).output, "(Audio was left out: 3 bytes.)");
  });

  it("T11 an error is a failed call", () => {
    const failed = toToolResult({
      content: [{ type: "text", text: "no" }],
      structuredContent: undefined,
      isError: true,
    });
    assert.equal(failed.failed, true);
    assert.deepEqual(
      toToolResult({ content: [], structuredContent: { a: 1 }, isError: false }).output,
      '{\n  "a": 1\n}',
    );
  });
});
