/** Makes elements of the MathML that the worker has sent, which is as little trusted as the formula. */
import DOMPurify, { type Config, type DOMPurify as Purifier } from "dompurify";

/** MathML Core without what runs, links or holds other markup: https://www.w3.org/TR/mathml-core/ */
const tags =
  "math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mpadded mphantom menclose mstyle";
/** No colours: a formula is read in those of the theme. No `style`, `class` and `href`. */
const attributes =
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace minsize maxsize symmetric largeop movablelimits accent accentunder linethickness width height depth voffset columnalign notation";

const config: Config = {
  ALLOWED_TAGS: [...tags.split(" "), "#text"],
  ALLOWED_ATTR: attributes.split(" "),
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  // The source, which stands beside the formula for programs.
  ADD_FORBID_CONTENTS: ["annotation"],
  RETURN_DOM_FRAGMENT: true,
};

/** One of its own: that of Markdown keeps its configuration. */
let purifier: Purifier | undefined;

/** Returns the element of a formula; undefined if there is none. */
export function mathElement(html: string): Element | undefined {
  purifier ??= DOMPurify(window);
  const fragment = purifier.sanitize(html, { ...config, RETURN_DOM_FRAGMENT: true });
  const math = fragment.querySelector("math");
  if (!math) return undefined;
  for (const letter of math.querySelectorAll("[mathvariant]")) useLetters(letter);
  for (const table of math.querySelectorAll("mtable[columnalign]")) alignColumns(table);
  return math;
}

/**
 * Where the alphabets of Unicode begin: capitals, small letters and digits (U+1D400 ff.). Browsers draw only these:
 * MathML Core has dropped all values of `mathvariant` but `normal`.
 */
const alphabets: Record<string, readonly [capital: number, small: number, digit: number]> = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  italic: [0x1d434, 0x1d44e, 0],
  "bold-italic": [0x1d468, 0x1d482, 0x1d7ce],
  script: [0x1d49c, 0x1d4b6, 0],
  "bold-script": [0x1d4d0, 0x1d4ea, 0],
  fraktur: [0x1d504, 0x1d51e, 0],
  "double-struck": [0x1d538, 0x1d552, 0x1d7d8],
  "bold-fraktur": [0x1d56c, 0x1d586, 0],
  "sans-serif": [0x1d5a0, 0x1d5ba, 0x1d7e2],
  "bold-sans-serif": [0x1d5d4, 0x1d5ee, 0x1d7ec],
  "sans-serif-italic": [0x1d608, 0x1d622, 0x1d7e2],
  "sans-serif-bold-italic": [0x1d63c, 0x1d656, 0x1d7ec],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
};

/** Letters that Unicode had before these alphabets, by the place that was left free for them. */
const older: Record<number, string> = {
  ...{ 119893: "ℎ", 119965: "ℬ", 119968: "ℰ", 119969: "ℱ", 119971: "ℋ", 119972: "ℐ", 119975: "ℒ" },
  ...{ 119976: "ℳ", 119981: "ℛ", 119994: "ℯ", 119996: "ℊ", 120004: "ℴ", 120070: "ℭ", 120075: "ℌ" },
  ...{ 120076: "ℑ", 120085: "ℜ", 120093: "ℨ", 120122: "ℂ", 120127: "ℍ", 120133: "ℕ", 120135: "ℙ" },
  ...{ 120136: "ℚ", 120137: "ℝ", 120145: "ℤ" },
};

/** Small and capital Greek letters in bold and bold italic. */
const greek: Record<string, readonly [capital: number, small: number]> = {
  bold: [0x1d6a8, 0x1d6c2],
  "bold-italic": [0x1d71c, 0x1d736],
};

function useLetters(element: Element): void {
  const variant = element.getAttribute("mathvariant") ?? "";
  if (variant === "normal") return;
  element.removeAttribute("mathvariant");
  if (element.childElementCount > 0) return;
  const text = [...(element.textContent ?? "")].map((letter) => inAlphabet(letter, variant)).join("");
  element.textContent = text;
  // One letter alone would be set in italics again.
  if (element.localName === "mi") element.setAttribute("mathvariant", "normal");
}

function inAlphabet(letter: string, variant: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const [capital = 0, small = 0, digit = 0] = alphabets[variant] ?? [];
  const [greekCapital = 0, greekSmall = 0] = greek[variant] ?? [];
  const from = (start: number, first: number) => (start === 0 ? code : start + code - first);
  let to = code;
  if (/^[A-Z]$/.test(letter)) to = from(capital, 0x41);
  else if (/^[a-z]$/.test(letter)) to = from(small, 0x61);
  else if (/^[0-9]$/.test(letter)) to = from(digit, 0x30);
  else if (/^[Α-Ω]$/.test(letter)) to = from(greekCapital, 0x391);
  else if (/^[α-ω]$/.test(letter)) to = from(greekSmall, 0x3b1);
  return older[to] ?? String.fromCodePoint(to);
}

/** Browsers know the side of a column by a style only; the style sheet has classes for it. */
function alignColumns(table: Element): void {
  const sides = (table.getAttribute("columnalign") ?? "").split(" ");
  for (const row of table.children) {
    [...row.children].forEach((cell, at) => {
      const side = sides[Math.min(at, sides.length - 1)];
      if (side === "left" || side === "right") cell.setAttribute("class", side);
    });
  }
}
