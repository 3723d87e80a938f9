/** Servers that are only called compatible: nothing tells their rules but the model's name, or not even that. */
import assert from "node:assert/strict";
import { chatProviders } from "./chat-providers.ts";
import type { StrictBody } from "./chat-rules.ts";
import { asCompatible, compatibleProviders } from "./compatible-providers.ts";
import { type Stage, stories } from "./stories.ts";
import { type StrictProvider, StrictServer } from "./strict-server.ts";

/** The stories that differ most; all with RONDO_STRICT_ALL. */
const played = ["an image read", "pruning", "a changed model and back"];
const isPlayed = (title: string) => process.env["RONDO_STRICT_ALL"] !== undefined || played.includes(title);

type Provider = StrictProvider<StrictBody>;

/** Plays the stories between two servers; `check` sees what they refused. */
function plays(providers: readonly Provider[], check: (server: StrictServer) => void) {
  for (const [at, provider] of providers.entries()) {
    const next = providers[(at + 1) % providers.length] ?? provider;
    describe(`${provider.model}`, () => {
      let stage: Stage;
      before(async () => {
        const [server, other] = [await StrictServer.start(provider), await StrictServer.start(next)];
        stage = { server: server as StrictServer, other: other as StrictServer }; // bodies are checked by their rules
      });
      after(async () => {
        await Promise.all([stage.server.stop(), stage.other.stop()]);
      });
      for (const [name, story] of Object.entries(stories).filter(([title]) => isPlayed(title))) {
        it(`E4 I8 ${name}`, async () => {
          stage.other.play();
          await story(stage);
          check(stage.server);
          check(stage.other);
        });
      }
    });
  }
}

describe("compatible servers by the model's name", () => {
  const providers = compatibleProviders.map(([make, model]) => asCompatible(make(), model));
  plays(providers, ({ refusals, provider }) => {
    assert.deepEqual(refusals, [], `${provider.model} refused a request`);
  });
});

describe("compatible servers whose model has a name that tells nothing", () => {
  const makers = new Set([...chatProviders, ...compatibleProviders.map(([make]) => make)]);
  const providers = [...makers].map((make, at) => asCompatible(make(), `house-${at}`));
  const learned = new Map<StrictServer, Set<string>>();
  plays(providers, (server) => {
    const known = learned.get(server) ?? new Set();
    learned.set(server, known);
    for (const { words, source } of server.refusals) {
      const shape = words.replaceAll(/\d+/g, "");
      assert.ok(!known.has(shape), `${server.provider.model}: again, ${words} (${source})`);
      known.add(shape);
    }
  });
});
