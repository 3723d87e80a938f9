/** Azure, Bedrock and Vertex by their published rules: no request of these stories is refused. */
import { azureDeployment, azureResponses } from "./azure.ts";
import { bedrockChat, bedrockMessages, bedrockResponses } from "./bedrock.ts";
import { messagesStories } from "./messages-stories.ts";
import { mistral } from "./mistral.ts";
import { playStory, stories } from "./stories.ts";
import { type StrictProvider, StrictServer } from "./strict-server.ts";
import { vertexGemini, vertexMessages } from "./vertex.ts";

const clouds: (() => StrictProvider<never>)[] = [
  ...["gpt-5.1", "gpt-5.6-terra", "gpt-6.2-sol"].map((model) => () => azureResponses(model)),
  ...["gpt-4.1", "gpt-5.5", "gpt-5.6-terra"].map((model) => () => azureDeployment(model)),
  ...bedrockMessages,
  () => bedrockResponses("gpt-5.6-terra"),
  () => bedrockChat,
  ...vertexMessages,
  vertexGemini,
];

describe("strict servers of clouds", () => {
  for (const makeProvider of clouds) {
    const provider = makeProvider();
    const { providerID, model, models } = provider;
    describe(`${providerID} (${models?.[model] ?? model})`, () => {
      let server: StrictServer;
      let other: StrictServer;
      before(async () => {
        server = (await StrictServer.start(provider)) as StrictServer; // bodies are only shown here
        other = (await StrictServer.start(mistral)) as StrictServer; // bodies are only shown here
      });
      after(async () => {
        await Promise.all([server.stop(), other.stop()]);
      });
      const all = /claude/.test(model) ? messagesStories : stories;
      for (const [name, story] of Object.entries(all)) {
        it(`E3 E4 I8 ${name}`, () => playStory({ server, other }, story));
      }
    });
  }
});
