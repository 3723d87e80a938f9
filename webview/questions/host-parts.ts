/** Splits an address around its host, which is what tells whom one talks to. Pure. */

/** Returns the whole text in three parts; `host` is empty if there is none. */
export function hostParts(address: string): { before: string; host: string; after: string } {
  const host = URL.parse(address)?.host ?? "";
  // Not where it first occurs: the same text may stand before it, as a user name.
  const authority = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?/i.exec(address)?.[0] ?? "";
  if (host === "" || !address.startsWith(host, authority.length)) return { before: address, host: "", after: "" };
  return { before: authority, host, after: address.slice(authority.length + host.length) };
}
