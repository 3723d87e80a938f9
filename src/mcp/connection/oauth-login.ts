/** Signing in to an HTTP server: OAuth with PKCE, in the user's browser. What is won by it is kept per address of a server. */
import { randomBytes } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { mayAsk } from "./http-fetch.ts";
import { ServerFailure } from "./server-failure.ts";
import { oneLine } from "./server-text.ts";

/** The user's browser, and a place for secrets. */
export interface LoginPlace {
  /** The address that the browser comes back to. */
  redirectUrl(): Promise<string>;
  open(url: URL): Promise<void>;
  /** What the browser comes back with for this state. Rejects on abort. */
  back(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  load(server: string): Promise<string | undefined>;
  /** Undefined takes it away. */
  save(server: string, secret: string | undefined): Promise<void>;
}

interface Kept {
  client?: OAuthClientInformationMixed;
  /** The one that `client` was registered with. */
  redirectUrl?: string;
  tokens?: OAuthTokens;
  discovery?: OAuthDiscoveryState;
}

/** A sign-in that the user wants now; without one, what is kept is used and renewed, and nothing is opened. */
export interface Attempt {
  redirectUrl: string;
  signal: AbortSignal;
}

export class Login implements OAuthClientProvider {
  readonly #server: string;
  readonly #place: LoginPlace;
  readonly #attempt: Attempt | undefined;
  readonly #state = randomBytes(32).toString("base64url");
  #verifier = "";
  #back: Promise<URLSearchParams> | undefined;

  constructor(server: string, place: LoginPlace, attempt?: Attempt) {
    this.#server = server;
    this.#place = place;
    this.#attempt = attempt;
  }

  get redirectUrl(): string {
    // Without one the SDK takes it that there is nobody; it is used in an attempt only.
    return this.#attempt?.redirectUrl ?? "http://127.0.0.1/";
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Rondo",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    return this.#state;
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { client, redirectUrl } = await this.#load();
    // Where the browser comes back to differs from window to window, and is part of the registration.
    if (this.#attempt && redirectUrl !== this.#attempt.redirectUrl) return undefined;
    if (!this.#attempt && !client) throw needed();
    return client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    const kept = await this.#load();
    await this.#save({ ...kept, client, redirectUrl: this.#attempt?.redirectUrl ?? kept.redirectUrl ?? "" });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    return (await this.#load()).tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.#save({ ...(await this.#load()), tokens });
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** The first thing that the SDK asks for: unless the user wants to sign in, or a token can be renewed, nobody is asked. */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    const { tokens, discovery } = await this.#load();
    if (this.#attempt) return this.#back ? discovery : undefined;
    if (tokens?.refresh_token === undefined) throw needed();
    return discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#save({ ...(await this.#load()), discovery });
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const { client, redirectUrl, tokens, discovery } = await this.#load();
    const all = scope === "all";
    await this.#save({
      ...(client && !all && scope !== "client" && { client, redirectUrl }),
      ...(tokens && !all && scope !== "tokens" && { tokens }),
      ...(discovery && !all && scope !== "discovery" && { discovery }),
    });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!this.#attempt) throw needed();
    if (!mayAsk(url, new URL(this.#server))) {
      throw new ServerFailure("final", `Its sign-in leads to ${url.origin}, which is not opened.`);
    }
    this.#back = this.#place.back(this.#state, this.#attempt.signal);
    // It is waited for in `code`.
    this.#back.catch(() => {});
    await this.#place.open(url);
  }

  /** The code that the browser comes back with. @throws ServerFailure when it comes back without one */
  async code(): Promise<string> {
    const answer = await this.#back;
    const code = answer?.get("code");
    const issuer = (await this.#load()).discovery?.authorizationServerMetadata?.issuer;
    const from = answer?.get("iss") ?? issuer;
    if (code && from === issuer) return code;
    const why = answer?.get("error_description") ?? answer?.get("error") ?? "its answer cannot be used";
    throw new ServerFailure("final", `The sign-in failed: ${oneLine(why, 300)}.`, "Try again.");
  }

  async #load(): Promise<Kept> {
    try {
      // Nobody else writes it.
      return JSON.parse((await this.#place.load(this.#server)) ?? "{}") as Kept;
    } catch {
      return {};
    }
  }

  async #save(kept: Kept): Promise<void> {
    await this.#place.save(this.#server, Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept));
  }
}

function needed(): ServerFailure {
  return new ServerFailure("sign-in", "It asks for a sign-in.");
}
