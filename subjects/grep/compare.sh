#!/bin/sh
# Stands for grep with the bug 9c45c193: runs it, and then grep without it on the same words. What the
# first one says, and its exit code, are passed on. If it printed nothing where the second one prints
# something, a last line on standard error says so: a plain "no match" looks the same otherwise. Where
# nothing can be read or written, both print nothing; then the exit code is one that grep does not have.
here=${0%/*}
if ! true </dev/null >"$TMPDIR/found" 2>/dev/null >"$TMPDIR/expected"; then
    echo "cannot compare: the files for it cannot be opened" >&2
    exit 125
fi
"$here/grep-with-bug" "$@" >"$TMPDIR/found" </dev/null
code=$?
cat "$TMPDIR/found"
if [ ! -s "$TMPDIR/found" ]; then
    "$here/../original/grep" "$@" >"$TMPDIR/expected" 2>/dev/null </dev/null
    [ ! -s "$TMPDIR/expected" ] || echo "wrong result: printed nothing, but grep without the bug does" >&2
fi
exit "$code"
