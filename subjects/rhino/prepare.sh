#!/usr/bin/env bash
# Gets the program of the subject `rhino`: Rhino 1.7.7.2 as released, from Maven's central repository.
#
#   GRAMBENCH_OUT     an existing, empty folder; it is left holding the jar and worker/
#                     (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_JARS    optional: a folder that holds the jar, when it is not to be fetched
#   GRAMBENCH_MAVEN   optional: what to say for `mvn`
#
# To be run in the folder that holds this script; nothing is written there. Takes a few seconds.
set -euo pipefail

# What ../jvm/maven.sh asks for.
# shellcheck disable=SC2034
readonly subject=rhino jars="\
5c6dae050ceb71774a5fc82ce6e3f0392daf0ffa9ec3596f70d4d07ee50b8970  rhino-1.7.7.2.jar"
# shellcheck source=../jvm/maven.sh
. ../jvm/maven.sh

copy_jars
compile "$out/worker" rhino-1.7.7.2.jar -- ../jvm/Worker.java RhinoWorker.java
say "done"
