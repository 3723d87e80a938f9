/** The script of the tour. The next reply depends only on the conversation so far. */
import { resultText, type TourReply, type WireMessage } from "./wire.ts";

const test = "test/cart.test.js";
const source = "src/cart.js";
const wrong = `  let sum = 0;
  for (const line of cart) {
    sum += Math.round(line.cents * line.quantity * (1 - rate));
  }
  return sum;`;
const right = "  return Math.round(subtotal(cart) * (1 - rate));";
/** Matches one line of `wrong`, with or without a line number. */
const mistake = "sum += Math.round(line.cents * line.quantity * (1 - rate));";

const connect = `To work with a real model, do one of these:

- run **Rondo: Set API Key…** from the Command Palette, or
- set \`ANTHROPIC_API_KEY\` or \`OPENAI_API_KEY\` in the environment and start again, or
- start [Ollama](https://ollama.com) on this machine and start again.`;

const goodbye = `That was a scripted tour: no model wrote these answers. The rest was real: Rondo read the files, asked you, made the edit and ran the command. **Restore to here…** at your message takes it all back, if you like.

${connect}`;

/** A call of the script and its result. */
interface Done {
  name: string;
  output: string;
  failed: boolean;
}

/** Returns the next reply. The script ends with the second prompt. */
export function nextReply(messages: readonly WireMessage[]): TourReply {
  const answered = messages.findIndex((message) => message.role === "assistant");
  const again = messages.some((message, at) => at > answered && isPrompt(message));
  if (answered >= 0 && again)
    return { text: `This is a scripted tour, so I cannot answer that. ${connect}`, calls: [] };
  const done = callsSoFar(messages);
  const reads = done.filter((call) => call.name === "read");
  const [before, after] = done.filter((call) => call.name === "bash");
  const edit = done.find((call) => call.name === "edit");
  if (reads.length === 0) return start;
  if (edit && after) return finish(after, done.at(-1)?.name === "todo_write");
  if (edit) return afterEdit(edit);
  if (before) return explain(before);
  return afterReading(reads);
}

function callsSoFar(messages: readonly WireMessage[]): Done[] {
  const blocks = messages.flatMap((message) => message.content);
  const names = new Map(blocks.map((block) => (block.type === "tool_use" ? [block.id, block.name] : ["", ""])));
  return blocks.filter(isResult).map((result) => ({
    name: names.get(result.tool_use_id) ?? "",
    output: resultText(result.content),
    failed: result.is_error,
  }));
}

type Block = WireMessage["content"][number];
const isResult = (block: Block): block is Block & { type: "tool_result" } => block.type === "tool_result";

const isPrompt = (message: WireMessage) => message.role === "user" && !message.content.some(isResult);

const steps = ["Read the test and what it tests", "See it fail", "Fix the code", "See it pass"];

/** Returns the to-do list with the first `done` steps completed. */
function toDo(done: number) {
  const statusAt = (at: number) => (at === done ? "in_progress" : "pending");
  const todos = steps.map((content, at) => ({ content, status: at < done ? "completed" : statusAt(at) }));
  return { name: "todo_write", input: { todos } };
}

const runTests = (description: string) => ({ name: "bash", input: { command: "npm test", description } });

const start: TourReply = {
  text: "This is a scripted tour of Rondo, no model answers here. I look for the failing test, starting with the test file and the code it tests.",
  calls: [toDo(0), { name: "read", input: { file_path: test } }, { name: "read", input: { file_path: source } }],
};

function afterReading(reads: Done[]): TourReply {
  const broken = reads.find((call) => call.failed);
  const where = "The tour plays in the sample workspace that `npm start` opens.";
  if (broken) return stop(`I could not read what I need: ${quote(broken)}\n\n${where}`);
  const other = `\`${source}\` differs from the tour's sample: the mistake may already be fixed.`;
  if (!reads.some((call) => call.output.includes(mistake))) return stop(`${other} \`npm start\` opens a fresh copy.`);
  return {
    text: "Two files, and a suspicion already. I run the tests to see it fail.",
    calls: [toDo(1), runTests("Run the tests")],
  };
}

function explain(run: Done): TourReply {
  const seen = run.output.includes("906")
    ? "The test *rounds once, at the end* fails: it expects 905 and gets 906."
    : `I did not see the test fail (${quote(run)}), so I go by the code.`;
  return {
    text: `${seen}

\`total()\` rounds **every line** and adds up what it rounded. Three lines of 301.5 cents become 3 × 302 = 906, but 904.5 rounded once is 905. The test is right, the code is not:

\`\`\`js
sum += Math.round(line.cents * line.quantity * (1 - rate)); // rounds too early
\`\`\`

So I take the discount off the subtotal, and round that once. You see the change before it is made.`,
    calls: [toDo(2), { name: "edit", input: { file_path: source, old_string: wrong, new_string: right } }],
  };
}

function afterEdit(edit: Done): TourReply {
  const still = "The test still fails, and that is fine.";
  if (edit.failed) return stop(`The edit was not made, and nothing has changed: ${quote(edit)}\n\n${still}`);
  return {
    text: "The edit is made. You find it in the editor, with **Accept** and **Reject** at the changed lines. Now the tests again.",
    calls: [toDo(3), runTests("Run the tests again")],
  };
}

function finish(run: Done, isTold: boolean): TourReply {
  if (/fail 0\b/.test(run.output)) {
    const end = "All tests pass: `total()` now rounds once, at the end. Accept the change in the editor, or reject it.";
    return isTold ? stop(end) : { text: "They pass.", calls: [toDo(steps.length)] };
  }
  if (/fail [1-9]/.test(run.output)) return stop("A test still fails, which this script did not expect.");
  return stop(`The edit is made, but I did not see the tests pass: ${quote(run)}`);
}

const stop = (text: string): TourReply => ({ text: `${text}\n\n${goodbye}`, calls: [] });

/** Quotes the first non-empty line of a result. */
function quote(call: Done): string {
  const line = call.output.split("\n").find((each) => /\w/.test(each)) ?? "it said nothing";
  return `“${line.trim().slice(0, 200)}”`;
}
