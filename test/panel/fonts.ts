/** Fonts of the pictures. They come with the tests, so that every machine draws the same. */
import { readFile } from "node:fs/promises";

const folder = new URL("../../node_modules/@fontsource/", import.meta.url);

/**
 * Styles of the packages, by family. Those after the first two fill in what these lack, for example arrows; STIX Two Math
 * is the panel's own first choice for formulas.
 */
const styles = [
  ["inter", ["400", "400-italic", "500", "600", "700"]],
  ["jetbrains-mono", ["400", "400-italic", "600", "700"]],
  ["noto-sans-symbols-2", ["400"]],
  ["noto-sans-math", ["400"]],
  ["stix-two-math", ["400"]],
  ["noto-sans-arabic", ["400", "600"]],
  ["noto-sans-hebrew", ["400", "600"]],
  ["noto-emoji", ["400"]],
] as const;
const others = '"Noto Sans Symbols 2", "Noto Sans Math", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Emoji"';

/**
 * Returns a style sheet that gives the panel these fonts, and stops what moves. Font files are asked for under
 * `fonts/`.
 */
export async function fontStyles(): Promise<string> {
  const sheets = styles.flatMap(([name, weights]) =>
    weights.map(async (weight) => {
      const css = await readFile(new URL(`${name}/${weight}.css`, folder), "utf8");
      // The ranges keep a browser from loading files in vain. That of the font for formulas leaves out their signs.
      const ranged = name === "stix-two-math" ? css.replaceAll(/unicode-range:[^;]*;/g, "") : css;
      return ranged.replaceAll("./files/", `fonts/${name}/`).replaceAll("font-display: swap", "font-display: block");
    }),
  );
  const families = `* {
  animation: none !important;
  transition: none !important;
  caret-color: transparent !important;
}
:root {
  --vscode-font-family: Inter, ${others};
  --vscode-editor-font-family: "JetBrains Mono", Inter, ${others};
}`;
  return [...(await Promise.all(sheets)), families].join("\n");
}

/** Returns a file below `fonts/`. */
export function fontFile(path: string): Promise<Buffer> {
  const [, name = "", file = ""] = path.split("/");
  return readFile(new URL(`${name}/files/${file}`, folder));
}
