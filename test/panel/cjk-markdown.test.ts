/** Emphasis and addresses in texts without spaces between words. */
import assert from "node:assert/strict";
import type { Token } from "marked";
import { LimitedLexer } from "../../webview/markdown/markdown-lexer.ts";

/** Returns a text with signs of its own: `<b:…>`, `<i:…>`, `<s:…>`, `<a:…>`. */
function written(tokens: readonly Token[]): string {
  const names: Record<string, string> = { strong: "b", em: "i", del: "s", link: "a" };
  return tokens
    .map((token) => {
      const inside = "tokens" in token && token.tokens ? written(token.tokens) : token.raw;
      const name = names[token.type];
      return name ? `<${name}:${inside}>` : inside;
    })
    .join("");
}

const read = (text: string) => written(new LimitedLexer().lex(text));

describe("Markdown in Chinese, Japanese and Korean", () => {
  it("has emphasis beside punctuation", () => {
    for (const [text, expected] of [
      ["**注意：**请先运行", "<b:注意：>请先运行"],
      ["请看**“引号”**中的", "请看<b:“引号”>中的"],
      ["不如**《名》**已经", "不如<b:《名》>已经"],
      ["これは**「強調」**です", "これは<b:「強調」>です"],
      ["**마크다운(Markdown)**을", "<b:마크다운(Markdown)>을"],
      ["**发展，**a", "<b:发展，>a"],
      ["***重要！***请*看。*好", "<i:<b:重要！>>请<i:看。>好"],
      ["*斜体**“粗”**体*", "<i:斜体<b:“粗”>体>"],
      ["~~删除。~~之后", "<s:删除。>之后"],
      ["**`a`：**说明", "<b:`a`：>说明"],
      // As before.
      ["这是**重点**。", "这是<b:重点>。"],
      ["2 * 3，4 * 5", "2 * 3，4 * 5"],
      ["\\*\\*注意：\\*\\*请", "\\*\\*注意：\\*\\*请"],
    ] as const) {
      assert.equal(read(text), expected);
    }
  });

  it("keeps the rules of CommonMark for other texts", () => {
    for (const text of ['a**"b"**c', "**bold:**text", "a * b * c", "**a **b"]) assert.equal(read(text), text);
  });

  it("ends a bare address before the punctuation of a sentence", () => {
    for (const [text, expected] of [
      ["详见 https://example.com/docs。然后", "详见 <a:https://example.com/docs>。然后"],
      ["见https://example.com/a，或 www.example.com/b）", "见<a:https://example.com/a>，或 <a:www.example.com/b>）"],
      ["「https://example.com/a」です", "「<a:https://example.com/a>」です"],
      ["https://example.com/路径/文件", "<a:https://example.com/路径/文件>"],
      ["[https://example.com/路，径](https://example.com)", "<a:https://example.com/路，径>"],
    ] as const) {
      assert.equal(read(text), expected);
    }
  });

  it("is read in linear time", () => {
    const start = performance.now();
    for (const part of ["*", "**。", "。**", "~。", "、", "https://a.b/，"]) read(part.repeat(5000));
    assert.ok(performance.now() - start < 5000);
  });
});
