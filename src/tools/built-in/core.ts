/** The six core tools (T10), in the order in which they are offered to models. */
import type { Tool } from "../tool.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

export const core = { bash, read, write, edit, glob, grep };

export const coreTools: readonly Tool[] = Object.values(core);
