/** Resources of MCP servers, as "@" needs them. */
import type { Attachment } from "../../chat/prompt-input.ts";

export interface ListedResource {
  server: string;
  uri: string;
  name: string;
}

export interface Resources {
  /** Names of the running servers that have resources. */
  readonly servers: readonly string[];
  list(): Promise<readonly ListedResource[]>;
  /** @throws Error if the server does not give it */
  read(server: string, uri: string): Promise<Attachment[]>;
}

/** Until servers tell theirs. */
export const noResources: Resources = { servers: [], list: async () => [], read: async () => [] };
