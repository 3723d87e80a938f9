/** Ollama's own API by its published rules: no request of these stories is refused. */
import { ollamaCompatible, ollamaNative } from "./ollama.ts";
import { playStory, stories } from "./stories.ts";
import { StrictServer } from "./strict-server.ts";

describe("strict server of Ollama's /api/chat", () => {
  let server: StrictServer;
  let other: StrictServer;
  beforeEach(async () => {
    server = await StrictServer.start(ollamaNative());
    other = await StrictServer.start(ollamaCompatible);
  });
  afterEach(async () => {
    await Promise.all([server.stop(), other.stop()]);
  });
  for (const [name, story] of Object.entries(stories)) {
    it(`E4 I8 ${name}`, () => playStory({ server, other }, story));
  }
});
