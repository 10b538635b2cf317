#!/usr/bin/env bash
# Builds the program of the subject `lua`: the interpreter of Lua 5.3.5 with the runner of ours, runner.c,
# in the place of the upstream main program.
#
#   GRAMBENCH_OUT          an existing, empty folder; it is left holding runner
#                          (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_LUA_SOURCE   optional: the folder with Lua's C files, when they are not to be fetched
#
# To be run in the folder that holds this script; nothing is written there. Without that folder, the
# sources come with the crate lua-src, which bundles them: cargo fetches it, as the lock file
# below pins it, for a package that is never built. Takes about twenty seconds.
set -euo pipefail

readonly version=5.3.5
readonly crate="lua-src-535.0.1+540b"
readonly checksum=80eb039bc10c76f4243a35ec7148b314eb3cbc20e4c6dd4804b7a3708ecdff74

say() { printf 'lua: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# need PROGRAM PACKAGE: stop when the program is not there, and say what to install.
need() {
    command -v "$1" >/dev/null 2>&1 || die "\`$1\` is missing: install $2"
}

# fetch DIR: the sources of the crate, and print the folder with those of Lua.
fetch() {
    local dir=$1 found
    need cargo "Rust (or give GRAMBENCH_LUA_SOURCE=/path/to/the/C/files)"
    mkdir -p "$dir/src"
    : >"$dir/src/lib.rs"
    cat >"$dir/Cargo.toml" <<'TOML'
[package]
name = "lua-sources"
version = "0.1.0"
edition = "2021"

[dependencies]
lua-src = "=535.0.1"

[workspace]
TOML
    cat >"$dir/Cargo.lock" <<'LOCK'
version = 4

[[package]]
name = "cc"
version = "1.11.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "4ff2a8126fff0f8c839080d619675a585e61720bb12d2baceae45769fd66f155"
dependencies = [
 "find-msvc-tools",
 "shlex",
]

[[package]]
name = "find-msvc-tools"
version = "0.1.15"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "1c66915cc5391097de7a2b0b972e8505aa33c0df401fd3a6811dbdb32881ba48"

[[package]]
name = "lua-sources"
version = "0.1.0"
dependencies = [
 "lua-src",
]

[[package]]
name = "lua-src"
version = "535.0.1+540b"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "0d7c4f629087ac894e7b542b4049fb527472f2458c823900f79a0bde0b202e62"
dependencies = [
 "cc",
]

[[package]]
name = "shlex"
version = "2.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "f8fadd59c855ef2080decdef8ff161eb6661b86933c9d82e5ba29dc602a55aba"
LOCK
    say "asking cargo for the crate lua-src"
    if ! (cd "$dir" && cargo metadata --locked --format-version 1 >metadata 2>log); then
        tail -n 5 "$dir/log" >&2
        die "cargo could not fetch the crate lua-src; without a network, give GRAMBENCH_LUA_SOURCE=/path/to/the/C/files"
    fi
    found=$(grep -oE '"manifest_path":"[^"]*"' "$dir/metadata" | cut -d '"' -f 4 | grep -F "/$crate/" || true)
    [[ -n $found ]] || die "cargo does not say where the crate lua-src is"
    printf '%s/lua-%s\n' "$(dirname "$found")" "$version"
}

[[ -d ${GRAMBENCH_OUT:-} ]] || die "GRAMBENCH_OUT must name an existing folder"
out=$(cd "$GRAMBENCH_OUT" && pwd)
[[ -r runner.c ]] || die "to be run in the folder of the subject, which holds runner.c"
need cc "gcc (and libc6-dev)"
need sha256sum coreutils

work=$(mktemp -d "${TMPDIR:-/tmp}/grambench-lua.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

source=${GRAMBENCH_LUA_SOURCE:-}
if [[ -z $source ]]; then
    source=$(fetch "$work")
fi
[[ $source == /* ]] || die "GRAMBENCH_LUA_SOURCE must be an absolute path, and is $source"
[[ -r $source/lapi.c ]] || die "there are no C files of Lua in $source"
# All files in one stream, in the order of their names as bytes.
found=$(cd "$source" && LC_ALL=C && cat ./*.c ./*.h | sha256sum | cut -d ' ' -f 1)
[[ $found == "$checksum" ]] ||
    die "the C files in $source are not those of Lua $version in $crate (their sha256 is not $checksum)"

# As the upstream makefile builds it for Linux, but for the readline library, which only its main program uses.
say "compiling"
if ! cc -std=gnu99 -O2 -DLUA_COMPAT_5_2 -DLUA_USE_POSIX -DLUA_USE_DLOPEN -I "$source" \
    -o "$out/runner" runner.c "$source"/*.c -Wl,-E -lm -ldl >"$work/log" 2>&1; then
    tail -n 30 "$work/log" >&2
    die "the compiler failed"
fi
say "done"
