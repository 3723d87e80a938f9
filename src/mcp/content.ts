/**
 * Content that a server sends for the user's message: texts and images, with limits. Its types and sizes are not trusted,
 * and what it says is data of the server, never an instruction with a permission.
 * Its texts are for the model.
 */

import type { Attachment } from "../chat/prompt-input.ts";
import { textFile } from "../chat/text-file.ts";
import { plural } from "../tools/text/text.ts";
import { visibleText } from "./connection/server-text.ts";
import { base64Bytes, imageOf, maxImages, maxTotalImageBytes } from "./tools/images.ts";

/** Characters of all texts of one prompt or resource. */
const maxTextCharacters = 200_000;

/** Collects attachments until a limit is reached. `notes`: sentences about what was cut or left out. */
export class ServerContent {
  readonly attachments: Attachment[] = [];
  readonly notes: string[] = [];
  #characters = 0;
  #images = 0;
  #imageBytes = 0;

  /** Adds the visible characters of a text; the rest is cut, and said. `name`: one visible line. */
  addText(name: string, text: string): void {
    const visible = visibleText(text).toWellFormed();
    const room = maxTextCharacters - this.#characters;
    const kept = visible.slice(0, room).toWellFormed();
    const cut = visible.length - kept.length;
    this.#characters += kept.length;
    if (cut > 0) this.notes.push(`${name} was cut: ${plural(cut, "character")} of ${visible.length} are left out.`);
    if (kept === "") return;
    const shown = cut > 0 ? `${kept}\n… (${plural(cut, "more character")} left out)` : kept;
    this.attachments.push(textFile(name, shown));
  }

  /** Adds an image; other bytes are left out, and said. */
  addBinary(name: string, base64: string): void {
    const image = imageOf(base64);
    const size = base64Bytes(base64);
    if (typeof image === "string") this.notes.push(`${name} was left out: ${image}.`);
    else if (this.#images === maxImages || this.#imageBytes + size > maxTotalImageBytes) {
      this.notes.push(`${name} was left out: there are too many images.`);
    } else {
      this.#images += 1;
      this.#imageBytes += size;
      this.attachments.push({ mime: image.mime, filename: name, url: image.url });
    }
  }
}
