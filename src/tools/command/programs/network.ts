/** Programs that send and receive. */
import { isGiven, valuesOf } from "./arguments.ts";
import type { Program } from "./program.ts";

const effect = "uses the network";

export const networkPrograms: readonly Program[] = [
  {
    names: "curl",
    effect,
    runsOtherCode: "-K -E --config --cert --engine --libcurl --proto-default",
    writes: (words) => [
      ...valuesOf(
        `-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc`,
        words,
      ),
      ...(isGiven("-O -J --remote-name --remote-name-all --output-dir", words) ? ["."] : []),
    ],
    allowed: ["curl -s https://a.example"],
    asks: ["curl -o x https://a.example", "curl -O https://a.example/x", "curl -K x"],
  },
  {
    names: "wget",
    effect,
    runsOtherCode: "-e -i --use-askpass --config --execute --input-file",
    writes: (words) => {
      const named = valuesOf("-O --output-document -o --output-file -a --append-output -P --directory-prefix", words);
      return named.length > 0 ? named : ["."];
    },
    allowed: ["wget -O - https://a.example"],
    asks: ["wget https://a.example", "wget -e x=y https://a.example"],
  },
  {
    names: "scp",
    effect,
    runsOtherCode: "-S -o -D -F",
    readsRecursively: "-r -R -a --recursive --archive",
    asks: ["scp -S ./x a b:"],
  },
  { names: "ping dig nslookup host http https aria2c", effect },
  { names: "ssh nc ncat netcat telnet socat ftp sftp", effect, runsOtherCode: "always", asks: ["ssh host ls"] },
  {
    names: "gh",
    effect,
    options: "-R= --repo= --hostname= --help --version",
    hasSubcommands: true,
    runsOtherCode: "alias extension api codespace config",
    allowed: ["gh pr list"],
    asks: ["gh api x", "gh -R a/b alias set x y"],
  },
  { names: "glab", effect, options: "-R= --repo= --help --version", hasSubcommands: true },
  { names: "tcpdump", runsOtherCode: "-z -w" },
  {
    names: "aws",
    options: `--debug --endpoint-url= --no-verify-ssl --no-paginate --output= --query= --profile= --region= --version --color=
      --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-pager
      --cli-auto-prompt --no-cli-auto-prompt`,
    hasSubcommands: true,
  },
];
