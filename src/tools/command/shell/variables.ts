/** Variables that affect what a program does, or which program runs. */

/** Variables that may be set for any program: they change its output, not what it does. */
const safe =
  /^(CI|NODE_ENV|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|LANG|LC_[A-Z]+|TZ|VERBOSE|PORT|RUST_BACKTRACE|RUST_LOG|TERM|LOG_LEVEL|DEBUG|TAP|HUSKY)$/;

export function isSafeEnvVar(name: string): boolean {
  return safe.test(name);
}

/** Variables that programs read. Assigning an exported one also changes it for programs. */
const readByPrograms =
  /^(PATH|HOME|IFS|ENV|PWD|OLDPWD|CDPATH|SHELL|SHELLOPTS|TMPDIR|PS\d|FPATH|FCEDIT|TERMCAP|LESS|MORE|CC|CXX|LD|AR|OPTIND|RANDOM|SECONDS|UID|EUID|PPID|GLOBIGNORE|EXECIGNORE|REPLY|MAPFILE|ZDOTDIR|_)$|PATH$|PAGER|EDITOR|VISUAL|BROWSER|PROXY|PRELOAD|COMMAND|OPTIONS|OPTS$|FLAGS$|RSH$|CONFIG|STARTUP|SHELL|PROMPT|HOOK|ASKPASS|OPEN$|CLOSE$|HOME$|RC$|TOKEN|SECRET|KEY$|^(LD|DYLD|GIT|BASH|PYTHON|PERL|RUBY|NODE|NPM|YARN|PNPM|PIP|CARGO|RUST|RUSTC|GO|JAVA|JDK|MAVEN|GRADLE|SSH|DOCKER|KUBE|AWS|XDG|LC|LESS|GREP|TAR|GZIP|ZIP|RIPGREP|FZF|MAKE|CMAKE|DOTNET|MSBUILD|ELECTRON|SUDO|LUA|PHP|HIST|COMP|DIR)(_|$)/;

export function isAssignable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && (safe.test(name) || !readByPrograms.test(name.toUpperCase()));
}
