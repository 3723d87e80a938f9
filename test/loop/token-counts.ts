/** Texts of all kinds with the tokens that real tokenizers count in them. */
import { createHash } from "node:crypto";

export interface CountedText {
  kind: string;
  text: string;
  /** By OpenAI's o200k, Llama 3, OpenAI's cl100k (with Qwen's and GLM's alike), and Claude 2. */
  counts: readonly [o200k: number, llama3: number, cl100k: number, claude2: number];
}

const hash = (encoding: "base64" | "hex") =>
  Array.from({ length: 6 }, (_, at) => createHash("sha512").update(String(at)).digest(encoding)).join("");

const pretty = { id: 17, tags: ["new", "open"], owner: { name: "Ada", email: "ada@example.com" } };
const limit = { type: "integer", minimum: 1 };
const input = { type: "object", properties: { file_path: { type: "string" }, limit }, required: ["file_path"] };
const schema = { name: "read", description: "Reads a file.", input };

export const prose =
  "The committee met on Tuesday to decide whether the old bridge should be repaired or replaced, and after several hours of patient discussion they agreed that a new one, built a little further down the river, would serve the town better. ";
export const code = `export function sum(items: readonly number[]): number {
  let total = 0;
  for (const item of items) total += item;
  return total;
}
`;
export const chinese = "委员会在星期二开会,决定旧桥应当修复还是更换,经过几个小时的耐心讨论,他们同意新建一座。";
export const russian =
  "Комитет собрался во вторник, чтобы решить, следует ли отремонтировать старый мост или заменить его. ";

/**
 * Counted on 22 November 2026 with gpt-tokenizer 3, llama3-tokenizer-js and @anthropic-ai/tokenizer. The estimate, and how
 * far it is from each count:
 *
 *     kind      estimate       o200k     Llama 3      cl100k    Claude 2
 *     prose          197    181 (+9)    181 (+9)    181 (+9)    181 (+9)
 *     code           225   204 (+10)   204 (+10)   204 (+10)    222 (+1)
 *     JSON           155   132 (+17)   132 (+17)   132 (+17)   141 (+10)
 *     indented JSON  189    185 (+2)    185 (+2)    185 (+2)    193 (-2)
 *     log            283    288 (-2)    288 (-2)    288 (-2)    294 (-4)
 *     table          208    216 (-4)    216 (-4)    216 (-4)    216 (-4)
 *     base64         318   358 (-11)   372 (-15)   373 (-15)   363 (-12)
 *     hex            496   435 (+14)   433 (+15)   433 (+15)   441 (+12)
 *     names          115   103 (+12)    79 (+46)    79 (+46)    120 (-4)
 *     chinese        264   204 (+29)   198 (+33)   306 (-14)   300 (-12)
 *     japanese       264   210 (+26)   198 (+33)   306 (-14)   300 (-12)
 *     korean         219   162 (+35)   167 (+31)    229 (-4)   265 (-17)
 *     russian        154   101 (+52)   117 (+32)    161 (-4)   197 (-22)
 *     greek          190   137 (+39)   145 (+31)   321 (-41)   401 (-53)
 *     german         104     97 (+7)   121 (-14)   121 (-14)   129 (-19)
 *     polish          99   117 (-15)   145 (-32)   145 (-32)   174 (-43)
 *     arabic         235   89 (+164)   133 (+77)    229 (+3)   304 (-23)
 *     hindi          242   98 (+147)   205 (+18)   337 (-28)   365 (-34)
 *     emoji          147    138 (+7)   216 (-32)   222 (-34)   198 (-26)
 *
 * The same over files of 12,000 characters, o200k: Markdown +4 %, TypeScript +10 %, Python +15 %, JSON -3 to +5 %, numbers
 * -3 %, logs -2 %. For other scripts tokenizers differ by up to four times: the estimate lies between them.
 */
export const countedTexts: readonly CountedText[] = [
  { kind: "prose", text: prose.repeat(4), counts: [181, 181, 181, 181] },
  { kind: "code", text: code.repeat(6), counts: [204, 204, 204, 222] },
  { kind: "JSON", text: JSON.stringify(schema).repeat(3), counts: [132, 132, 132, 141] },
  { kind: "indented JSON", text: JSON.stringify(pretty, undefined, 2).repeat(4), counts: [185, 185, 185, 193] },
  {
    kind: "log",
    text: "2026-11-22T18:04:03.117Z INFO [worker-3] GET /api/v1/users/4711 200 in 12ms (127.0.0.1:40012)\n".repeat(6),
    counts: [288, 288, 288, 294],
  },
  { kind: "table", text: "10423.17,88,0.25,99120\n7.5,120044,18.01,3\n".repeat(8), counts: [216, 216, 216, 216] },
  { kind: "base64", text: hash("base64"), counts: [358, 372, 373, 363] },
  { kind: "hex", text: hash("hex"), counts: [435, 433, 433, 441] },
  {
    kind: "names",
    text: "getUserAccountSettingsById MAX_RETRY_BACKOFF_MS snake_case_name XMLHttpRequest ".repeat(6),
    counts: [103, 79, 79, 120],
  },
  { kind: "chinese", text: chinese.repeat(6), counts: [204, 198, 306, 300] },
  {
    kind: "japanese",
    text: "委員会は火曜日に集まり、古い橋を修理するべきか、新しく架け替えるべきかを話し合いました。".repeat(6),
    counts: [210, 198, 306, 300],
  },
  {
    kind: "korean",
    text: "위원회는 화요일에 모여 오래된 다리를 수리해야 할지 교체해야 할지 결정하였습니다. ".repeat(6),
    counts: [162, 167, 229, 265],
  },
  { kind: "russian", text: russian.repeat(4), counts: [101, 117, 161, 197] },
  {
    kind: "greek",
    text: "Η επιτροπή συνεδρίασε την Τρίτη για να αποφασίσει αν η παλιά γέφυρα πρέπει να επισκευαστεί. ".repeat(4),
    counts: [137, 145, 321, 401],
  },
  {
    kind: "german",
    text: "Der Ausschuss trat am Dienstag zusammen, um zu entscheiden, ob die alte Brücke repariert oder ersetzt werden sollte. ".repeat(
      4,
    ),
    counts: [97, 121, 121, 129],
  },
  {
    kind: "polish",
    text: "Komitet zebrał się we wtorek, aby zdecydować, czy stary most powinien zostać naprawiony czy wymieniony. ".repeat(
      4,
    ),
    counts: [117, 145, 145, 174],
  },
  {
    kind: "arabic",
    text: "اجتمعت اللجنة يوم الثلاثاء لتقرر ما إذا كان ينبغي إصلاح الجسر القديم أو استبداله. ".repeat(4),
    counts: [89, 133, 229, 304],
  },
  {
    kind: "hindi",
    text: "समिति ने मंगलवार को बैठक की ताकि यह तय किया जा सके कि पुराने पुल की मरम्मत की जानी चाहिए। ".repeat(4),
    counts: [98, 205, 337, 365],
  },
  { kind: "emoji", text: "🎉🚀👩‍💻🔥✅❌😀👍🏽🇩🇪🐛".repeat(6), counts: [138, 216, 222, 198] },
];
