/** What host and first page tell each other while the rest of Rondo cannot be started. It is no part of the protocol. */

export interface StartFailure {
  type: "start-failure";
  /** A sentence for people, with the reason. */
  message: string;
}

export interface StartAgain {
  type: "start-again";
}
