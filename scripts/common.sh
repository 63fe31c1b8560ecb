# Sourced by the set-up scripts: where we are, how loud we are, how Debian packages are had.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Go's own installer puts it here, and not on the PATH.
[ ! -x /usr/local/go/bin/go ] || PATH="/usr/local/go/bin:$PATH"

say() { printf '\033[1m[setup]\033[0m %s\n' "$*"; }

# A part that cannot be had: tests that need it skip loudly on a developer's machine and fail with CI=true.
missing() { printf '[setup] MISSING: %s\n' "$*" >&2; }

# apt_install PACKAGE...: as root installs them, otherwise prints the command and goes on.
apt_install() {
    [ $# -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        missing "$* (no apt-get here: install them by your system's own means)"
    elif [ "$(id -u)" = 0 ]; then
        say "apt-get install $*"
        apt-get update -qq >/dev/null 2>&1 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null || missing "$*"
    else
        missing "$* (run: sudo apt-get install $*)"
    fi
}
