export { escapeInvisible, removeInvisible } from "../../src/base/escape-invisible.ts";
