#!/usr/bin/env bash
# Gets the program of the subject `closure`: three releases of the Closure Compiler, from Maven's central repository.
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
readonly subject=closure jars="\
bbe63b495e89c6c596a48185cf98bccd7cbe5995e9fdff6fa025806a80be56f2  closure-compiler-v20151216.jar
770841c20d89e5b0add3df85dc69ef7f0818b941f31c3527901abfb2ffa53a2e  closure-compiler-v20171203.jar
e188db67291cccce62d6377ccf3b7c61e4e3896883bbb70125e2d3ae6e560bca  closure-compiler-v20200101.jar"
# shellcheck source=../jvm/maven.sh
. ../jvm/maven.sh

copy_jars
# Each bug's release.
while read -r bug release; do
    mkdir "$out/$bug"
    ln -s "../closure-compiler-$release.jar" "$out/$bug/compiler.jar"
done <<'END'
closure-1978 v20151216
closure-2808 v20200101
closure-2842 v20200101
closure-2937 v20171203
closure-3178 v20171203
closure-3379 v20171203
END
# One that goes with all three: what it uses of the compiler is the same in them.
compile "$out/worker" closure-compiler-v20171203.jar -- ../jvm/Worker.java ClosureWorker.java
say "done"
