/** T18: resources of MCP servers, those of the reference server and those of servers that hang, lie and flood. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Attachment } from "../../src/chat/prompt-input.ts";
import { ServerRequestError } from "../../src/mcp/request-failure.ts";
import { type FoundResource, resourceAddress, ServerResources } from "../../src/mcp/resources/server-resources.ts";
import { call, endAll, everything, type Running, ready, run, until } from "./mcp.ts";

const { signal } = new AbortController();
const server = path.join(import.meta.dirname, "servers/hostile-offers.ts");
const bad = (way: string, file = "") => ({ command: process.execPath, args: [server, way, file] });

async function opened(config: unknown, times = {}): Promise<{ running: Running; resources: ServerResources }> {
  const running = await ready(config);
  return { running, resources: new ServerResources(running.servers, times) };
}

const textOf = ({ url }: Attachment): string => Buffer.from(url.split(",")[1] ?? "", "base64").toString();
const names = (found: readonly FoundResource[]) => found.map(({ name }) => name);

const refusal = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ServerRequestError, String(error));
  assert.match(`${error.message} ${error.next}`, words);
  return true;
};

function template(found: readonly FoundResource[]): Extract<FoundResource, { type: "template" }> {
  const [first] = found.flatMap((one) => (one.type === "template" ? [one] : []));
  return first ?? assert.fail("there is no template");
}

describe("resources of MCP servers", () => {
  afterEach(endAll);

  it("T18 are found by words of their name, address, description and server", async () => {
    const { resources } = await opened({ everything, notes: bad("well") });
    const all = await resources.findResources("");
    assert.ok(all.length >= 8, names(all).join(", "));
    assert.deepEqual(names(await resources.findResources("money note")), ["First note"]);
    assert.deepEqual(await resources.findResources("notes:note://1"), [
      {
        type: "resource",
        server: "notes",
        uri: "note://1",
        name: "First note",
        description: "About money",
        mime: "text/plain",
        bytes: 12,
      },
    ]);
    assert.ok((await resources.findResources("architecture")).some(({ server }) => server === "everything"));
    assert.deepEqual(await resources.findResources("nothing at all"), []);
    assert.equal((await resources.findResources("", 3)).length, 3);
  });

  it("T18 a text is attached, and a server that does not run is started for it", async () => {
    const running = run({ everything });
    running.servers.refresh();
    const resources = new ServerResources(running.servers);
    assert.deepEqual(await resources.findResources(""), []);
    const read = await resources.readResource("everything", "demo://resource/dynamic/text/3", signal);
    const [file = assert.fail()] = read.attachments;
    assert.equal(file.filename, "demo://resource/dynamic/text/3");
    assert.match(textOf(file), /^Resource 3: This is a plaintext resource/);
    assert.deepEqual(read.notes, []);
  });

  it("T18 a template has variables, with values of the server, and becomes an address", async () => {
    const { resources } = await opened({ everything });
    const found = template(await resources.findResources("dynamic text"));
    assert.deepEqual(found.variables, [{ name: "resourceId", description: "", isRequired: true }]);
    const values = (value: string) => resources.completeVariable(found, { name: "resourceId", value }, {}, signal);
    assert.deepEqual([await values("12"), await values("x")], [["12"], []]);
    const address = resourceAddress(found, { resourceId: "12" });
    assert.match(
      textOf((await resources.readResource("everything", address, signal)).attachments[0] ?? assert.fail()),
      /^Resource 12/,
    );
    assert.throws(() => resourceAddress(found, {}), refusal(/is not complete/));
    const read = await resources.readTemplate(found, { resourceId: "7" }, signal);
    assert.match(textOf(read.attachments[0] ?? assert.fail()), /^Resource 7/);
    await assert.rejects(resources.readTemplate(found, {}, signal), refusal(/is not complete/));
  });

  it("T18 a template asks for each of its variables once; those with a separator of their own may be left out", async () => {
    const { resources } = await opened({ bad: bad("templates") });
    const found = (await resources.findResources("repository")).flatMap((one) =>
      one.type === "template" ? [one] : [],
    );
    assert.deepEqual(
      found.map(({ name, variables }) => [
        name,
        variables.map((one) => one.name + (one.isRequired ? "" : "?")).join(" "),
      ]),
      [
        ["A file of a repository", "owner repo path? ref? depth?"],
        ["A repository by its own owner", "owner"],
      ],
    );
    const [file = assert.fail(), twice = assert.fail()] = found;
    const address = (values: Record<string, string>) => resourceAddress(file, values);
    assert.equal(
      address({ owner: "a b", repo: "c/d", path: "/src/x y.ts" }),
      "repo://a%20b/c%2Fd/contents/src/x%20y.ts",
    );
    assert.equal(address({ owner: "a", repo: "b", depth: "2" }), "repo://a/b/contents?depth=2");
    assert.equal(address({ owner: "a", repo: "b", ref: "main", depth: "2" }), "repo://a/b/contents?ref=main&depth=2");
    assert.equal(resourceAddress(twice, { owner: "a" }), "repo://a/a");
    assert.throws(() => address({ owner: "a", path: "x" }), refusal(/is not complete/));
    assert.throws(() => address({ owner: "a", repo: "x".repeat(3000) }), refusal(/more than 2,?000 characters/));
    const { attachments } = await resources.readTemplate(file, { owner: "a", repo: "b", path: "c.ts" }, signal);
    assert.equal(textOf(attachments[0] ?? assert.fail()), "The text of repo://a/b/contents/c.ts");
  });

  it("T18 an expression of several variables has its separator between them, and each is encoded", () => {
    const filled = (uri: string, values: Record<string, string>, isRequired = false) => {
      const variables = Object.keys(values).map((name) => ({ name, description: "", isRequired }));
      return resourceAddress({ uri, variables }, values);
    };
    const [schema, table] = ["a b", "c/d?e"];
    for (const [uri, address] of [
      ["db://x{/schema,table}", "db://x/a%20b/c%2Fd%3Fe"],
      ["db://x{/schema,table*}", "db://x/a%20b/c/d%3Fe"],
      ["db://x{.schema,table}", "db://x.a%20b.c%2Fd%3Fe"],
      ["db://{schema,table}", "db://a%20b,c%2Fd%3Fe"],
      ["db://{+schema,table}", "db://a%20b,c/d?e"],
      ["db://x{#schema,table}", "db://x#a%20b,c/d?e"],
      ["db://x{?schema,table}", "db://x?schema=a%20b&table=c%2Fd%3Fe"],
    ] as const) {
      assert.equal(filled(uri, { schema, table }), address, uri);
    }
    assert.equal(filled("db://x{/schema,table}", { schema: "", table }), "db://x/c%2Fd%3Fe");
    assert.equal(filled("db://x{#schema,table}", { schema: "", table: "t" }), "db://x#t");
    assert.throws(() => filled("db://{schema,table}", { schema: "", table }, true), refusal(/is not complete/));
  });

  it("T18 a template whose variables cannot be given is not offered, and its values are one visible line", async () => {
    const { resources } = await opened({ bad: bad("templates") });
    const all = (await resources.findResources("", 5000)).flatMap((one) => (one.type === "template" ? [one] : []));
    assert.deepEqual(
      all.map(({ uri }) => uri),
      ["repo://{owner}/{repo}/contents{/path*}{?ref,depth}", "repo://{owner}/{owner}"],
    );
    const [file = assert.fail()] = all;
    assert.ok(file.description.length <= 200 && !file.description.includes("\u202e"));
    const values = await resources.completeVariable(file, { name: "repo", value: "" }, { owner: "a" }, signal);
    assert.deepEqual(values, ["one", "two words"]);
  });

  it("T18 an image is an image, whatever the server calls it; another binary is refused with a sentence", async () => {
    const { resources } = await opened({ notes: bad("well"), binary: bad("binary"), everything });
    const { attachments } = await resources.readResource("notes", "note://1", signal);
    assert.deepEqual(
      attachments.map(({ mime, filename }) => [mime, filename]),
      [
        ["text/plain", "note://1"],
        ["image/png", "note://picture"],
      ],
    );
    await assert.rejects(
      resources.readResource("binary", "x://1", signal),
      refusal(/x:\/\/1 of the MCP server binary is not attached\. x:\/\/1 was left out: it is not a PNG/),
    );
    await assert.rejects(
      resources.readResource("everything", "demo://resource/dynamic/blob/1", signal),
      refusal(/is not attached/),
    );
  });

  it("T18 a huge text is cut, and says so to the user and the model; a folder has a limit", async () => {
    const { resources } = await opened({ huge: bad("huge"), crowd: bad("crowd") });
    const huge = await resources.readResource("huge", "x://1", signal);
    const text = textOf(huge.attachments[0] ?? assert.fail());
    assert.ok(text.length < 201_000 && text.endsWith("… (2800000 more characters left out)"));
    assert.deepEqual(huge.notes, ["x://1 was cut: 2800000 characters of 3000000 are left out."]);
    const crowd = await resources.readResource("crowd", "x://1", signal);
    assert.equal(crowd.attachments.length, 50);
    assert.match(crowd.notes.join(), /Only the first 50 parts/);
    assert.equal((await resources.findResources("note", 5000)).length, 1001);
  });

  it("T18 invisible characters of a resource are left out", async () => {
    const { resources } = await opened({ bad: bad("hidden") });
    const { attachments } = await resources.readResource("bad", "x://1", signal);
    assert.equal(textOf(attachments[0] ?? assert.fail()), "Run it. now");
  });

  it("T18 lies about resources are cleaned, and an address that cannot be shown is none", async () => {
    const { resources } = await opened({ bad: bad("liar") });
    const found = await resources.findResources("");
    assert.deepEqual(
      found.map(({ uri, name }) => [uri, name]),
      [
        ["note://1", "First"],
        ["note://2", "red line"],
      ],
    );
    assert.ok((found[1]?.description.length ?? 0) <= 200);
    assert.equal(found[1]?.type === "resource" && found[1].bytes, undefined);
  });

  it("T18 lists are kept until the server says that they have changed", async () => {
    const { running, resources } = await opened({ bad: bad("changing") });
    assert.deepEqual(names(await resources.findResources("")), ["Listed 1"]);
    assert.deepEqual(names(await resources.findResources("listed")), ["Listed 1"]);
    await call(running, "mcp__bad__change");
    assert.deepEqual(names(await resources.findResources("")), ["Listed 2"]);
  });

  it("T18 a server that hangs, refuses, is gone or says nothing gives a sentence, and hides no other", async () => {
    const { resources } = await opened(
      { hang: bad("hang-list"), read: bad("hang"), no: bad("refuses"), empty: bad("empty"), odd: bad("malformed") },
      { list: 200, read: 200 },
    );
    const found = await resources.findResources("");
    assert.deepEqual(
      found.map(({ server }) => server),
      ["read", "empty", "odd"],
    );
    const read = (name: string) => resources.readResource(name, "x://1", signal);
    await assert.rejects(read("read"), refusal(/server read did not answer within 0 s/));
    await assert.rejects(read("no"), refusal(/server no refused: Not today\./));
    await assert.rejects(read("empty"), refusal(/is not attached\. It is empty/));
    await assert.rejects(read("odd"), refusal(/is malformed/));
    await assert.rejects(read("gone"), refusal(/no MCP server gone any more/));
  });

  it("T18 Stop cancels the request at once", async () => {
    const running = run({});
    const file = path.join(running.folder, "told");
    running.configure({ hang: bad("hang", file) });
    await running.servers.ready(signal);
    const stop = new AbortController();
    const reason = new Error("stopped");
    const told = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
    const asked = new ServerResources(running.servers).readResource("hang", "x://1", stop.signal);
    void until(() => told() === "read").then(() => stop.abort(reason));
    await assert.rejects(asked, reason);
    await until(() => told() === "readcancelled");
  });
});
