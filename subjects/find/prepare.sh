#!/usr/bin/env bash
# Builds the programs of the subject `find`: GNU findutils 4.9.0 as released, and once more for each
# bug with its patch from patches/ applied.
#
#   GRAMBENCH_OUT            an existing, empty folder; it is left holding original/find and <bug>/find
#                            (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_FIND_TARBALL   optional: findutils-4.9.0.tar.xz, when it is not to be fetched
#   GRAMBENCH_JOBS           optional: how many compilers at a time (default: one for each processor)
#
# To be run in the folder that holds this script; nothing is written there. Without a tarball, the
# source is fetched through apt as part of Debian's source package: from the machine's own mirrors, but
# with a configuration, lists and cache of our own in a temporary folder, so the machine's are neither
# needed nor changed, and root is not required. What is built is the upstream release, without
# Debian's patches. Takes about a minute, nearly all of it `configure`.
set -euo pipefail

readonly version=4.9.0
readonly checksum=a2bfb8c09d436770edc59f50fa483e785b161a3b7b9d547573cb08065fd462fe
readonly suite=bookworm # a Debian release that carries this version, for when the machine's own does not

say() { printf 'find: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# need PROGRAM PACKAGE: stop when the program is not there, and say what to install.
need() {
    command -v "$1" >/dev/null 2>&1 || die "\`$1\` is missing: install the package $2"
}

# private_sources DIR: the machine's apt sources, asking for source packages, into DIR.
private_sources() {
    local file copy mirror signed
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [[ -r $file ]] || continue
        copy=$1/$(basename "$file")
        case $file in
        *.list) sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$copy" ;;
        *.sources) sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$copy" ;;
        esac
    done
    # On a Debian of another age, its mirror has our release all the same.
    if grep -qs '^ID=debian' /etc/os-release; then
        mirror=$(grep -hosE 'https?://[^ ]*/debian/?( |$)' "$1"/* | head -n 1 | tr -d ' ' || true)
        signed=/usr/share/keyrings/debian-archive-keyring.gpg
        if [[ -n $mirror && -r $signed ]] && ! grep -qs "$suite" "$1"/*; then
            printf 'deb-src [signed-by=%s] %s %s main\n' "$signed" "$mirror" "$suite" >"$1/grambench.list"
        fi
    fi
}

# fetch DIR: the source package's upstream tarball, into DIR.
fetch() {
    local dir=$1 root=$1/apt found
    need apt-get "apt (or give GRAMBENCH_FIND_TARBALL=/path/to/findutils-$version.tar.xz)"
    mkdir -p "$root"/{parts,lists/partial,cache/archives/partial}
    private_sources "$root/parts"
    grep -qs deb-src "$root"/parts/* ||
        die "apt has no sources: give GRAMBENCH_FIND_TARBALL=/path/to/findutils-$version.tar.xz"
    # No hooks of the machine's own, and no other user, who could not write into our folder.
    cat >"$root/conf" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$root/parts";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
EOF
    say "asking apt for the source package of findutils $version"
    # A mirror without source packages is no harm as long as another has ours.
    apt-get -q -c "$root/conf" update >"$root/log" 2>&1 || true
    found=$(apt-cache -c "$root/conf" showsrc findutils 2>>"$root/log" |
        sed -n "s/^Version: \($version-.*\)/\1/p" | sort -u | head -n 1)
    if [[ -z $found ]]; then
        tail -n 5 "$root/log" >&2
        die "apt knows no source package of findutils $version: give GRAMBENCH_FIND_TARBALL=/path/to/findutils-$version.tar.xz"
    fi
    if ! (cd "$dir" && apt-get -q -c "$root/conf" source --download-only --only-source --tar-only \
        "findutils=$found" >>"$root/log" 2>&1); then
        tail -n 5 "$root/log" >&2
        die "apt could not fetch the source package of findutils $version"
    fi
    mv "$dir/findutils_$version.orig.tar.xz" "$dir/findutils.tar.xz"
}

# quietly LOG COMMAND...: show what a command said only when it fails.
quietly() {
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "failed: $*"
    fi
}

[[ -d ${GRAMBENCH_OUT:-} ]] || die "GRAMBENCH_OUT must name an existing folder"
out=$(cd "$GRAMBENCH_OUT" && pwd)
here=$(pwd)
[[ -d $here/patches ]] || die "to be run in the folder of the subject, which holds patches/"
need cc "gcc (and libc6-dev)"
need make make
need patch patch
need tar tar
need xz xz-utils
need sha256sum coreutils

work=$(mktemp -d "${TMPDIR:-/tmp}/grambench-find.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [[ -n ${GRAMBENCH_FIND_TARBALL:-} ]]; then
    [[ -r $GRAMBENCH_FIND_TARBALL ]] || die "cannot read $GRAMBENCH_FIND_TARBALL"
    cp "$GRAMBENCH_FIND_TARBALL" "$work/findutils.tar.xz"
else
    fetch "$work"
fi
echo "$checksum  $work/findutils.tar.xz" | sha256sum --check --quiet - >&2 2>&1 ||
    die "the tarball is not that of findutils $version (its sha256 is not $checksum)"

tar -xJf "$work/findutils.tar.xz" -C "$work" --no-same-owner
tree=$work/findutils-$version
jobs=${GRAMBENCH_JOBS:-$(nproc 2>/dev/null || echo 1)}
cd "$tree"

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
build original
for file in "$here"/patches/*.patch; do
    bug=$(basename "$file" .patch)
    quietly "$work/log" patch --strip=1 --fuzz=0 --batch --input="$file"
    build "$bug"
    quietly "$work/log" patch --strip=1 --fuzz=0 --batch --reverse --input="$file"
done
say "done"
