/**
 * Makes links of the symbols that an answer names in inline code, if the host knows their definitions. Only those in
 * sight are asked about, a few at a time, and not again for a while.
 */
import {
  type FoundSymbol,
  type FoundSymbols,
  mostFiles,
  mostNames,
  writtenSymbol,
} from "../../src/chat/symbol-names.ts";
import { t } from "../../src/l10n/l10n.ts";
import { send } from "../panel/vscode-api.ts";
import { parseLink } from "./link-target.ts";
import { placesIn } from "./places.ts";

/** Whoever scrolls past reads nothing. */
const gatherMs = 400;
/** A symbol may come or go: after this time it is asked about again when it comes into sight. */
const knownForMs = 60_000;
/** A language service that loads the workspace is asked again after this time; each time after twice the time. */
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
/** After this time another request is sent, even if the host has not answered. */
const longestWaitMs = 30_000;
const maxKnown = 2_000;

/** Elements in which no symbol is a link. */
const others = "pre, a, button, .Maths, .Picture, [data-href]";

interface NamedSymbol {
  name: string;
  files: readonly string[];
}

const keyOf = ({ name, files }: NamedSymbol) => [name, ...files].join("\n");

class SymbolLinks {
  readonly #symbols = new WeakMap<Element, NamedSymbol>();
  readonly #inSight = new Set<HTMLElement>();
  /** By name and files; `found` is undefined for a symbol that is not defined. */
  readonly #known = new Map<string, { at: number; found: FoundSymbol | undefined }>();
  #observer: IntersectionObserver | undefined;
  #timer = 0;
  /** Nothing is asked before. */
  #notBefore = 0;
  #pauseMs = firstPauseMs;

  /** Follows the symbols of an answer that is complete. */
  follow(root: HTMLElement, cwd: string): void {
    const codes = [...root.querySelectorAll<HTMLElement>("code")].filter((code) => !code.closest(others));
    const written = codes.flatMap((code) => {
      const text = code.textContent ?? "";
      const symbol = this.#symbols.has(code) ? undefined : writtenSymbol(text);
      return symbol ? [{ code, name: text, symbol }] : [];
    });
    if (written.length === 0) return;
    const files = filesOf(root, codes, cwd);
    this.#observer ??= this.#observe();
    for (const { code, name, symbol } of written) {
      if (symbol.isPlain && files.length === 0) continue;
      this.#symbols.set(code, { name, files });
      this.#observer.observe(code);
    }
  }

  /** Takes the host's answer. */
  take({ files, names, found }: FoundSymbols): void {
    this.#notBefore = 0;
    if (names.length > 0) this.#pauseMs = firstPauseMs;
    else {
      this.#notBefore = Date.now() + this.#pauseMs;
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    }
    for (const name of names) {
      this.#known.set(keyOf({ name, files }), { at: Date.now(), found: found.find((one) => one.name === name) });
    }
    while (this.#known.size > maxKnown) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    for (const code of this.#inSight) this.#draw(code);
    this.#askSoon();
  }

  #observe(): IntersectionObserver {
    // A language service may have loaded the workspace meanwhile.
    window.addEventListener("focus", () => this.#askSoon());
    return new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!(target instanceof HTMLElement)) continue;
        if (!isIntersecting) this.#inSight.delete(target);
        else {
          this.#inSight.add(target);
          this.#draw(target);
        }
      }
      this.#askSoon();
    });
  }

  #askSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#ask(), Math.max(gatherMs, this.#notBefore - Date.now()));
  }

  /** Asks about symbols of one answer: those in sight that are not known. */
  #ask(): void {
    const now = Date.now();
    if (now < this.#notBefore) return;
    let first: NamedSymbol | undefined;
    const names = new Set<string>();
    for (const code of this.#inSight) {
      const symbol = code.isConnected ? this.#symbols.get(code) : undefined;
      if (!symbol || now - (this.#known.get(keyOf(symbol))?.at ?? Number.NEGATIVE_INFINITY) < knownForMs) continue;
      first ??= symbol;
      if (symbol.files === first.files && names.size < mostNames) names.add(symbol.name);
    }
    if (!first) return;
    this.#notBefore = now + longestWaitMs;
    send({ type: "find-symbols", files: [...first.files], names: [...names] });
  }

  #draw(code: HTMLElement): void {
    const symbol = this.#symbols.get(code);
    const found = symbol && this.#known.get(keyOf(symbol))?.found;
    const link = code.querySelector<HTMLElement>(":scope > .Place[data-symbol]");
    if (link && !found) link.replaceWith(...link.childNodes);
    if (!symbol || !found) return;
    const drawn = link ?? wrap(code, symbol);
    const { path, line, count } = found;
    drawn.title = count === 1 ? t("Open {0} at line {1}", path, line) : t("Choose one of {0} definitions", count);
  }
}

/** Makes a link of the content of the code. */
function wrap(code: HTMLElement, { name, files }: NamedSymbol): HTMLElement {
  const link = document.createElement("span");
  link.className = "Place";
  link.dataset["symbol"] = name;
  link.role = "link";
  link.tabIndex = 0;
  const open = (event: Event) => {
    event.preventDefault();
    send({ type: "open-symbol", files: [...files], name });
  };
  link.addEventListener("click", open);
  link.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(event);
  });
  link.append(...code.childNodes);
  code.replaceChildren(link);
  return link;
}

/** Returns the files that an answer names, in links or as code. */
function filesOf(root: HTMLElement, codes: readonly HTMLElement[], cwd: string): string[] {
  const linked = [...root.querySelectorAll<HTMLElement>("[data-href], .Place")].flatMap((link) => {
    const place = parseLink(link.dataset["href"] ?? link.dataset["place"] ?? "");
    return place?.type === "file" ? [place.path] : [];
  });
  const written = codes.flatMap((code) => placesIn(`${code.textContent ?? ""}:1`, cwd).map(({ path }) => path));
  return [...new Set([...linked, ...written])].slice(0, mostFiles);
}

export const symbolLinks = new SymbolLinks();
