/** The language of texts: translations, numbers, and texts that were recorded in English. */
import assert from "node:assert/strict";
import { languageOf } from "../../src/headless/language.ts";
import { counted, formatted, language, localized, localizedTitle, msg, t, useLanguage } from "../../src/l10n/l10n.ts";
import { bundleOf } from "./bundle-of.ts";

describe("texts in the user's language", () => {
  afterEach(() => useLanguage("en"));

  it("are English without a bundle", () => {
    assert.equal(t("Allow once"), "Allow once");
    assert.equal(t("Open {0} at line {1}", "a.ts", 3), "Open a.ts at line 3");
    assert.equal(counted(1, "{0} file", "{0} files"), "1 file");
    assert.equal(counted(1234, "{0} file", "{0} files"), "1,234 files");
    assert.equal(counted(0, "{0} file", "{0} files"), "0 files");
    assert.equal(localized("It deletes src/a.ts."), "It deletes src/a.ts.");
    assert.equal(language(), "en");
  });

  it("are translated, with values in the order of the language", async () => {
    useLanguage("de", await bundleOf("de"));
    assert.equal(t("Allow once"), "Einmal zulassen");
    assert.equal(t("Open {0} at line {1}", "a.ts", 3), "a.ts in Zeile 3 öffnen");
    assert.equal(counted(1, "{0} file", "{0} files"), "1 Datei");
    assert.equal(counted(1234, "{0} file", "{0} files"), "1.234 Dateien");
    assert.equal(formatted(0.5), "0,5");
    useLanguage("zh-cn", await bundleOf("zh-cn"));
    assert.equal(counted(1, "{0} file", "{0} files"), "1 个文件");
    assert.equal(counted(2, "{0} file", "{0} files"), "2 个文件");
  });

  it("show no context of a key", async () => {
    assert.deepEqual([t("Read"), t("Read|done")], ["Read", "Read"]);
    useLanguage("de", await bundleOf("de"));
    assert.deepEqual([t("Read"), t("Read|done")], ["Lesen", "Gelesen"]);
  });

  it("stay English where a translation is missing", () => {
    useLanguage("de", { "Allow once": "Einmal zulassen" });
    assert.equal(t("Deny"), "Deny");
    assert.equal(t("Deny {0}", "x"), "Deny x");
  });

  it("take values as they are", () => {
    for (const hostile of ["{1}", "{0}", "$&", "$1", "<b>", "constructor", "%s", "`x`"]) {
      assert.equal(t("{0} and {1}", hostile, "b"), `${hostile} and b`);
      assert.equal(msg("It deletes {0}.", hostile), `It deletes ${hostile}.`);
    }
    assert.equal(t("{0} of {1}", "a"), "a of {1}");
    for (const key of ["constructor", "toString", "__proto__"]) assert.equal(t(key), key);
  });
});

describe("texts that were recorded in English", () => {
  before(async () => useLanguage("de", await bundleOf("de")));
  after(() => useLanguage("en"));

  it("are shown in the user's language", () => {
    assert.equal(localized(msg("Rondo cannot read this command.")), "Rondo kann diesen Befehl nicht lesen.");
    assert.equal(localized(msg("It deletes {0}.", "src/a.ts")), "Löscht src/a.ts.");
    assert.equal(localized(msg("It pushes {0} to {1}.", "main", "origin")), "Pusht main nach origin.");
  });

  it("keep values that look like texts", () => {
    assert.equal(localized(msg("It deletes {0}.", "a to b.")), "Löscht a to b..");
    assert.equal(localized(msg("It deletes {0}.", "{0} It deletes x.")), "Löscht {0} It deletes x..");
  });

  it("translate the reason after a colon, and each of several", () => {
    const why = [msg("{0} must be a string", "model"), msg("{0} must have at most {1} characters", "name", 64)];
    assert.equal(
      localized(msg("The agent in {0} cannot be used: {1}.", ".rondo/agents/a.md", why.join("; "))),
      "Der Agent in .rondo/agents/a.md kann nicht verwendet werden: model muss eine Zeichenfolge sein; name darf höchstens 64 Zeichen haben.",
    );
    assert.equal(
      localized(msg("{0} cannot be read: {1}.", "a.ts", msg("permission is denied"))),
      "a.ts kann nicht gelesen werden: die Berechtigung fehlt.",
    );
  });

  it("keep a command that reads like a sentence", () => {
    const command = "echo The run was interrupted.";
    assert.equal(localized(msg("No rule allows {0} yet.", command)), `Noch lässt keine Regel ${command} zu.`);
  });

  it("are titles and their questions, however short", () => {
    assert.equal(localizedTitle(msg("Read {0}", "a.ts")), "a.ts lesen");
    assert.equal(localizedTitle(msg("{0}?", msg("Move {0} to {1}", "a.ts", "b.ts"))), "a.ts nach b.ts verschieben?");
    assert.equal(localizedTitle(msg("Run this command?")), "Diesen Befehl ausführen?");
    assert.equal(localizedTitle("Does it work?"), "Does it work?");
  });

  it("are left alone if Rondo did not make them", () => {
    for (const text of ["", "x", "npm test && rm -rf build", "Löscht alles.", "{0}", "a\nb", "constructor"]) {
      assert.equal(localized(text), text);
    }
  });

  it("take no time, however long and repetitive", () => {
    const begin = performance.now();
    localized(`It pushes ${" to ".repeat(100_000)}`);
    localized(`It pushes ${" to ".repeat(900)}`);
    assert.ok(performance.now() - begin < 500);
  });
});

describe("the language of the command line", () => {
  const table = [
    [{ LANG: "de_DE.UTF-8" }, "de"],
    [{ LANG: "de" }, "de"],
    [{ LANG: "en_US.UTF-8", LC_MESSAGES: "de_AT" }, "de"],
    [{ LANG: "de_DE.UTF-8", LC_ALL: "C.UTF-8" }, undefined],
    [{ LANG: "de_DE.UTF-8", LC_ALL: "" }, "de"],
    [{ LANG: "zh_CN.UTF-8" }, "zh-cn"],
    [{ LANG: "zh_SG" }, "zh-cn"],
    [{ LANG: "zh_Hans_CN" }, "zh-cn"],
    [{ LANG: "zh_TW.UTF-8" }, undefined],
    [{ LANG: "zh_Hant_HK" }, undefined],
    [{ LANG: "den_XX" }, undefined],
    [{ LANG: "../../de" }, undefined],
    [{}, undefined],
  ] as const;
  for (const [env, expected] of table) {
    it(`is ${expected ?? "English"} for ${JSON.stringify(env)}`, () => assert.equal(languageOf(env), expected));
  }
});
