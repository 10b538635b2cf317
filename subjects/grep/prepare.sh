#!/usr/bin/env bash
# Builds the programs of the subject `grep`: GNU grep 3.8 as released, and once more for each bug with
# its patch from patches/ applied.
#
#   GRAMBENCH_OUT            an existing, empty folder; it is left holding original/grep, <bug>/grep,
#                            files, the folder that the programs search, and corpus/ with the command
#                            lines and regular expressions of grep's own tests
#                            (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_GREP_TARBALL   optional: grep-3.8.tar.xz, when it is not to be fetched
#   GRAMBENCH_JOBS           optional: how many compilers at a time (default: one for each processor)
#
# To be run in the folder that holds this script; nothing is written there. Without a tarball, the
# source is fetched through apt as part of Debian's source package: from the machine's own mirrors, but
# with a configuration, lists and cache of our own in a temporary folder, so the machine's are neither
# needed nor changed, and root is not required. What is built is the upstream release, without
# Debian's patches. Takes about a minute, most of it `configure`.
set -euo pipefail

# What ../source-package.sh asks for.
# shellcheck disable=SC2034
readonly subject=grep package=grep version=3.8 suite=bookworm variable=GRAMBENCH_GREP_TARBALL \
    checksum=498d7cc1b4fb081904d87343febb73475cf771e424fb7e6141aff66013abc382 \
    tarball=${GRAMBENCH_GREP_TARBALL:-}
# shellcheck source=../source-package.sh
. ../source-package.sh
# shellcheck source=../patches.sh
. ../patches.sh
[[ -d $here/files ]] || die "to be run in the folder of the subject, which holds files/"

unpack "$work"
cd "$work/grep-$version"

# Lines of the test suite that call grep, as far as a single line of a script has the whole call, and the regular
# expressions of its tables. The tests write the files that they search as they go; here that is the file `1`. The subject's
# grammar decides which of them are command lines.
say "collecting the test suite's command lines"
mkdir "$out/corpus"
{
    grep -aohE '\bgrep -[^|>&;`$"#]+' tests/* | sed -E 's/ (in|in2|exp[0-9]?|k|file)?( <.*| *)$/ 1/'
    awk -F@ -v quote="'" '$1 < 2 && $2 != "" && !index($2, quote) { print "grep -E " quote $2 quote " 1" }' \
        tests/ere.tests tests/spencer1.tests
    awk -F@ -v quote="'" '$1 < 2 && $2 != "" && !index($2, quote) { print "grep " quote $2 quote " 1" }' tests/bre.tests
} | sed -E 's/[[:space:]]+$//' | LC_ALL=C sort -u >"$out/corpus/testsuite.txt"

say "configuring"
# A read through a null pointer must stay one: some compilers turn it into something else.
quietly "$work/log" ./configure --disable-nls --disable-dependency-tracking --disable-perl-regexp \
    CFLAGS="-O2 -fno-delete-null-pointer-checks"

# build NAME: what is out of date, and the program into a folder of that name.
build() {
    say "building $1"
    quietly "$work/log" make -j"$jobs" -C lib
    quietly "$work/log" make -j"$jobs" -C src grep
    mkdir -p "$out/$1"
    cp src/grep "$out/$1/grep"
}

build_each

# The wrong result of this bug shows only beside the right one, so both are asked.
mv "$out/grep-9c45c193/grep" "$out/grep-9c45c193/grep-with-bug"
cp "$here/compare.sh" "$out/grep-9c45c193/grep"
chmod +x "$out/grep-9c45c193/grep"

cp -R "$here/files" "$out/files"
say "done"
