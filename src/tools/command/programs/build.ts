/** Programs that build, check and test a project. */
import type { Program } from "./program.ts";

const effect = "runs scripts of the project";

export const buildPrograms: readonly Program[] = [
  {
    names: "make",
    effect,
    options: `-b -m -B --always-make -C= --directory= -d --debug=? -e --environment-overrides -E= --eval= -f= --file= --makefile=
      -h --help -i --ignore-errors -I= --include-dir= -j=? --jobs=? -k --keep-going -l=? --load-average=? --max-load=? -L
      --check-symlink-times -n --just-print --dry-run --recon -o= --old-file= --assume-old= -O=? --output-sync=? -p
      --print-data-base -q --question -r --no-builtin-rules -R --no-builtin-variables -s --silent --quiet --no-silent -S
      --no-keep-going --stop -t --touch --trace -v --version -w --print-directory --no-print-directory -W= --what-if=
      --new-file= --assume-new= --warn-undefined-variables`,
    hasSubcommands: true,
    runsOtherCode: "-E -f -I -C --eval --file --makefile --directory --include-dir *=*",
    allowed: ["make test", "make -j4 test"],
    asks: ["make SHELL=x", "make -f x", "make -C x"],
  },
  { names: "just gradle mvn rake nx turbo", effect, hasSubcommands: true },
  { names: "gradlew tox nox invoke", effect },
  { names: "mix flutter dart dotnet", hasSubcommands: true },
  { names: "cmake", runsOtherCode: "-P* -E* -D*", allowed: ["cmake --build build"], asks: ["cmake -E env x"] },
  { names: "javac", runsOtherCode: "always" },
  {
    names: "gcc g++ cc clang",
    runsOtherCode: "--wrapper -wrapper* -fplugin* -B* -specs* -Xclang* -load* -fuse-ld* -T* @*",
    allowed: ["gcc -O2 -o a a.c"],
    asks: ["gcc -fplugin=./x.so a.c", "gcc @a.ts", "gcc -B. a.c"],
  },
  {
    names: "pytest",
    runsOtherCode: "-p -c --rootdir --confcutdir --pyargs --override-ini",
    allowed: ["pytest -v src"],
    asks: ["pytest -p x"],
  },
  {
    names: "eslint",
    runsOtherCode: "-c -f --config --resolve-plugins-relative-to --rulesdir --plugin --parser --format",
    allowed: ["eslint src"],
    asks: ["eslint --rulesdir x src"],
  },
  {
    names: "prettier",
    runsOtherCode: "--plugin --config",
    allowed: ["prettier src"],
    asks: ["prettier --plugin=x src"],
  },
];
