/** The command of a question, which the user may change: its text, and what the rules make of it. */
import type { CommandPreview, PermissionRequest } from "../../src/chat/requests.ts";
import { Debounce } from "../panel/debounce.ts";
import { panel } from "../panel/panel.svelte.ts";
import { send } from "../panel/vscode-api.ts";

/** In ms: looking at a command that takes longer is said. */
const slowMs = 200;

export class CommandEdit {
  text = $state<string>();
  readonly #request: () => PermissionRequest;
  readonly #first: CommandPreview;
  readonly #debounce = new Debounce();
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  #isLate = $state(false);

  /** Its marks come late where the command was still looked at. */
  readonly preview = $derived.by(() => {
    const { preview } = this.#request();
    return preview.type === "command" ? preview : this.#first;
  });
  readonly #judged = $derived.by(() =>
    panel.judged?.requestID === this.#request().id ? panel.judged.judgement : undefined,
  );
  readonly changed = $derived.by(() => this.text !== undefined && this.text !== this.preview.command);
  readonly stale = $derived.by(() => this.changed && this.#judged?.command !== this.text);
  /** Whether it is not known yet what the text does. */
  readonly unknown = $derived.by(() => (this.changed ? this.stale : this.#request().looking === true));
  readonly looking = $derived.by(() => this.unknown && (this.#isLate || !this.changed));
  /** What the last judged text does. */
  readonly #judgement = $derived.by(() => (this.changed ? this.#judged : undefined));
  readonly reasons = $derived.by(() => this.#judgement?.reasons ?? this.#request().reasons);
  readonly allowed = $derived.by(() => this.#judgement?.allowed ?? this.preview.allowed);
  /** What a rule denies of it: it cannot run. */
  readonly denied = $derived.by(() => this.#judgement?.parts.filter(({ decision }) => decision === "deny") ?? []);
  readonly possible = $derived.by(
    () => !this.changed || (this.text?.trim() !== "" && !this.stale && this.#judged?.decision !== "deny"),
  );

  constructor(request: () => PermissionRequest, preview: CommandPreview) {
    this.#request = request;
    this.#first = preview;
  }

  open(): void {
    this.text = this.preview.command;
  }

  close(): void {
    this.#debounce.cancel();
    clearTimeout(this.#slowTimer);
    this.text = undefined;
  }

  write(text: string): void {
    this.text = text;
    this.#isLate = false;
    clearTimeout(this.#slowTimer);
    if (!this.changed || text.trim() === "") {
      this.#debounce.cancel();
      return;
    }
    this.#slowTimer = setTimeout(() => (this.#isLate = true), slowMs);
    this.#debounce.run(() => send({ type: "judge", requestID: this.#request().id, command: text }));
  }
}
