/** Sign-in to an HTTP server: OAuth with PKCE in the user's browser. The tokens are stored by the server's address. */

import { randomBytes } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { msg } from "../../l10n/l10n.ts";
import { isAllowedAddress } from "./http-fetch.ts";
import { ServerFailure } from "./server-failure.ts";
import { oneLine } from "./server-text.ts";

/** Access to the user's browser and secret storage. */
export interface LoginHost {
  /** Returns the address that the browser is redirected to. */
  redirectUrl(): Promise<string>;
  open(url: URL): Promise<void>;
  /** Waits for the parameters of the redirect with this state. Rejects on abort. */
  waitForRedirect(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  load(server: string): Promise<string | undefined>;
  /** Deletes the secret if it is undefined. */
  save(server: string, secret: string | undefined): Promise<void>;
}

interface StoredLogin {
  client?: OAuthClientInformationMixed;
  /** The address that `client` was registered with. */
  redirectUrl?: string;
  tokens?: OAuthTokens;
  discovery?: OAuthDiscoveryState;
}

/** A sign-in that the user has started. Without one, stored tokens are used and renewed, and no browser opens. */
export interface SignInAttempt {
  redirectUrl: string;
  signal: AbortSignal;
}

export class OAuthLogin implements OAuthClientProvider {
  readonly #server: string;
  readonly #host: LoginHost;
  readonly #attempt: SignInAttempt | undefined;
  readonly #state = randomBytes(32).toString("base64url");
  #verifier = "";
  #redirect: Promise<URLSearchParams> | undefined;

  constructor(server: string, host: LoginHost, attempt?: SignInAttempt) {
    this.#server = server;
    this.#host = host;
    this.#attempt = attempt;
  }

  get redirectUrl(): string {
    // The SDK needs an address to attempt a sign-in at all; it is used only in an attempt.
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
    // The redirect address differs between windows and is part of the registration.
    if (this.#attempt && redirectUrl !== this.#attempt.redirectUrl) return undefined;
    if (!this.#attempt && !client) throw signInNeeded();
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

  /** Called first by the SDK. Stops it unless the user has started a sign-in or a token can be renewed. */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    const { tokens, discovery } = await this.#load();
    if (this.#attempt) return this.#redirect ? discovery : undefined;
    if (tokens?.refresh_token === undefined) throw signInNeeded();
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
    if (!this.#attempt) throw signInNeeded();
    if (!isAllowedAddress(url, new URL(this.#server))) {
      throw new ServerFailure("final", msg("Its sign-in refers to {0}, which is not allowed.", url.origin));
    }
    this.#redirect = this.#host.waitForRedirect(this.#state, this.#attempt.signal);
    // `code` awaits it and reports the error.
    this.#redirect.catch(() => {});
    await this.#host.open(url);
  }

  /** Returns the code of the redirect. @throws ServerFailure when it has none */
  async code(): Promise<string> {
    const parameters = await this.#redirect;
    const code = parameters?.get("code");
    const issuer = (await this.#load()).discovery?.authorizationServerMetadata?.issuer;
    const from = parameters?.get("iss") ?? issuer;
    if (code && from === issuer) return code;
    const why = parameters?.get("error_description") ?? parameters?.get("error") ?? msg("its answer is invalid");
    throw new ServerFailure("final", msg("The sign-in failed: {0}.", oneLine(why, 300)), msg("Try again."));
  }

  async #load(): Promise<StoredLogin> {
    try {
      // Only `#save` writes it.
      return JSON.parse((await this.#host.load(this.#server)) ?? "{}") as StoredLogin;
    } catch {
      return {};
    }
  }

  async #save(kept: StoredLogin): Promise<void> {
    await this.#host.save(this.#server, Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept));
  }
}

function signInNeeded(): ServerFailure {
  return new ServerFailure("sign-in", msg("It requires a sign-in."));
}
