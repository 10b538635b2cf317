#!/bin/sh
# The compiler itself, not what finds the packages for it.
set -eu
ln -s "$(GOTOOLCHAIN=local go env GOTOOLDIR)/compile" "$GRAMBENCH_OUT/compile"
