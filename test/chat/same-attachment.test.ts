/** Which attachments count as the same. */
import assert from "node:assert/strict";
import { joined, renewed } from "../../src/chat/same-attachment.ts";

const at = (start: number, end: number, text = "x", whole = false) => ({
  ...{ mime: "text/plain", filename: "a.ts", url: "file:///a.ts" },
  source: { start, end, text, ...(whole && { whole }) },
});

describe("attachments", () => {
  it("V14 of one file are the same only with the same lines", () => {
    const [first, longer, whole] = [at(1, 3), at(1, 5), at(1, 9, "x", true)];
    assert.deepEqual(joined([first], [longer, whole, first]), [first, longer, whole]);
    assert.deepEqual(joined([], [first, first]), [first]);
    const picture = { mime: "image/png", filename: "a.png", url: "data:image/png;base64,AA==" };
    assert.deepEqual(joined([picture], [picture]), [picture]);
    const copy = { ...picture, filename: "copy of a.png" };
    assert.deepEqual(joined([picture], [copy, picture]), [picture, copy]);
    assert.deepEqual(renewed([picture, copy], [copy]), [picture, copy]);
  });

  it("V14 that come again have the newer text, in their place", () => {
    const other = { ...at(1, 2), url: "file:///b.ts" };
    assert.deepEqual(renewed([at(1, 3, "old"), other], [at(1, 3, "new")]), [at(1, 3, "new"), other]);
    const [small, grown] = [at(1, 3, "old", true), at(1, 30, "new", true)];
    assert.deepEqual(renewed([small], [grown]), [grown]);
  });
});
