/** Recognizes public internet addresses; all others belong to this machine, its network or a cloud. */

import ipaddr from "ipaddr.js";
import { msg } from "../../l10n/l10n.ts";
import { ToolError } from "../tool.ts";

/** All public IPv6 addresses. Others embed IPv4 addresses or lead nowhere. */
const publicIPv6 = ipaddr.parseCIDR("2000::/3");

/** Azure's metadata service reveals secrets at this public address. */
const metadata = new Set(["168.63.129.16"]);

/** `address` is an IPv4 or IPv6 address; anything else is not public. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // Programs interpret forms like "127.1" differently.
  if (!address.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(publicIPv6) : !metadata.has(parsed.toString());
}

/** Names that mean this machine or its network, whatever they resolve to. */
const innerName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** Keeps addresses, in which a model could send data away, short enough to read on a permission card. */
const maxAddressLength = 2_000;

/** Drops the fragment. @throws ToolError if it is invalid or cannot be public */
export function publicURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ToolError(msg('"{0}" is not an address. It begins with https://.', text.slice(0, 200)));
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ToolError(msg("Only http and https are fetched, not {0}.", url.protocol.slice(0, -1)));
  }
  if (url.username !== "" || url.password !== "")
    throw new ToolError(msg("Addresses with a user name are not fetched."));
  if (url.href.length > maxAddressLength)
    throw new ToolError(msg("The address has more than {0} characters.", maxAddressLength));
  const host = hostOf(url);
  const isAddress = ipaddr.isValid(host);
  if (isAddress ? !isPublicAddress(host) : !host.includes(".") || innerName.test(host)) throw notPublic(host);
  url.hash = "";
  return url;
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

export function notPublic(host: string): ToolError {
  return new ToolError(
    `${host} is not on the public internet, so it is not fetched. What runs on this machine can be reached by a command.`,
    msg("{0} is not on the public internet, so it is not fetched.", host),
  );
}
