/** Time limits of MCP servers. */

/** Times in milliseconds. */
export interface ServerTimes {
  /** Maximum time that a prompt waits for starting servers. */
  promptWait: number;
  /** Maximum time to initialize. The first start of some servers installs them. */
  start: number;
  /** Wait before a restart, doubled each time. */
  backoff: number;
  /** Maximum time to answer a ping after a call has timed out. */
  ping: number;
  /** Maximum time for the user to sign in. */
  login: number;
  /** Wait before the tools are listed again, because changes often follow each other. */
  refreshDelay: number;
}

export const defaultTimesMs: ServerTimes = {
  promptWait: 10_000,
  start: 60_000,
  backoff: 500,
  ping: 5_000,
  login: 300_000,
  refreshDelay: 200,
};
