/** The worker that turns TeX into MathML. */
import katex from "katex";
import { msg } from "../../src/l10n/l10n.ts";
import { JobError, serve } from "./jobs.ts";

export interface MathsInput {
  tex: string;
  display: boolean;
}

/** A macro that doubles itself would go on for ever. */
const maxExpand = 500;
/** In em: nothing in a formula is larger than the panel. */
const maxSizeEm = 20;
/** More elements than a formula that somebody can read. */
const maxCharacters = 200_000;
/** KaTeX writes the names of commands that are not trusted in this colour (`formatUnsupportedCmd`). */
const untrustedColour = "#010203";

/** Returns MathML without styles: https://katex.org/docs/options.html */
function mathML({ tex, display }: MathsInput): string {
  const html = katex.renderToString(tex, {
    output: "mathml",
    displayMode: display,
    throwOnError: true,
    errorColor: untrustedColour,
    trust: false,
    strict: "ignore",
    maxExpand,
    maxSize: maxSizeEm,
  });
  if (html.includes(untrustedColour)) {
    throw new JobError(msg("Links, pictures and styles are not allowed in formulas."));
  }
  if (html.length > maxCharacters) throw new JobError(msg("It is too large."));
  return html;
}

/** KaTeX's own sentence: "KaTeX parse error: Undefined control sequence: \foo at position 1: …". */
function reason(error: unknown): string {
  if (!(error instanceof katex.ParseError)) return msg("It is too deep.");
  const words = error.message.replace(/^KaTeX parse error: /, "").replace(/ at (?:position \d+|end of input):.*$/s, "");
  return words.length > 100 ? msg("It is not valid TeX.") : `${words}.`;
}

serve(mathML, reason);
