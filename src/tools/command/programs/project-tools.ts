/** Package managers, and programs that build, check and test a project. */
import { msg } from "../../../l10n/l10n.ts";
import { type ArgumentPattern, hasArgument, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import type { Programs } from "./program.ts";

const effect = msg("runs scripts of the project");
/** Options that do not affect the sub-command after them. */
const options = "--version --help -v -h -y --yes --no-install";

// npm 11.19: config/lib/definitions
const npmOptions = `--all -a --audit --force -f --global -g --ignore-scripts --if-present --json --legacy-peer-deps --link --long -l
  --offline --omit= --package-lock --package-lock-only --parseable -p --prefer-offline --prefer-online --production --progress
  --no-progress --save -S --save-dev -D --save-exact -E --save-optional -O --save-peer --save-prod -P --strict-ssl --timing
  --usage --workspaces --ws --workspace= -w= --no-audit --no-fund --no-save --no-yes -n --dry-run --fund --silent -s
  --quiet -q -d -dd -ddd --verbose --access= --cache= --loglevel= --otp= --prefix= -C= --registry= --reg= --scope= --tag= --color
  --no-color --userconfig= --include= --include-workspace-root --iwr --location= -L= --message= -m= --provenance`;

/** npm and pnpm read `-name` as `--name` (nopt 9.0, parse). */
const isNoptGiven = (given: ArgumentPattern) => (words: ProgramArguments) =>
  hasArgument(given, [...words, ...words.map((word) => word.replace(/^-+(?=\w\w)/, "--"))]);

export const projectPrograms: Programs = {
  // npm 11.19: config/lib/definitions, lib/utils/cmd-list.js
  npm: {
    effect,
    options,
    unlisted: "abbreviation",
    abbreviates: true,
    runsOtherCode: isNoptGiven(`--script-shell --globalconfig --userconfig --shell --editor --node-options
      --node-gyp --git --browser --viewer --init-module --init.module`),
    exceeds: isNoptGiven("-C --prefix"),
    readOptions: npmOptions,
    writes: changedNpmrc,
    subcommands: {
      "exec|x explore edit": { runsOtherCode: "always" },
      "config|c set pkg approve-scripts install-scripts": { exceeds: "always" },
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
    // pnpm 10.34 --help
    aliases:
      "install|i add remove|rm|uninstall|un|uni update|up|upgrade list|ls test|t|tst run|run-script link|ln publish",
    readOptions: `-r --recursive -w --workspace-root -s --silent --filter= -F= -C= --dir= --prefix= --loglevel= --reporter= --color
      --no-color --parallel --stream --aggregate-output --use-stderr --fail-if-no-match`,
    exceeds: isNoptGiven("-C --dir --prefix"),
    // https://pnpm.io/cli/config: as npm's, or with `--global` in a file of its own
    writes: changedNpmrc,
    // `pnpm recursive publish` is `pnpm -r publish`.
    skippedWords: "recursive multi m",
    runsOtherCode: isNoptGiven(`--script-shell --pnpmfile --global-pnpmfile --npm-path --node-options --shell
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
    runsOtherCode: "--use-yarnrc",
    // https://yarnpkg.com/cli/npm/publish
    skippedWords: "npm",
    exceeds: "--cwd --modules-folder --global-folder",
    // https://yarnpkg.com/cli/config/set: the file of the project, or with `--home` that of the user
    writes: (words) =>
      changesConfig(words) ? [hasArgument("-H --home", words) ? "~/.yarnrc.yml" : ".yarnrc.yml"] : [],
    readOptions:
      "--cwd= --silent -s --verbose --offline --non-interactive --frozen-lockfile --json --registry= --mutex=",
    subcommands: {
      "exec dlx create init node plugin": { runsOtherCode: "always" },
      "config set policies": { exceeds: "always" },
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
  "npx bunx pnpx": {
    effect,
    launches: true,
    options,
    allowed: ["npx tsc", "npx --yes tsc"],
    asks: ["npx -c ls", "npx -p x y"],
  },
  uvx: { options, launches: true, asks: ["uvx --from x y"] },
  uv: { options, runsOtherCode: "run tool", skippedWords: "pip", asks: ["uv run x"] },
  poetry: { options, runsOtherCode: "run", asks: ["poetry run x"] },
  "pipx conda rustup": {
    hasSubcommands: true,
    runsOtherCode: "run",
    asks: ["pipx run x", "conda run x", "rustup run nightly x"],
  },
  pipenv: { hasSubcommands: true, runsOtherCode: "run shell", asks: ["pipenv run x"] },
  // pip 23.2 --help
  pip: {
    isVersioned: true,
    options: `-h --help --debug --isolated --require-virtualenv -v --verbose -V --version -q --quiet --no-input
      --keyring-provider= --proxy= --retries= --timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir=
      --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=`,
    runsOtherCode: "--python",
    exceeds: "config",
    readOptions: "--python= --log= --no-cache-dir",
    writes: "--log --report",
    allowed: ["pip install x", "pip --no-input -q list", "pip --proxy x list"],
    asks: ["pip --python ./x list", "pip -v config edit --editor ./x", "pip --log=x list"],
  },
  bundle: { hasSubcommands: true, runsOtherCode: "exec", aliases: "install|i exec|e", asks: ["bundle exec x"] },
  // brew(1): abv, instal, ls, remove, rm; dnf(8) and zypper(8): aliases of commands
  "apt apt-get brew dnf zypper": {
    hasSubcommands: true,
    aliases: "install|instal|in uninstall|remove|rm|erase list|ls update|up|upgrade",
  },
  // Symfony's console, RubyGems and Thor take unique abbreviations of commands.
  composer: { hasSubcommands: true, abbreviates: true },
  gem: { effect: msg("runs other code"), exceeds: "always", abbreviates: true },
  cpan: { effect: msg("runs other code"), runsOtherCode: "always" },
  // cargo 1.95 --help
  cargo: {
    effect,
    runsStreams: true,
    options:
      "-V --version --list --explain= -v --verbose -q --quiet --color= --locked --offline --frozen -Z= -h --help",
    runsOtherCode: "rustc rustdoc --config",
    exceeds: "-C --manifest-path +*",
    readOptions: "-C= --config= --manifest-path=",
    aliases: "build|b check|c clean doc|d run|r test|t remove|rm",
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
    runsStreams: true,
    options: "-C=",
    exceeds: "env",
    runsOtherCode: "generate tool -exec* -toolexec* -vettool* --exec* --toolexec* --vettool*",
    allowed: ["go test ./..."],
    asks: ["go generate", "go -C x generate", "go test -exec=./x"],
  },
  // make(1) 4.3
  "make gmake": {
    effect,
    hasSubcommands: true,
    takesTargets: true,
    runsStreams: true,
    readOptions: `-b -m -B --always-make -C= --directory= -d --debug=? -e -f= --file= --makefile= -i --ignore-errors -I= --include-dir=
      -j=? --jobs=? -k --keep-going -l=? --load-average=? -L -n --just-print --dry-run --recon -o= --old-file= -O=? --output-sync=?
      -p -q --question -r -R -s --silent --quiet -S -t --touch --trace -v -w --no-print-directory -W= --shuffle=?
      --warn-undefined-variables`,
    runsOtherCode: "-E --eval *=*",
    exceeds: "-f -I -C --file --makefile --directory --include-dir",
    allowed: ["make test", "make -j4 test", "make --shuffle test"],
    asks: ["make SHELL=x", "make -f x", "make -C x", "make -f -", "make -sf/dev/stdin", "make --file=-"],
  },
  "just gradle mvn rake nx turbo": { effect, hasSubcommands: true, takesTargets: true, runsStreams: true },
  // They run the commands of a file that their words may name.
  "ninja scons doit fab ant task bmake pmake samu cargo-make meson bazel": {
    effect,
    takesTargets: true,
    runsStreams: true,
  },
  "gradlew tox nox invoke": { effect, runsStreams: true },
  "mix flutter dart dotnet": { hasSubcommands: true },
  cmake: { runsOtherCode: "-P* -E* -D*", allowed: ["cmake --build build"], asks: ["cmake -E env x"] },
  javac: { exceeds: "always" },
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

/** Whether the sub-command is `config set`, or another one that changes settings. */
function changesConfig(words: ProgramArguments): boolean {
  // A further word may be the value of an option: `npm config --location project set a b`.
  const [first = "", ...others] = plainWords(words).slice(0, 3);
  if (first === "set") return true;
  return /^(config|c)$/.test(first) && others.some((word) => /^(set|delete|unset|rm|edit|fix)$/.test(word));
}

/** npm-config(1), npm 11.19: the user's file, unless `--location` or `--global` names another one. */
function changedNpmrc(words: ProgramArguments): string[] {
  if (!changesConfig(words)) return [];
  return [optionValues("-L --location", words).includes("project") ? ".npmrc" : "~/.npmrc"];
}
