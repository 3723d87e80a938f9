/** HTTP status codes for the reasons to reject a prompt (spec P3). */
const statuses = {
  "agent-not-found": 404,
  "agent-invalid": 400,
  "prompt-invalid": 400,
  "session-terminated": 410,
  "session-locked": 503,
  "queue-full": 429,
} as const;

export type IntakeCode = keyof typeof statuses;

export class IntakeError extends Error {
  override readonly name = "IntakeError";
  readonly code: IntakeCode;
  readonly status: number;

  constructor(code: IntakeCode, message: string) {
    super(message);
    this.code = code;
    this.status = statuses[code];
  }
}
