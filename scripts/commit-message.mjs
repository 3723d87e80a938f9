/**
 * The rule for subjects of commits. The hook `commit-msg` gives the file of one message; `--range A..B`, as on GitHub,
 * checks the commits of a branch. It needs no packages: a subject is what git takes for it, the first paragraph in one line.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

const longest = 72;

/** Subjects that git and GitHub make of the names of branches, or of the subject of an earlier commit. */
const made =
  /^(Merge (branch|remote-tracking branch|tag|commit|pull request)|Revert "|Reapply "|fixup! |squash! |amend! )/;

const [first = "", second = ""] = process.argv.slice(2);
const isRange = first === "--range";
const problems = isRange ? problemsOfRange(second) : problemsOf(subjectIn(first));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  if (isRange) console.error("\n`git rebase --interactive` with `reword` changes a subject.");
  else console.error(`\nYour message is kept in ${first}. \`git commit --no-verify\` skips this check.`);
  process.exitCode = 1;
}

/** Returns what is wrong with a subject, in sentences. @param {string} subject */
function problemsOf(subject) {
  if (subject === "") return ["The commit has no subject."];
  if (made.test(subject)) return [];
  const { length } = [...subject];
  return [
    ...(length > longest ? [`The subject has ${length} characters, ${longest} at most; say why in the body:`] : []),
    ...(subject.endsWith(".") ? ["The subject ends with a full stop:"] : []),
  ].map((problem) => `${problem}\n  ${subject}`);
}

/** @param {string} range */
function problemsOfRange(range) {
  const commits = git(["log", "-z", "--format=%h %s", "--end-of-options", range]).split("\0").filter(Boolean);
  return commits.flatMap((commit) => {
    const [id = ""] = commit.split(" ", 1);
    return problemsOf(commit.slice(id.length + 1)).map((problem) => `${id}: ${problem}`);
  });
}

/** Returns the subject of a message as the hook gets it, with the comments and the diff that git takes out later. @param {string} file */
function subjectIn(file) {
  // The line that `git commit --verbose` writes above the diff.
  const [message = ""] = readFileSync(file, "utf8").split(/^\S+ -{24} >8 -{24}$/m, 1);
  // Without an editor a line that begins with "#" belongs to the message: https://git-scm.com/docs/git-commit, --cleanup.
  const options = process.env["GIT_EDITOR"] === ":" ? [] : ["--strip-comments"];
  const [paragraph = ""] = git(["stripspace", ...options], message)
    .trimEnd()
    .split("\n\n", 1);
  return paragraph.replaceAll("\n", " ");
}

/** @param {string[]} args @param {string} [input] */
function git(args, input = "") {
  const { status, stdout, stderr } = spawnSync("git", args, { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  return stdout;
}
