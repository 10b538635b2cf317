#!/bin/sh
# Stands for grep with the bug 9c45c193: runs it, and then grep without it on the same words. What the
# first one says, and its exit code, are passed on. If it printed nothing where the second one prints
# something, a last line on standard error says so: a plain "no match" looks the same otherwise.
here=${0%/*}
"$here/grep-with-bug" "$@" >"$TMPDIR/found" </dev/null
code=$?
cat "$TMPDIR/found"
if [ ! -s "$TMPDIR/found" ]; then
    "$here/../original/grep" "$@" >"$TMPDIR/expected" 2>/dev/null </dev/null
    [ ! -s "$TMPDIR/expected" ] || echo "wrong result: printed nothing, but grep without the bug does" >&2
fi
exit "$code"
