/** Shows images in answers: of the workspace, which the host reads, and those that are in the text itself. */
import { imageSize } from "../../src/base/image-size.ts";
import type { AnswerImage } from "../../src/chat/protocol.ts";
import { t } from "../../src/l10n/l10n.ts";
import { send } from "../panel/vscode-api.ts";
import { imagePlace } from "./image-place.ts";

/** An image may have changed: after this time it is read again when it is drawn. */
const knownForMs = 10_000;
/** Further images of one answer stay as their words. */
const maxImages = 50;
/** Further images are not kept, but read again. */
const maxKept = 50;

class AnswerImages {
  #known = $state.raw<ReadonlyMap<string, AnswerImage>>(new Map());
  readonly #askedAt = new Map<string, number>();

  /** Call this in an effect: draws the images of an answer that are there, and asks the host for the others. */
  show(root: HTMLElement): void {
    for (const element of [...root.querySelectorAll<HTMLElement>(".Picture")].slice(0, maxImages)) {
      if (element.classList.contains("shown")) continue;
      const place = imagePlace(element.dataset["image"] ?? "");
      const image =
        place.type === "data" ? inText(place.url) : place.type === "file" ? this.#image(place.path) : undefined;
      if (image) draw(element, image);
    }
  }

  /** Takes the host's answer. */
  take(path: string, image: AnswerImage): void {
    const others = [...this.#known].filter(([other]) => other !== path).slice(-maxKept);
    this.#known = new Map([...others, [path, image]]);
  }

  #image(path: string): AnswerImage | undefined {
    const now = Date.now();
    if (now - (this.#askedAt.get(path) ?? Number.NEGATIVE_INFINITY) >= knownForMs) {
      this.#askedAt.set(path, now);
      send({ type: "load-image", path });
    }
    return this.#known.get(path);
  }
}

export const answerImages = new AnswerImages();

function inText(url: string): AnswerImage {
  const size = sizeOf(url);
  if (size === undefined) return { type: "failed", why: t("It is damaged.|image") };
  return size === "too-large" ? { type: "failed", why: t("It is too large.|image") } : { type: "shown", url };
}

function sizeOf(url: string): ReturnType<typeof imageSize> {
  try {
    return imageSize(Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** Replaces the words of an image. Without words of its own it is named by its file. */
function draw(element: HTMLElement, image: AnswerImage): void {
  const words = element.textContent ?? "";
  element.classList.add("shown");
  const fail = (why: string) => {
    const sentence = Object.assign(document.createElement("span"), { className: "why" });
    sentence.textContent = ` ${t("This image cannot be shown. {0}", why)}`;
    element.replaceChildren(words, sentence);
  };
  if (image.type === "failed") {
    fail(image.why);
    return;
  }
  const picture = Object.assign(document.createElement("img"), { alt: words, src: image.url });
  picture.addEventListener("error", () => fail(t("It is damaged.|image")), { once: true });
  element.replaceChildren(picture);
}
