/** A minimal loop that Rondo is measured against: fetch, parse the events, read the file, append a line. */
// @ts-nocheck: plain JavaScript on purpose; stripping types would count as part of its start.
import { appendFileSync, readFileSync } from "node:fs";

const [base = "", folder = "", record = "", prompt = ""] = process.argv.slice(2);
const schema = { type: "object", properties: { file_path: { type: "string" } } };
const tools = [{ name: "read", description: "Reads a file.", input_schema: schema }];
const messages = [{ role: "user", content: prompt }];
for (;;) {
  const response = await fetch(`${base}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "bench", max_tokens: 1000, stream: true, tools, messages }),
  });
  const blocks = [];
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const event = JSON.parse(line.slice(6));
      const block = blocks[event.index];
      if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
      else if (block && event.delta?.type === "text_delta") block.text += event.delta.text;
      else if (block && event.delta?.type === "input_json_delta") block.json += event.delta.partial_json;
    }
  }
  const content = blocks.map(({ json, ...block }) => ({ ...block, ...(json && { input: JSON.parse(json) }) }));
  messages.push({ role: "assistant", content });
  appendFileSync(record, `${JSON.stringify(messages.at(-1))}\n`);
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map((call) => {
    return {
      type: "tool_result",
      tool_use_id: call.id,
      content: readFileSync(`${folder}/${call.input.file_path}`, "utf8"),
    };
  });
  messages.push({ role: "user", content: results });
  appendFileSync(record, `${JSON.stringify(messages.at(-1))}\n`);
}
