/** The model of an end-to-end test: its answers are set by the test, and its address stays over stops and starts. */
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";

const nothingToSay: Answer = { status: 400, body: { error: { message: "the model has nothing to say" } } };

export class ScriptedModel {
  /** Answers to the next requests that offer tools. */
  answers: Answer[] = [];
  /** As `answers`, by the model's id. */
  readonly answersOf = new Map<string, Answer[]>();
  title: string | undefined;
  /** Answer to requests without tools. */
  brief: Answer | undefined;
  /** Requests that offered tools. */
  requests: ReceivedRequest[] = [];
  #server: ModelServer | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = await startModelServer((request) => this.#answer(request), this.#port);
    this.#port = Number(new URL(this.#server.url).port);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Forgets what it was to answer and what it was asked. */
  reset(): void {
    this.answers = [];
    this.answersOf.clear();
    this.title = undefined;
    this.brief = undefined;
    this.requests = [];
  }

  #answer(request: ReceivedRequest): Answer {
    const { tools } = request.body;
    if (!Array.isArray(tools) || tools.length === 0)
      return this.brief ?? (this.title ? [{ text: this.title }] : nothingToSay);
    this.requests.push(request);
    const answers = this.answersOf.get(String(request.body["model"])) ?? this.answers;
    return answers.shift() ?? nothingToSay;
  }
}
