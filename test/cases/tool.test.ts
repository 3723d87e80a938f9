/** Cases of `read` and `write` from the issues of other agents. */
import { collectedCases } from "./collected.ts";
import { checkCase, type ToolCase } from "./tool-cases.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+X2Z0AAAAASUVORK5CYII=";

const cases: ToolCase[] = [
  { tool: "read", title: "no path", input: { path: "" }, expect: { error: "invalid_params" } },
  {
    tool: "read",
    title: "a last line without a newline",
    setup: { files: { "s.txt": "a\nb\nc" } },
    input: { path: "s.txt" },
    expect: { total_lines: 3 },
  },
  {
    tool: "read",
    title: "a carriage return is not shown",
    setup: { files: { "s.txt": "a\r\nb\r\n" } },
    input: { path: "s.txt" },
    expect: { output_not_contains: ["\r"], total_lines: 2 },
  },
  {
    tool: "read",
    title: "a byte order mark is not shown",
    setup: { files: { "a.cs": "\ufeffusing\n" } },
    input: { path: "a.cs" },
    expect: { output_not_contains: ["\ufeff"] },
  },
  {
    tool: "read",
    title: "stops at the character limit",
    setup: { files_repeat: { "f.txt": [[`${"z".repeat(98)}\n`, 1500]] } },
    input: { path: "f.txt" },
    expect: { truncated: true, max_output_chars: 60_000 },
  },
  {
    tool: "read",
    title: "an image recognized by its bytes",
    setup: { files_b64: { "i.txt": png } },
    input: { path: "i.txt" },
    expect: { output_not_contains: ["\0"] },
  },
  {
    tool: "read",
    title: "a narrow space in the name",
    setup: { files_b64: { "at 4\u202fPM.png": png } },
    input: { path: "at 4 PM.png" },
    expect: { found_or_clear_error: true },
  },
  {
    tool: "read",
    title: "a decomposed letter in the name",
    setup: { files: { "cafe\u0301.txt": "x" } },
    input: { path: "caf\u00e9.txt" },
    expect: { found_or_clear_error: true },
  },
  {
    tool: "read",
    title: "outside",
    setup: { outside: { "s.txt": "s" } },
    input: { path: "<outside>/s.txt" },
    expect: { asks: true },
  },
  {
    tool: "read",
    title: "a link to the outside",
    setup: { outside: { "s.txt": "s" }, symlinks: { "in.txt": "<outside>/s.txt" } },
    input: { path: "in.txt" },
    expect: { asks: true },
  },
  { tool: "read", title: ".env", setup: { files: { ".env": "x" } }, input: { path: ".env" }, expect: { asks: true } },
  {
    tool: "read",
    title: ".env.local",
    setup: { files: { ".env.local": "x" } },
    input: { path: ".env.local" },
    expect: { asks: true },
  },
  {
    tool: "read",
    title: ".env.example",
    setup: { files: { ".env.example": "x" } },
    input: { path: ".env.example" },
    expect: { asks: false },
  },
  {
    tool: "read",
    title: "environment.ts",
    setup: { files: { "environment.ts": "x" } },
    input: { path: "environment.ts" },
    expect: { asks: false },
  },
  { tool: "read", title: "a device", input: { path: "/dev/zero" }, expect: { error_or_refuses: true, max_ms: 3_000 } },
  {
    tool: "read",
    title: "after Stop",
    setup: { files: { "a.txt": "x" } },
    input: { path: "a.txt", abort_before: true },
    expect: { error: "aborted" },
  },
  {
    tool: "write",
    title: "in new folders",
    input: { path: "a/b/c/f.txt", content: "nested" },
    expect: { after: { "a/b/c/f.txt": "nested" } },
  },
  {
    tool: "write",
    title: "replacing a file",
    setup: { files: { "e.txt": "old" } },
    input: { path: "e.txt", content: "new" },
    expect: { after: { "e.txt": "new" } },
  },
  {
    tool: "write",
    title: "without content",
    setup: { files: { "e.txt": "keep" } },
    input: { path: "e.txt" },
    expect: { error: "invalid_params", after: { "e.txt": "keep" } },
  },
  {
    tool: "write",
    title: "exact bytes",
    input: { path: "e.txt", content: "\ufeffa\r\nb" },
    expect: { after: { "e.txt": "\ufeffa\r\nb" } },
  },
  { tool: "write", title: "empty content", input: { path: "e.txt", content: "" }, expect: { after: { "e.txt": "" } } },
  {
    tool: "write",
    title: "onto a folder",
    setup: { files: { "d/x": "" } },
    input: { path: "d", content: "y" },
    expect: { error: "is_directory" },
  },
  {
    tool: "write",
    title: "keeps the mode",
    setup: { files: { "r.sh": "a" }, modes: { "r.sh": "0755" } },
    input: { path: "r.sh", content: "b" },
    expect: { after: { "r.sh": "b" }, mode: { "r.sh": "0755" } },
  },
];

const collected = collectedCases<ToolCase & { id: string }>("tool");

describe("T10 cases of the file tools", () => {
  for (const one of cases) it(`${one.tool}: ${one.title}`, async () => await checkCase(one));

  // Commands have their own cases.
  for (const one of collected.filter(({ tool }) => tool !== "bash")) {
    it(`${one.id} ${one.tool}: ${one.title}`, async () => await checkCase(one));
  }
});
