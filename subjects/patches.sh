# What the `prepare.sh` of subjects have in common whose bugs are patches for a GNU program: the folders that
# they work in, and a build with each patch. To be read in with `.`, after source-package.sh, which says
# what has to be set.
#
#   GRAMBENCH_OUT    an existing, empty folder
#   GRAMBENCH_JOBS   optional: how many compilers at a time (default: one for each processor)
#
# It sets `out`, that folder; `here`, the folder of the subject; `work`, a folder that is gone at the end;
# and `jobs`. It is among the inputs that a build depends on.

[[ -d ${GRAMBENCH_OUT:-} ]] || die "GRAMBENCH_OUT must name an existing folder"
out=$(cd "$GRAMBENCH_OUT" && pwd)
here=$(pwd)
[[ -d $here/patches ]] || die "to be run in the folder of the subject, which holds patches/"
jobs=${GRAMBENCH_JOBS:-$(nproc 2>/dev/null || echo 1)}

work=$(mktemp -d "${TMPDIR:-/tmp}/grambench-$subject.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# build_each: in the folder of the sources, `build original`, and then `build BUG` with each BUG.patch applied
# alone. The script says what `build NAME` does.
build_each() {
    local file bug
    build original
    for file in "$here"/patches/*.patch; do
        bug=$(basename "$file" .patch)
        quietly "$work/log" patch --strip=1 --fuzz=0 --batch --input="$file"
        build "$bug"
        quietly "$work/log" patch --strip=1 --fuzz=0 --batch --reverse --input="$file"
    done
}
