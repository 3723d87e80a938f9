/** Package managers, and programs that build, check and test a project. */
import { type ArgumentPattern, hasArgument, type ProgramArguments, plainWords } from "./arguments.ts";
import type { Programs } from "./program.ts";

const effect = "runs scripts of the project";
/** Options that do not affect the sub-command after them. */
const options = "--version --help -v -h -y --yes --no-install";

/** npm and pnpm read `-name` as `--name` (nopt 9.0, parse). */
const isNoptGiven = (given: ArgumentPattern) => (words: ProgramArguments) =>
  hasArgument(given, [...words, ...words.map((word) => word.replace(/^-+(?=\w\w)/, "--"))]);

export const projectPrograms: Programs = {
  // npm 11.19: config/lib/definitions, lib/utils/cmd-list.js
  npm: {
    effect,
    options,
    unlisted: "abbreviation",
    runsOtherCode: isNoptGiven(`-C --script-shell --prefix --globalconfig --userconfig --shell --editor --node-options
      --node-gyp --git --browser --viewer --init-module --init.module`),
    subcommands: {
      "exec|x explore edit config|c set pkg approve-scripts install-scripts": { runsOtherCode: "always" },
      "run|run-script|rum|urn": { hasSubcommands: true },
      // Downloads and runs a package `create-…`.
      "init|create|innit": { runsOtherCode: (words) => plainWords(words).length > 0 },
      [`access adduser|add-user audit bugs|issues cache ci|clean-install|ic|install-clean|isntall-clean completion
          dedupe|ddp deny-scripts deprecate diff dist-tag|dist-tags docs|home doctor explain|why find-dupes fund get help|hlep
          help-search install|add|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall
          install-ci-test|cit|clean-install-test|sit install-test|it link|ln ll|la login logout ls|list org|ogr outdated
          owner|author pack ping prefix profile prune publish query rebuild|rb repo restart root sbom search|find|s|se
          shrinkwrap stage star stars start stop team test|tst|t token trust undeprecate uninstall|unlink|remove|rm|r|un
          unpublish unstar update|u|up|upgrade|udpate version|verison view|info|show|v whoami`]: {},
    },
    allowed: ["npm test", "npm -y test", "npm run build", "npm init", "npm i"],
    asks: [
      ...["npm exec x", "npm -y x rimraf", "npm --prefix=x test", "npm c set a b", "npm test --script-shell=./x"],
      ...["npm test -script-shell ./x", "npm test -C x", "npm i --git=./x", "npm create x", "npm --yes true exec x"],
    ],
  },
  // pnpm 10.34: commandNames, types and the commands that it passes to npm, in dist/pnpm.cjs
  pnpm: {
    effect,
    options,
    runsOtherCode:
      isNoptGiven(`-C --dir --prefix --script-shell --pnpmfile --global-pnpmfile --npm-path --node-options --shell
      --editor --browser --config.* --use-node-version`),
    subcommands: {
      // `true` and `false` may be the value of an option before the sub-command.
      "exec dlx create config|c set recursive|multi|m env setup self-update approve-builds edit pkg true false": {
        runsOtherCode: "always",
      },
      "run|run-script task": { hasSubcommands: true },
    },
    allowed: ["pnpm test", "pnpm run build", "pnpm i"],
    asks: [
      ...["pnpm dlx x", "pnpm -r exec x", "pnpm m exec x", "pnpm set a b", "pnpm create x", "pnpm edit x"],
      ...["pnpm i --pnpmfile=./x.cjs", "pnpm test --config.script-shell=./x", "pnpm --yes true exec x"],
    ],
  },
  // yarn 1.22 --help, and https://yarnpkg.com/cli for 4.x
  yarn: {
    effect,
    options,
    runsOtherCode: "--cwd --use-yarnrc --modules-folder --global-folder",
    subcommands: {
      "exec dlx create init config node set plugin policies": { runsOtherCode: "always" },
      "workspace workspaces": {
        runsOtherCode: (words) => words.some((word) => /^(exec|dlx|create|config|node|set)$/.test(word)),
      },
      "run task": { hasSubcommands: true },
    },
    allowed: ["yarn test", "yarn workspace a test"],
    asks: [
      ...["yarn dlx x", "yarn --cwd x test", "yarn create x", "yarn test --cwd=x", "yarn plugin import ./x"],
      ...["yarn workspace a exec x", "yarn workspaces foreach -A exec x", "yarn set version ./x"],
    ],
  },
  "npx bunx": {
    effect,
    options,
    allowed: ["npx tsc", "npx --yes tsc"],
    asks: ["npx -c ls", "npx -p x y"],
  },
  uvx: { options, asks: ["uvx --from x y"] },
  uv: { options, runsOtherCode: "run tool", asks: ["uv run x"] },
  poetry: { options, runsOtherCode: "run", asks: ["poetry run x"] },
  "pipx conda rustup": {
    hasSubcommands: true,
    runsOtherCode: "run",
    asks: ["pipx run x", "conda run x", "rustup run nightly x"],
  },
  pipenv: { hasSubcommands: true, runsOtherCode: "run shell", asks: ["pipenv run x"] },
  // pip 23.2 --help
  "pip|pip3": {
    options: `-h --help --debug --isolated --require-virtualenv -v --verbose -V --version -q --quiet --no-input
      --keyring-provider= --proxy= --retries= --timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir=
      --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=`,
    runsOtherCode: "config --python",
    writes: "--log --report",
    allowed: ["pip install x", "pip --no-input -q list", "pip --proxy x list"],
    asks: ["pip --python ./x list", "pip -v config edit --editor ./x", "pip --log=x list"],
  },
  bundle: { hasSubcommands: true, runsOtherCode: "exec", asks: ["bundle exec x"] },
  "composer apt apt-get brew": { hasSubcommands: true },
  "gem cpan": { effect: "runs other code", runsOtherCode: "always" },
  // cargo 1.95 --help
  cargo: {
    effect,
    options:
      "-V --version --list --explain= -v --verbose -q --quiet --color= --locked --offline --frozen -Z= -h --help",
    runsOtherCode: "rustc rustdoc -C --config --manifest-path +*",
    allowed: ["cargo test", "cargo --color always t"],
    asks: [
      ...[
        "cargo +nightly test",
        "cargo --config a=b test",
        "cargo -C x test",
        "cargo test --manifest-path x/Cargo.toml",
      ],
      "cargo --locked rustc -- -Clinker=./x",
    ],
  },
  go: {
    effect,
    options: "-C=",
    runsOtherCode: "env generate tool -exec* -toolexec* -vettool* --exec* --toolexec* --vettool*",
    allowed: ["go test ./..."],
    asks: ["go generate", "go -C x generate", "go test -exec=./x"],
  },
  // make(1) 4.3
  make: {
    effect,
    hasSubcommands: true,
    runsOtherCode: "-E -f -I -C --eval --file --makefile --directory --include-dir *=*",
    allowed: ["make test", "make -j4 test", "make --shuffle test"],
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
