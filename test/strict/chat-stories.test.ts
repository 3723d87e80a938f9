/** Each provider of Chat Completions by its published rules: no request of these stories is refused. */
import { chatProviders } from "./chat-providers.ts";
import { playStory, stories } from "./stories.ts";
import { StrictServer } from "./strict-server.ts";

describe("strict servers of Chat Completions", () => {
  for (const [at, makeProvider] of chatProviders.entries()) {
    const provider = makeProvider();
    const next = chatProviders[(at + 1) % chatProviders.length] ?? makeProvider;
    describe(`${provider.providerID} (${provider.model})`, () => {
      let server: StrictServer;
      let other: StrictServer;
      before(async () => {
        server = await StrictServer.start(provider);
        other = await StrictServer.start(next());
      });
      after(async () => {
        await Promise.all([server.stop(), other.stop()]);
      });
      for (const [name, story] of Object.entries(stories)) {
        it(`E4 I8 ${name}`, () => playStory({ server, other }, story));
      }
    });
  }
});
