/** Variables: which of them decide what a program does, or which program runs. */

/** Those that may be set for a program without a question: they change its output, not what it does. */
const harmless =
  /^(CI|NODE_ENV|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|LANG|LC_[A-Z]+|TZ|VERBOSE|PORT|RUST_BACKTRACE|RUST_LOG|TERM|LOG_LEVEL|DEBUG|TAP|HUSKY)$/;

export function isSafeEnvVar(name: string): boolean {
  return harmless.test(name);
}

/** A variable of the shell is also one of its programs' when it was one before: those that programs heed may be. */
const heeded =
  /^(PATH|HOME|IFS|ENV|PWD|OLDPWD|CDPATH|SHELL|SHELLOPTS|TMPDIR|PS\d|FPATH|FCEDIT|TERMCAP|LESS|MORE|CC|CXX|LD|AR|OPTIND|RANDOM|SECONDS|UID|EUID|PPID|GLOBIGNORE|EXECIGNORE|REPLY|MAPFILE|ZDOTDIR|_)$|PATH$|PAGER|EDITOR|VISUAL|BROWSER|PROXY|PRELOAD|COMMAND|OPTIONS|OPTS$|FLAGS$|RSH$|CONFIG|STARTUP|SHELL|PROMPT|HOOK|ASKPASS|OPEN$|CLOSE$|HOME$|RC$|TOKEN|SECRET|KEY$|^(LD|DYLD|GIT|BASH|PYTHON|PERL|RUBY|NODE|NPM|YARN|PNPM|PIP|CARGO|RUST|RUSTC|GO|JAVA|JDK|MAVEN|GRADLE|SSH|DOCKER|KUBE|AWS|XDG|LC|LESS|GREP|TAR|GZIP|ZIP|RIPGREP|FZF|MAKE|CMAKE|DOTNET|MSBUILD|ELECTRON|SUDO|LUA|PHP|HIST|COMP|DIR)(_|$)/;

export function isAssignable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && (harmless.test(name) || !heeded.test(name.toUpperCase()));
}
