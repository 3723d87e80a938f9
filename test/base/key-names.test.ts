import assert from "node:assert/strict";
import { isKeyName, keysIn } from "../../src/base/key-names.ts";
import { providers } from "../../src/providers/providers.ts";

describe("names of variables with keys", () => {
  it("every provider's key is one, in small letters, too", () => {
    for (const { keyVariable, otherKeyVariables = [] } of Object.values(providers)) {
      for (const name of [keyVariable, ...otherKeyVariables]) {
        assert.ok(isKeyName(name), name);
        assert.ok(isKeyName(name.toLowerCase()), name);
      }
    }
  });

  for (const name of [
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_WEBHOOK_SIGNING_KEY",
    "ANTHROPIC_IDENTITY_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "GOOGLE_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_KEYS",
    "OPENAI_API_KEY_DEV",
    "OPENAI_CUSTOM_HEADERS",
    "OPENAI_WEBHOOK_SECRET",
    "AZURE_OPENAI_KEY",
    "OPENROUTER_MANAGEMENT_KEY",
  ]) {
    it(`${name} is one`, () => assert.ok(isKeyName(name)));
  }

  for (const name of [
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MAX_TOKENS",
    "ANTHROPIC_MODEL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "NPM_TOKEN",
    "OPENAI_ORG_ID",
    "STRIPE_API_KEY",
  ]) {
    it(`${name} is the user's, for their commands`, () => assert.ok(!isKeyName(name)));
  }

  it("a variable that contains a key is found by its value, but not by a placeholder", () => {
    const env = {
      OPENAI_API_KEY: "sk-0123456789abcdef",
      LITELLM_CONFIG: '{"key":"sk-0123456789abcdef"}',
      OLLAMA_API_KEY: "ollama",
      MODEL_SERVER: "ollama",
      PATH: "/bin",
    };
    assert.deepEqual(keysIn(env), ["OPENAI_API_KEY", "LITELLM_CONFIG", "OLLAMA_API_KEY"]);
  });

  it("the token of an account is withheld under the provider's name, and left to git and gh under theirs", () => {
    const token = "ghp_0123456789abcdef0123";
    assert.deepEqual(keysIn({ GITHUB_MODELS_TOKEN: token, GITHUB_TOKEN: token, GH_TOKEN: token }), [
      "GITHUB_MODELS_TOKEN",
    ]);
  });
});
