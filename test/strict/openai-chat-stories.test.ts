/** OpenAI's Chat Completions by its published rules, for the models whose tools it still takes. */
import { mistral } from "./mistral.ts";
import { openaiChat } from "./openai.ts";
import { openaiModels } from "./openai-models.ts";
import { playStory, stories } from "./stories.ts";
import { StrictServer } from "./strict-server.ts";

describe("strict servers of OpenAI's Chat Completions", () => {
  for (const { name } of openaiModels.filter(({ chatTools }) => chatTools !== "never")) {
    describe(name, () => {
      let server: StrictServer;
      let other: StrictServer;
      before(async () => {
        server = await StrictServer.start(openaiChat(name));
        other = await StrictServer.start(mistral);
      });
      after(async () => {
        await Promise.all([server.stop(), other.stop()]);
      });
      for (const [title, story] of Object.entries(stories)) {
        it(`E4 I8 ${title}`, () => playStory({ server, other }, story));
      }
    });
  }
});
