/** Where an image of an answer is. */
import { parseLink } from "./link-target.ts";

type ImagePlace =
  /** In the text itself. */
  | { type: "data"; url: string }
  /** Relative to the session's folder. */
  | { type: "file"; path: string }
  /** Elsewhere: it is not loaded. */
  | { type: "web"; host: string }
  | { type: "none" };

/** SVG is left out: it may be as slow as a program. */
const data = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]*$/i;
/** A longer one would make each update of the answer slow. */
const maxDataCharacters = 2_000_000;

export function imagePlace(href: string): ImagePlace {
  if (/^data:/i.test(href)) {
    return href.length <= maxDataCharacters && data.test(href) ? { type: "data", url: href } : { type: "none" };
  }
  const link = parseLink(href);
  if (link?.type === "file") return { type: "file", path: link.path };
  const url = link?.type === "web" && URL.canParse(link.url) ? new URL(link.url) : undefined;
  return url ? { type: "web", host: url.host || url.pathname } : { type: "none" };
}
