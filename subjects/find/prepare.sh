#!/usr/bin/env bash
# Builds the programs of the subject `find`: GNU findutils 4.9.0 as released, and once more for each
# bug with its patch from patches/ applied.
#
#   GRAMBENCH_OUT            an existing, empty folder; it is left holding original/find, <bug>/find, and
#                            corpus/ with the command lines of findutils' own tests (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_FIND_TARBALL   optional: findutils-4.9.0.tar.xz, when it is not to be fetched
#   GRAMBENCH_JOBS           optional: how many compilers at a time (default: one for each processor)
#
# To be run in the folder that holds this script; nothing is written there. Without a tarball, the
# source is fetched through apt as part of Debian's source package: from the machine's own mirrors, but
# with a configuration, lists and cache of our own in a temporary folder, so the machine's are neither
# needed nor changed, and root is not required. What is built is the upstream release, without
# Debian's patches. Takes about a minute, nearly all of it `configure`.
set -euo pipefail

# What ../source-package.sh asks for.
# shellcheck disable=SC2034
readonly subject=find package=findutils version=4.9.0 suite=bookworm variable=GRAMBENCH_FIND_TARBALL \
    checksum=a2bfb8c09d436770edc59f50fa483e785b161a3b7b9d547573cb08065fd462fe \
    tarball=${GRAMBENCH_FIND_TARBALL:-}
# shellcheck source=../source-package.sh
. ../source-package.sh
# shellcheck source=../patches.sh
. ../patches.sh

unpack "$work"
tree=$work/findutils-$version
cd "$tree"

# Lines of the test suite that call find, as far as a single line of a script has the whole call. What its shell or Tcl would
# put in or take out is cut off with what follows; the subject's grammar decides which of them are command lines.
say "collecting the test suite's command lines"
mkdir "$out/corpus"
{
    sed -nE 's/^[[:space:]]*find_start [pf] \{ *([^{}]*[^ {}]) *\}.*/find \1/p' find/testsuite/find.*/*.exp
    grep -ohE '\bfind [^|>&;`$"#]+' tests/find/*.sh
} | sed -E 's/[[:space:]]+$//; s/  +/ /g' | LC_ALL=C sort -u >"$out/corpus/testsuite.txt"

say "configuring"
if [[ $(id -u) -eq 0 ]]; then
    export FORCE_UNSAFE_CONFIGURE=1
fi
# A read through a null pointer must stay one: some compilers turn it into something else.
quietly "$work/log" ./configure --disable-nls --disable-dependency-tracking --without-selinux \
    CFLAGS="-O2 -fno-delete-null-pointer-checks"

# build NAME: what is out of date, and the program into a folder of that name.
build() {
    say "building $1"
    quietly "$work/log" make -j"$jobs" -C find find
    mkdir -p "$out/$1"
    cp find/find "$out/$1/find"
}

say "building the libraries"
quietly "$work/log" make -j"$jobs" -C gl
quietly "$work/log" make -j"$jobs" -C lib
build_each
say "done"
