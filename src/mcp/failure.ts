/** Why a server does not run. */
export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  /** `passing`: it may go better the next time. `lost-session`: an HTTP server has forgotten us, and did nothing. */
  readonly kind: "final" | "passing" | "sign-in" | "lost-session";
  /** What the user can do about it: a sentence. */
  readonly next: string;

  constructor(kind: ServerFailure["kind"], message: string, next = "Look into its log.") {
    super(message);
    this.kind = kind;
    this.next = next;
  }
}
