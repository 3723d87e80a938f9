/** The reason why a server does not run or refuses a request. */
import { msg } from "../../l10n/l10n.ts";
import { oneLine } from "./server-text.ts";

export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  /**
   * `passing`: the next try may succeed. `lost-session`: an HTTP server has lost the session and did nothing.
   * `refused`: the server runs, but rejected the request.
   */
  readonly kind: "final" | "passing" | "sign-in" | "lost-session" | "refused";
  /** A sentence about what the user can do. */
  readonly next: string;

  constructor(kind: ServerFailure["kind"], message: string, next = msg("Check its log.")) {
    super(message);
    this.kind = kind;
    this.next = next;
  }
}

/** Compares names, because the bundle with the SDK has its own copy of the class. */
export function isFailure(error: unknown): error is ServerFailure {
  return error instanceof Error && error.name === "ServerFailure";
}

export function toServerFailure(error: unknown): ServerFailure {
  if (isFailure(error)) return error;
  return new ServerFailure("passing", error instanceof Error ? oneLine(error.message, 300) : String(error), "");
}
