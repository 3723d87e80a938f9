import assert from "node:assert/strict";
import type { Answer } from "../model-server.ts";
import { calls, messages, places, says } from "./headless-run.ts";

const run = (command: string) => calls("bash", { command });

describe("headless run: permissions", () => {
  const open = places();

  it("T7 nobody can answer: calls that would ask are denied, reported to the model and listed in the result", async () => {
    const place = await open([run("touch made.txt"), says("I may not.")]);
    const { code, stdout } = await place.run(["--output-format", "json", "Go"]);
    assert.equal(code, 0);
    assert.throws(() => place.read("made.txt"));
    assert.ok(place.server.requests[1]?.raw.includes("Nobody can answer"));
    assert.partialDeepStrictEqual(messages(stdout)[0], {
      permission_denials: [{ tool_name: "bash", tool_input: { command: "touch made.txt" } }],
    });
  });

  it("--permission-mode, --allowed-tools and --rules", async () => {
    const script = (): Answer[] => [
      [
        { call: { name: "write", input: { file_path: "a.txt", content: "a" } } },
        { call: { name: "bash", input: { command: "touch b.txt" } } },
      ],
      says("Done."),
    ];
    const made = async (args: string[], rules?: object[]) => {
      const place = await open(script());
      const file = rules ? ["--rules", place.write("rules.json", JSON.stringify(rules))] : [];
      assert.equal((await place.run([...args, ...file, "Go"])).code, 0);
      return ["a.txt", "b.txt"].map((name) => {
        try {
          place.read(name);
          return true;
        } catch {
          return false;
        }
      });
    };
    const allow = { permission: "bash", pattern: "touch *", action: "allow" };
    const deny = { permission: "*", pattern: "*", action: "deny" };
    const results = await Promise.all([
      made(["--permission-mode", "acceptEdits"]),
      made(["--allowed-tools", "bash"]),
      made([], [allow]),
      made(["--permission-mode", "bypassPermissions"], [deny, allow]),
      made(["--permission-mode", "bypassPermissions", "--disallowed-tools", "bash"]),
    ]);
    assert.deepEqual(results, [
      [true, false],
      [false, true],
      [false, true],
      [false, true],
      [true, false],
    ]);
  });

  it("--untrusted: reading works in all modes, writing and running in none", async () => {
    const place = await open([
      [{ call: { name: "read", input: { file_path: "a.txt" } } }, { call: { name: "bash", input: { command: "ls" } } }],
      says("Done."),
    ]);
    place.write("a.txt", "in the file");
    await place.run(["--untrusted", "--permission-mode", "bypassPermissions", "Go"]);
    const sent = place.server.requests[1]?.raw ?? "";
    assert.ok(sent.includes("in the file"));
    assert.ok(sent.includes("not trusted"));
  });

  it("--explain prints the permission card's text for each call, in order, and runs nothing", async () => {
    const place = await open([]);
    place.write("a.txt", "x");
    const rules = place.write(
      "rules.json",
      JSON.stringify([{ permission: "bash", pattern: "npm test *", action: "allow" }]),
    );
    const input = [
      { tool: "read", input: { file_path: "a.txt" } },
      { tool: "bash", input: { command: "npm test && touch made.txt" } },
      { tool: "read", input: { file_path: "/etc/hostname" } },
      { tool: "write", input: { file_path: ".vscode/settings.json", content: "{}" } },
      { tool: "bash", input: { command: "echo $(date)" } },
      { tool: "nothing", input: {} },
      { tool: "edit", input: {} },
    ];
    const { code, stdout } = await place.run(["--explain", "--rules", rules], {
      input: `${input.map((one) => JSON.stringify(one)).join("\n")}\n`,
    });
    assert.equal(code, 0);
    const [first, second, third, fourth, fifth, ...rest] = messages(stdout);
    const npmTest = { permission: "bash", pattern: "npm test *", action: "allow" };
    assert.partialDeepStrictEqual(first, { decision: "allow", paths: [{ path: "a.txt", inside: true }], always: [] });
    assert.partialDeepStrictEqual(second, {
      decision: "ask",
      parts: [
        { text: "npm test", decision: "allow", rule: npmTest },
        { text: "touch made.txt", decision: "ask" },
      ],
      always: [{ permission: "bash", pattern: "touch *", action: "allow" }],
    });
    assert.partialDeepStrictEqual(third, {
      decision: "ask",
      paths: [{ decision: "allow" }, { path: "/etc/hostname", inside: false, decision: "ask" }],
      always: [{ permission: "external_directory", pattern: "/etc/**" }],
    });
    assert.partialDeepStrictEqual(fourth, { decision: "ask", always: [] });
    const date = { text: "date", decision: "ask" };
    assert.partialDeepStrictEqual(fifth, { decision: "ask", parts: [date, { text: "echo $(date)" }], paths: [] });
    assert.deepEqual(
      rest.map(({ decision }) => decision),
      ["deny", "deny"],
    );
    assert.equal(place.server.requests.length, 0);
    assert.throws(() => place.read("made.txt"));
  });

  it("--explain judges a thousand commands at once, by the same rules as a run", async () => {
    const place = await open([]);
    place.write(".env", "KEY=x");
    const rules = place.write("rules.json", JSON.stringify([{ permission: "bash", pattern: "*", action: "allow" }]));
    const kinds: [command: string, decision: string, outside?: string][] = [
      ["ls && cat a.txt", "allow"],
      ["echo x > .git/hooks/pre-commit", "ask"],
      ["cat .env", "ask"],
      ["cat /etc/hostname", "ask", "/etc/hostname"],
      ["timeout 5 rm a.txt", "allow"],
    ];
    const lines = Array.from({ length: 1000 }, (_, index) => kinds[index % kinds.length]?.[0] ?? "");
    const input = lines.map((command) => `${JSON.stringify({ tool: "bash", input: { command } })}\n`).join("");
    const { code, stdout } = await place.run(["--explain", "--rules", rules], { input });
    assert.equal(code, 0);
    const judged = messages(stdout);
    assert.equal(judged.length, 1000);
    for (const [index, [command, decision, outside]] of kinds.entries()) {
      assert.equal(judged[995 + index]?.["decision"], decision, command);
      const paths = outside === undefined ? [] : [{ path: outside, inside: false, decision: "ask" }];
      if (outside !== undefined) assert.deepEqual(judged[995 + index]?.["paths"], paths);
    }
  });
});
