/** Keeps answers about folders for `time` ms: searches and commands follow on each other. */
import type { TextSearch } from "../host.ts";

export class TtlCache<Answer> {
  readonly #time: number;
  readonly #answers = new WeakMap<TextSearch, Map<string, { until: number; answer: Answer }>>();

  constructor(time: number) {
    this.#time = time;
  }

  async of(search: TextSearch, question: string, find: () => Promise<Answer>): Promise<Answer> {
    const answers = this.#answers.get(search) ?? new Map();
    this.#answers.set(search, answers);
    const known = answers.get(question);
    if (known && known.until > Date.now()) return known.answer;
    const answer = await find();
    answers.set(question, { until: Date.now() + this.#time, answer });
    return answer;
  }
}
