/**
 * `npm run prompt`: prints the first request of a conversation to each provider, exactly as it is sent, with its size.
 * `npm run prompt -- gemini` prints that of one provider; `npm run prompt -- openai gpt-5.4`, of one model.
 * `npm run prompt -- --sizes` prints the sizes alone. No provider is asked.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { providerIDs } from "../src/providers/providers.ts";
import { firstRequest } from "../test/wire/first-request.ts";

const { values, positionals } = parseArgs({
  options: { sizes: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [wanted, modelID] = positionals;
const chosen = providerIDs.filter((id) => wanted === undefined || id === wanted);
if (chosen.length === 0) {
  console.error(`There is no provider "${wanted}". There are: ${providerIDs.join(", ")}.`);
  process.exit(2);
}
for (const id of chosen) {
  const { body, url, ...asked } = await firstRequest(id, modelID);
  console.log(`${asked.providerID} ${asked.modelID}: ${Buffer.byteLength(body)} bytes to ${url}`);
  if (!values.sizes) console.log(`${body}\n`);
}
