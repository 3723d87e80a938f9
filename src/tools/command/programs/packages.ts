/** Package managers, and what runs the scripts of a project through them. */
import { isGiven } from "./arguments.ts";
import type { Program } from "./program.ts";

const effect = "runs scripts of the project";
/** With these before the sub-command, a rule for it still means what it says. */
const harmless = "--version --help -v -h -y --yes --no-install";

export const packagePrograms: readonly Program[] = [
  {
    names: "npm",
    effect,
    options: `${harmless} --prefix= -C= --registry= --reg= -w= --workspace= --loglevel= --cache= --userconfig= --globalconfig= --tag= --otp=
      --omit= --include= --scope= -c= --call= --package= -m= --message= --depth= --before= -q --quiet -s --silent --verbose
      -d --dd --ddd -f --force -g --global -l --long -p --parseable -a --all --ws --workspaces --iwr -n --no -L= -S -D -E -O -P
      -B --json --offline --prefer-offline --dry-run --ignore-scripts --no-audit --no-fund --legacy-peer-deps`,
    harmlessOptions: harmless,
    unlisted: "abbreviation",
    runsOtherCode: `--script-shell --prefix --globalconfig --userconfig --shell --editor --node-options`,
    subcommands: [
      { names: "exec|x explore edit config|c set pkg", runsOtherCode: "always" },
      { names: "run|run-script|rum|urn", hasSubcommands: true },
      {
        names: `access adduser|add-user audit bugs|issues cache ci|clean-install|ic|install-clean|isntall-clean completion
          dedupe|ddp deprecate diff dist-tag|dist-tags docs|home doctor explain|why find-dupes fund get help|hlep help-search
          init|create|innit install|add|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall
          install-ci-test|cit|clean-install-test|sit install-test|it link|ln ll|la login logout ls|list org|ogr outdated
          owner|author pack ping prefix profile prune publish query rebuild|rb repo restart root sbom search|find|s|se
          shrinkwrap star stars start stop team test|tst|t token undeprecate uninstall|unlink|remove|rm|r|un unpublish unstar
          update|u|up|upgrade|udpate version|verison view|info|show|v whoami`,
      },
    ],
    allowed: ["npm test", "npm -y test", "npm run build"],
    asks: ["npm exec x", "npm -y x rimraf", "npm --prefix=x test", "npm c set a b", "npm test --script-shell=./x"],
  },
  {
    names: "pnpm",
    effect,
    options: `${harmless} -C= --dir= -F= --filter= -r --recursive -w --workspace-root --silent --loglevel= --reporter=`,
    harmlessOptions: harmless,
    runsOtherCode: "--script-shell",
    subcommands: [
      { names: "exec dlx config|c", runsOtherCode: "always" },
      { names: "run|run-script task", hasSubcommands: true },
    ],
    allowed: ["pnpm test", "pnpm run build"],
    asks: ["pnpm dlx x", "pnpm -r exec x"],
  },
  {
    names: "yarn",
    effect,
    options: `${harmless} --cwd=`,
    harmlessOptions: harmless,
    subcommands: [
      { names: "exec dlx config node", runsOtherCode: "always" },
      { names: "run task", hasSubcommands: true },
    ],
    allowed: ["yarn test"],
    asks: ["yarn dlx x", "yarn --cwd x test"],
  },
  {
    names: "npx bunx",
    effect,
    options: harmless,
    harmlessOptions: harmless,
    hasSubcommands: true,
    allowed: ["npx tsc", "npx --yes tsc"],
    asks: ["npx -c ls", "npx -p x y"],
  },
  { names: "uvx", options: harmless, harmlessOptions: harmless, hasSubcommands: true, asks: ["uvx --from x y"] },
  {
    names: "uv",
    options: harmless,
    harmlessOptions: harmless,
    hasSubcommands: true,
    runsOtherCode: "run tool",
    asks: ["uv run x"],
  },
  {
    names: "poetry",
    options: harmless,
    harmlessOptions: harmless,
    hasSubcommands: true,
    runsOtherCode: "run",
    asks: ["poetry run x"],
  },
  { names: "pipx", hasSubcommands: true, runsOtherCode: "run", asks: ["pipx run x"] },
  { names: "pipenv", hasSubcommands: true, runsOtherCode: "run shell", asks: ["pipenv run x"] },
  { names: "conda", hasSubcommands: true, runsOtherCode: "run", asks: ["conda run x"] },
  {
    names: "pip|pip3",
    options: `-h --help --debug --isolated --require-virtualenv --python= -v --verbose -V --version -q --quiet --log= --no-input
      --keyring-provider= --proxy= --retries= --timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir=
      --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=`,
    hasSubcommands: true,
  },
  { names: "rustup", hasSubcommands: true, runsOtherCode: "run", asks: ["rustup run nightly x"] },
  { names: "bundle", hasSubcommands: true, runsOtherCode: "exec", asks: ["bundle exec x"] },
  { names: "composer apt apt-get brew", hasSubcommands: true },
  { names: "gem cpan", effect: "runs other code", runsOtherCode: "always" },
  {
    names: "cargo",
    effect,
    options:
      "-V --version --list --explain= -v --verbose -q --quiet --color= -C= --locked --offline --frozen --config= -Z= -h --help",
    hasSubcommands: true,
    runsOtherCode: (words) => (words[0]?.startsWith("+") ?? false) || isGiven("--config", words),
    allowed: ["cargo test"],
    asks: ["cargo +nightly test", "cargo --config a=b test"],
  },
  {
    names: "go",
    effect,
    options: "-C=",
    hasSubcommands: true,
    runsOtherCode: "env generate tool -exec* -toolexec* -vettool* --exec* --toolexec* --vettool*",
    allowed: ["go test ./..."],
    asks: ["go generate", "go -C x generate", "go test -exec=./x"],
  },
];
