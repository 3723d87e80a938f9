/** Servers of the Responses API by their published rules: no request of these stories is refused. */
import assert from "node:assert/strict";
import { deepseek } from "./deepseek.ts";
import { mistral } from "./mistral.ts";
import { openaiResponses } from "./openai.ts";
import { responsesProviders } from "./responses-providers.ts";
import { playStory, stories } from "./stories.ts";
import { StrictServer } from "./strict-server.ts";
import { xaiResponses } from "./xai.ts";

/** Those that a conversation changes to and comes back from. */
const others: (() => Promise<StrictServer>)[] = [
  () => StrictServer.start(openaiResponses("gpt-5.1")),
  () => StrictServer.start(xaiResponses("grok-4.5")),
  () => StrictServer.start(deepseek),
  () => StrictServer.start(mistral),
];
describe("strict servers of the Responses API", () => {
  for (const [at, makeProvider] of responsesProviders.entries()) {
    const provider = makeProvider();
    const startOther = others[at % others.length] ?? assert.fail();
    describe(`${provider.providerID} (${provider.model})`, () => {
      let server: StrictServer;
      let other: StrictServer;
      before(async () => {
        server = await StrictServer.start(provider);
        other = await startOther();
      });
      after(async () => {
        await Promise.all([server.stop(), other.stop()]);
      });
      for (const [name, story] of Object.entries(stories)) {
        it(`E4 I8 ${name}`, async () => {
          await playStory({ server, other }, story);
          if ("dropped" in provider) assert.deepEqual(provider.dropped, [], "thoughts were left out");
        });
      }
    });
  }
});
