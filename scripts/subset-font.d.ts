/** What the build uses of a package that has no types. */
declare module "subset-font" {
  /** Returns the font with the glyphs of these characters alone. */
  export default function subsetFont(font: Buffer, text: string): Promise<Buffer>;
}
