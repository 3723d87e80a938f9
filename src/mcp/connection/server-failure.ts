/** Why a server does not run, or does not do what it is asked. */
export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  /**
   * `passing`: it may go better the next time. `lost-session`: an HTTP server has forgotten us, and did nothing.
   * `refused`: it runs, and will not do what it was asked.
   */
  readonly kind: "final" | "passing" | "sign-in" | "lost-session" | "refused";
  /** What the user can do about it: a sentence. */
  readonly next: string;

  constructor(kind: ServerFailure["kind"], message: string, next = "Look into its log.") {
    super(message);
    this.kind = kind;
    this.next = next;
  }
}

/** By name: the SDK's part is a bundle of its own, with a class of its own. */
export function isFailure(error: unknown): error is ServerFailure {
  return error instanceof Error && error.name === "ServerFailure";
}
