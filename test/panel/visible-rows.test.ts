/** Which rows of a long list are drawn, for any heights, scroll positions and kept rows. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { topsOf, visibleRows } from "../../webview/conversation/visible-rows.ts";
import { randomly } from "../random.ts";

const lists = fc.record({
  heights: fc.array(fc.integer({ min: 20, max: 90 }), { maxLength: 200 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  height: fc.integer({ min: 0, max: 400 }),
  kept: fc.integer({ min: 0, max: 250 }),
});

describe("rows of a long list", () => {
  randomly("V11 those in sight and the kept one are drawn once, in order, and gaps fill the rest exactly", () => {
    fc.assert(
      fc.property(lists, ({ heights, share, height, kept }) => {
        const tops = topsOf(heights);
        const total = tops.at(-1) ?? 0;
        const scrollTop = share * total;
        const { rows, gap } = visibleRows({ tops, scrollTop, height, kept: [kept], spare: 10 });
        let y = 0;
        for (const { index, gap } of rows) {
          assert.ok(gap >= 0);
          y += gap;
          assert.equal(y, tops[index]);
          y += heights[index] ?? Number.NaN;
        }
        assert.deepEqual([y + gap, gap >= 0], [total, true]);
        const drawn = new Set(rows.map(({ index }) => index));
        assert.equal(drawn.size, rows.length);
        assert.ok(kept >= heights.length || drawn.has(kept));
        for (const [index, top] of tops.slice(0, -1).entries()) {
          const isSeen = top < scrollTop + height && (tops[index + 1] ?? 0) > scrollTop;
          assert.ok(!isSeen || drawn.has(index), `row ${index} is in sight`);
        }
        assert.ok(drawn.size <= Math.ceil(height / 20) + 23);
      }),
    );
  });
});
