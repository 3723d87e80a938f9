/** Records media/recorded.jsonl, the session of "Look around without a model": `node scripts/record-tour.mjs`. */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { exportTranscript } from "../src/loop/transfer/export.ts";
import { query } from "../src/query/query.ts";
import { Sessions } from "../src/record/sessions.ts";
import { startModelServer } from "../test/model-server.ts";
import { root } from "./version.mjs";

const prompt = "The test of cart totals fails. Find out why and fix it.";
const wrong =
  "  let sum = 0;\n  for (const line of cart) {\n    sum += Math.round(line.cents * line.quantity * (1 - rate));\n  }\n  return sum;";
const right = "  return Math.round(subtotal(cart) * (1 - rate));";
const runTests = { call: { name: "bash", input: { command: "npm test", description: "Run the tests" } } };
/** @param {number} done */
const toDo = (done) => {
  const steps = ["Read the test and what it tests", "See it fail", "Fix the code", "See it pass"];
  const todos = steps.map((content, at) => ({
    content,
    status: at < done ? "completed" : at === done ? "in_progress" : "pending",
  }));
  return { call: { name: "todo_write", input: { todos } } };
};

const server = await startModelServer((request) => {
  const { tools } = request.body;
  return Array.isArray(tools) && tools.length > 0 ? (answers.shift() ?? []) : { status: 400, body: {} };
});
const answers = [
  [
    { text: "I look at the test and the code it tests." },
    toDo(0),
    { call: { name: "read", input: { file_path: "test/cart.test.js" } } },
    { call: { name: "read", input: { file_path: "src/cart.js" } } },
  ],
  [{ text: "I run the tests to see it fail. Before a command runs, Rondo asks you." }, toDo(1), runTests],
  [
    {
      text: "The test *rounds once, at the end* expects 905 and gets 906.\n\n`total()` rounds the price of **each line**, so the errors add up: 3 × 301.5 becomes 906, but 904.5 rounded once is 905. The discount belongs to the subtotal, and one rounding at the end is enough.\n\nYou see each edit as a diff before it is made.",
    },
    toDo(2),
    { call: { name: "edit", input: { file_path: "src/cart.js", old_string: wrong, new_string: right } } },
  ],
  [{ text: "Now the tests again." }, toDo(3), runTests],
  [toDo(4)],
  [
    {
      text: "All tests pass: `total()` now rounds once, at the end.\n\nIn a session of your own the changed lines wait in the editor, each with **Accept** and **Reject**, and the message above can take everything back.\n\nThis was a recorded session: nothing was read, changed or sent on your machine. **New session**, at the top, leads back to the start.",
    },
  ],
];

const folder = await mkdtemp(path.join(tmpdir(), "rondo-recorded-"));
const state = await mkdtemp(path.join(tmpdir(), "rondo-recorded-state-"));
try {
  await cp(path.join(root, "sample"), folder, { recursive: true });
  const run = query({
    prompt,
    options: {
      cwd: folder,
      provider: "anthropic",
      baseUrl: server.url,
      model: "claude-sonnet-5-5",
      env: { ...process.env, ANTHROPIC_API_KEY: "recorded" },
      permissionMode: "bypassPermissions",
      sessionDir: state,
      settingSources: [],
    },
  });
  for await (const message of run) if (message.type === "result") console.log(message.subtype, message.num_turns);
  const sessions = new Sessions(state);
  const [newest] = sessions.list();
  if (!newest) throw new Error("Nothing was recorded.");
  const text = exportTranscript(sessions.open(newest.id).chat).replaceAll(folder, "/home/you/corner-shop");
  await writeFile(path.join(root, "media/recorded.jsonl"), text);
  console.log(`media/recorded.jsonl: ${text.length} bytes`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(state, { recursive: true, force: true });
}
