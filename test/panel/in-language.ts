/** Finds elements by their English names in a panel of another language. */
import type { Locator, Page } from "playwright-core";
import { language, localized, t } from "../../src/l10n/l10n.ts";

/** Parts of names, which are no texts of their own. */
const chinese: Readonly<Record<string, string>> = {
  "time and cost": "时间和费用",
  Context: "上下文",
  of: "/",
  "Read cart.ts, money.ts": "cart.ts, money.ts",
};
const german: Readonly<Record<string, string>> = {
  "time and cost": "Zeit und Kosten",
  Context: "Kontext",
  of: "von",
  "Read cart.ts, money.ts": "Gelesen cart.ts, money.ts",
  "49 k of 200 k": "49 k von 200 k",
};
const partsOf = () => (language() === "zh-cn" ? chinese : german);

function name(text: string): string {
  const parts = partsOf();
  const whole = localized(text);
  if (whole !== text) return whole;
  const sentence = localized(`${text}.`);
  if (sentence !== `${text}.`) return sentence.slice(0, -1);
  const [, verb, object = ""] = /^(\S+) (.+)$/.exec(text) ?? [];
  if (parts[text] !== undefined || verb === undefined) return parts[text] ?? text;
  const button = t(`${verb} {0}`, object);
  if (button !== text) return button;
  const done = t(`${verb}|done`);
  return `${done === verb ? localized(verb) : done} ${object}`;
}

const inPattern = ({ source, flags }: RegExp) => new RegExp(source.replace(/\p{L}[\p{L}\d ]*\p{L}/u, name), flags);

function translated(value: unknown): unknown {
  if (typeof value === "string") return name(value);
  if (value instanceof RegExp) return inPattern(value);
  if (typeof value !== "object" || value === null) return value;
  const options = Object.entries(value);
  return Object.fromEntries(options.map(([key, one]) => [key, /^(name|hasText)$/.test(key) ? translated(one) : one]));
}

/** Returns a page, or an element of it, that is asked with English names. The language of the process must be the panel's. */
export function withEnglishNames<T extends Page | Locator>(target: T): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const method = String(property);
      return (...args: unknown[]) => {
        const finds = /^getBy(Text|Label|Placeholder|Title)$/.test(method);
        const given = args.map((one, at) =>
          finds || ((method === "getByRole" || method === "locator") && at === 1) ? translated(one) : one,
        );
        const result: unknown = value.apply(target, given);
        const isLocator = typeof result === "object" && result !== null && "boundingBox" in result && "click" in result;
        // Checked in the line above.
        return isLocator ? withEnglishNames(result as Locator) : result;
      };
    },
  });
}
