#!/bin/sh
set -eu
export HOME="$TMPDIR" GOCACHE="$TMPDIR/cache" GOPATH="$TMPDIR/path" GOTOOLCHAIN=local GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0
go build -p 1 -o "$GRAMBENCH_OUT/check" check.go
