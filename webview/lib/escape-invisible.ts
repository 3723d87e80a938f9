export { escapeInvisible, removeInvisible } from "../../src/chat/escape-invisible.ts";
