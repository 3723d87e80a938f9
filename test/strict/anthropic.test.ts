/** Anthropic's models by their published rules: no request is refused, and no thought would be dropped. */
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { messagesStories } from "./messages-stories.ts";
import { playStory } from "./stories.ts";
import { StrictServer } from "./strict-server.ts";

describe("strict servers of the Messages API", () => {
  for (const [at, row] of messagesRows.entries()) {
    const next = messagesRows[(at + 1) % messagesRows.length] ?? row;
    describe(row.model, () => {
      let server: StrictServer;
      let other: StrictServer;
      before(async () => {
        server = (await StrictServer.start(anthropicProvider(row))) as StrictServer; // bodies are only shown here
        other = (await StrictServer.start(anthropicProvider(next))) as StrictServer;
      });
      after(async () => {
        await Promise.all([server.stop(), other.stop()]);
      });
      for (const [name, story] of Object.entries(messagesStories)) {
        it(`E3 I8 C7 ${name}`, () => playStory({ server, other }, story));
      }
    });
  }
});
