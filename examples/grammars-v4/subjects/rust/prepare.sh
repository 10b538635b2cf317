#!/bin/sh
# The compiler itself, not what chooses one of several.
set -eu
ln -s "$(rustc --print sysroot)/bin/rustc" "$GRAMBENCH_OUT/rustc"
