/** Package managers, and programs that build, check and test a project. */
import { isGiven } from "./arguments.ts";
import type { Programs } from "./program.ts";

const effect = "runs scripts of the project";
/** With these before the sub-command, a rule for it still means what it says. */
const harmless = "--version --help -v -h -y --yes --no-install";
const withHarmless = { options: harmless, harmlessOptions: harmless };

export const projectPrograms: Programs = {
  npm: {
    effect,
    options: `${harmless} --prefix= -C= --registry= --reg= -w= --workspace= --loglevel= --cache= --userconfig= --globalconfig= --tag= --otp=
      --omit= --include= --scope= -c= --call= --package= -m= --message= --depth= --before= -q --quiet -s --silent --verbose
      -d --dd --ddd -f --force -g --global -l --long -p --parseable -a --all --ws --workspaces --iwr -n --no -L= -S -D -E -O -P
      -B --json --offline --prefer-offline --dry-run --ignore-scripts --no-audit --no-fund --legacy-peer-deps`,
    harmlessOptions: harmless,
    unlisted: "abbreviation",
    runsOtherCode: `--script-shell --prefix --globalconfig --userconfig --shell --editor --node-options`,
    subcommands: {
      "exec|x explore edit config|c set pkg": { runsOtherCode: "always" },
      "run|run-script|rum|urn": { hasSubcommands: true },
      [`access adduser|add-user audit bugs|issues cache ci|clean-install|ic|install-clean|isntall-clean completion
          dedupe|ddp deprecate diff dist-tag|dist-tags docs|home doctor explain|why find-dupes fund get help|hlep help-search
          init|create|innit install|add|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall
          install-ci-test|cit|clean-install-test|sit install-test|it link|ln ll|la login logout ls|list org|ogr outdated
          owner|author pack ping prefix profile prune publish query rebuild|rb repo restart root sbom search|find|s|se
          shrinkwrap star stars start stop team test|tst|t token undeprecate uninstall|unlink|remove|rm|r|un unpublish unstar
          update|u|up|upgrade|udpate version|verison view|info|show|v whoami`]: {},
    },
    allowed: ["npm test", "npm -y test", "npm run build"],
    asks: ["npm exec x", "npm -y x rimraf", "npm --prefix=x test", "npm c set a b", "npm test --script-shell=./x"],
  },
  pnpm: {
    effect,
    options: `${harmless} -C= --dir= -F= --filter= -r --recursive -w --workspace-root --silent --loglevel= --reporter=`,
    harmlessOptions: harmless,
    runsOtherCode: "--script-shell",
    subcommands: {
      "exec dlx config|c": { runsOtherCode: "always" },
      "run|run-script task": { hasSubcommands: true },
    },
    allowed: ["pnpm test", "pnpm run build"],
    asks: ["pnpm dlx x", "pnpm -r exec x"],
  },
  yarn: {
    effect,
    options: `${harmless} --cwd=`,
    harmlessOptions: harmless,
    subcommands: {
      "exec dlx config node": { runsOtherCode: "always" },
      "run task": { hasSubcommands: true },
    },
    allowed: ["yarn test"],
    asks: ["yarn dlx x", "yarn --cwd x test"],
  },
  "npx bunx": {
    effect,
    ...withHarmless,
    allowed: ["npx tsc", "npx --yes tsc"],
    asks: ["npx -c ls", "npx -p x y"],
  },
  uvx: { ...withHarmless, asks: ["uvx --from x y"] },
  uv: { ...withHarmless, runsOtherCode: "run tool", asks: ["uv run x"] },
  poetry: { ...withHarmless, runsOtherCode: "run", asks: ["poetry run x"] },
  "pipx conda rustup": {
    hasSubcommands: true,
    runsOtherCode: "run",
    asks: ["pipx run x", "conda run x", "rustup run nightly x"],
  },
  pipenv: { hasSubcommands: true, runsOtherCode: "run shell", asks: ["pipenv run x"] },
  "pip|pip3": {
    options: `-h --help --debug --isolated --require-virtualenv --python= -v --verbose -V --version -q --quiet --log= --no-input
      --keyring-provider= --proxy= --retries= --timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir=
      --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=`,
  },
  bundle: { hasSubcommands: true, runsOtherCode: "exec", asks: ["bundle exec x"] },
  "composer apt apt-get brew": { hasSubcommands: true },
  "gem cpan": { effect: "runs other code", runsOtherCode: "always" },
  cargo: {
    effect,
    options:
      "-V --version --list --explain= -v --verbose -q --quiet --color= -C= --locked --offline --frozen --config= -Z= -h --help",
    runsOtherCode: (words) => (words[0]?.startsWith("+") ?? false) || isGiven("--config", words),
    allowed: ["cargo test"],
    asks: ["cargo +nightly test", "cargo --config a=b test"],
  },
  go: {
    effect,
    options: "-C=",
    runsOtherCode: "env generate tool -exec* -toolexec* -vettool* --exec* --toolexec* --vettool*",
    allowed: ["go test ./..."],
    asks: ["go generate", "go -C x generate", "go test -exec=./x"],
  },
  make: {
    effect,
    options: `-b -m -B --always-make -C= --directory= -d --debug=? -e --environment-overrides -E= --eval= -f= --file= --makefile=
      -h --help -i --ignore-errors -I= --include-dir= -j=? --jobs=? -k --keep-going -l=? --load-average=? --max-load=? -L
      --check-symlink-times -n --just-print --dry-run --recon -o= --old-file= --assume-old= -O=? --output-sync=? -p
      --print-data-base -q --question -r --no-builtin-rules -R --no-builtin-variables -s --silent --quiet --no-silent -S
      --no-keep-going --stop -t --touch --trace -v --version -w --print-directory --no-print-directory -W= --what-if=
      --new-file= --assume-new= --warn-undefined-variables`,
    runsOtherCode: "-E -f -I -C --eval --file --makefile --directory --include-dir *=*",
    allowed: ["make test", "make -j4 test"],
    asks: ["make SHELL=x", "make -f x", "make -C x"],
  },
  "just gradle mvn rake nx turbo": { effect, hasSubcommands: true },
  "gradlew tox nox invoke": { effect },
  "mix flutter dart dotnet": { hasSubcommands: true },
  cmake: { runsOtherCode: "-P* -E* -D*", allowed: ["cmake --build build"], asks: ["cmake -E env x"] },
  javac: { runsOtherCode: "always" },
  "gcc g++ cc clang": {
    runsOtherCode: "--wrapper -wrapper* -fplugin* -B* -specs* -Xclang* -load* -fuse-ld* -T* @*",
    allowed: ["gcc -O2 -o a a.c"],
    asks: ["gcc -fplugin=./x.so a.c", "gcc @a.ts", "gcc -B. a.c"],
  },
  pytest: {
    runsOtherCode: "-p -c --rootdir --confcutdir --pyargs --override-ini",
    allowed: ["pytest -v src"],
    asks: ["pytest -p x"],
  },
  eslint: {
    runsOtherCode: "-c -f --config --resolve-plugins-relative-to --rulesdir --plugin --parser --format",
    allowed: ["eslint src"],
    asks: ["eslint --rulesdir x src"],
  },
  prettier: { runsOtherCode: "--plugin --config", allowed: ["prettier src"], asks: ["prettier --plugin=x src"] },
};
