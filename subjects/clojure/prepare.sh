#!/usr/bin/env bash
# Gets the program of the subject `clojure`: Clojure 1.10.1 as released, from Maven's central repository.
#
#   GRAMBENCH_OUT     an existing, empty folder; it is left holding the jars and worker/
#                     (it may be renamed afterwards: nothing in it depends on where it is)
#   GRAMBENCH_JARS    optional: a folder that holds the jars, when they are not to be fetched
#   GRAMBENCH_MAVEN   optional: what to say for `mvn`
#
# To be run in the folder that holds this script; nothing is written there. Takes a few seconds.
set -euo pipefail

# What ../jvm/maven.sh asks for.
# shellcheck disable=SC2034
readonly subject=clojure jars="\
d4f6f991fd9ed2a59e7ea4779010b3b069a2b905f3463136c42201106b4ad21a  clojure-1.10.1.jar
fc4e96ecff34ddd2ab7fd050e74ae1379342ee09daa6028da52024c5de836cc4  spec.alpha-0.2.176.jar
3b1ec4d6f0e8e41bf76842709083beb3b56adf3c82f9a4f174c3da74774b381c  core.specs.alpha-0.2.44.jar"
# shellcheck source=../jvm/maven.sh
. ../jvm/maven.sh

copy_jars
compile "$out/worker" clojure-1.10.1.jar -- ../jvm/Worker.java ClojureWorker.java
say "done"
