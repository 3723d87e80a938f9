/** Which addresses are the public internet's: everything else is this machine, its network or a cloud's inside. */
import ipaddr from "ipaddr.js";
import { ToolError } from "../tool.ts";

/** All that is handed out to the public of IPv6. What is outside embeds IPv4 addresses, or leads nowhere. */
const publicIPv6 = ipaddr.parseCIDR("2000::/3");

/** Azure answers machines with their secrets there, though the address is a public one. */
const metadata = new Set(["168.63.129.16"]);

/** `address` is an IPv4 or IPv6 address; anything else is not public. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // "127.1" and the like mean different things to different readers.
  if (!address.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(publicIPv6) : !metadata.has(parsed.toString());
}

/** Names that mean this machine or its network, whatever a resolver says of them. */
const innerName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** Longest address that is asked for: what a model could send away in it stays small enough to be read on a card. */
const maxAddressLength = 2_000;

/**
 * The address as it is fetched: http or https, without a fragment.
 * @throws ToolError when it is none, or cannot be public whatever its name resolves to
 */
export function publicURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ToolError(`"${text.slice(0, 200)}" is not an address. It begins with https://.`);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ToolError(`Only http and https are fetched, not ${url.protocol.slice(0, -1)}.`);
  }
  if (url.username !== "" || url.password !== "") throw new ToolError("Addresses with a user name are not fetched.");
  if (url.href.length > maxAddressLength)
    throw new ToolError(`The address has more than ${maxAddressLength} characters.`);
  const host = hostOf(url);
  const isAddress = ipaddr.isValid(host);
  if (isAddress ? !isPublicAddress(host) : !host.includes(".") || innerName.test(host)) throw notPublic(host);
  url.hash = "";
  return url;
}

/** Its host without brackets and final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

export function notPublic(host: string): ToolError {
  return new ToolError(
    `${host} is not on the public internet, so it is not fetched. What runs on this machine can be reached by a command.`,
  );
}
