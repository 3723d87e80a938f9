/** An extension as others write them: it brings a model, which plays what a test has put into `answers`, and three tools. */
const vscode = require("vscode");

/**
 * @typedef {object} Asked
 * @property {readonly import("vscode").LanguageModelChatRequestMessage[]} messages
 * @property {import("vscode").ProvideLanguageModelChatResponseOptions} options
 * @property {import("vscode").CancellationToken} token
 *
 * @typedef {(asked: Asked, say: (part: import("vscode").LanguageModelResponsePart) => void) => Promise<void>} Answer
 *
 * @typedef {object} Fake
 * @property {Answer[]} answers what the model does, request by request; else it greets
 * @property {Asked[]} requests
 * @property {import("vscode").LanguageModelChatInformation[]} models
 * @property {string[]} counted texts whose tokens were counted
 * @property {(text: string) => number | Promise<number>} count
 * @property {() => void} changed tells VS Code that `models` has changed
 */

exports.activate = (/** @type {import("vscode").ExtensionContext} */ { subscriptions }) => {
  const changed = new vscode.EventEmitter();
  const model = { id: "scripted", name: "Scripted", family: "script", version: "1", maxInputTokens: 64_000 };
  /** @type {Fake} */
  const fake = {
    answers: [],
    requests: [],
    models: [{ ...model, maxOutputTokens: 8_000, capabilities: { toolCalling: true, imageInput: true } }],
    counted: [],
    count: (text) => text.length / 4,
    changed: () => changed.fire(undefined),
  };
  subscriptions.push(
    changed,
    vscode.lm.registerLanguageModelChatProvider("rondo-test", {
      onDidChangeLanguageModelChatInformation: changed.event,
      provideLanguageModelChatInformation: () => fake.models,
      async provideLanguageModelChatResponse(_, messages, options, progress, token) {
        const asked = { messages, options, token };
        fake.requests.push(asked);
        const answer = fake.answers.shift() ?? greet;
        await answer(asked, (part) => progress.report(part));
      },
      async provideTokenCount(_, given) {
        const text = typeof given === "string" ? given : JSON.stringify(given);
        fake.counted.push(text);
        return await fake.count(text);
      },
    }),
    vscode.lm.registerTool("test_echo", {
      invoke: (/** @type {{input: {text: string}}} */ { input }) => said(`You said: ${input.text}`),
    }),
    vscode.lm.registerTool("test_wait", {
      invoke: (_, token) => new Promise((resolve) => token.onCancellationRequested(() => resolve(said("stopped")))),
    }),
    vscode.lm.registerTool("test_fail", {
      invoke: () => {
        throw new Error("no luck");
      },
    }),
  );
  return fake;
};

/** @type {Answer} */
const greet = async (_, say) => say(new vscode.LanguageModelTextPart("Hello from a model of VS Code."));

const said = (/** @type {string} */ words) =>
  new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(words)]);
