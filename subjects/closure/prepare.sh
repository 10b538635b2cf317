#!/usr/bin/env bash
# Gets the program of the subject `closure`: three releases of the Closure Compiler, from Maven's central repository.
#
#   GRAMBENCH_OUT     an existing, empty folder; it is left holding the jars, worker.jar and archives of classes
#                     (if it is moved, programs run as before and start more slowly: an archive holds for its place)
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
    mkdir -p "$out/$release"
    ln -sf "../closure-compiler-$release.jar" "$out/$release/compiler.jar"
    ln -s "$release" "$out/$bug"
done <<'END'
closure-1978 v20151216
closure-2808 v20200101
closure-2842 v20200101
closure-2937 v20171203
closure-3178 v20171203
closure-3379 v20171203
END
# One that goes with all three: what it uses of the compiler is the same in them.
compile closure-compiler-v20171203.jar -- ../jvm/Worker.java ClosureWorker.java
rehearsal runs.js <<'END'
/** @const */ var a = [1, "b", {c: /d/g, get e() { return 1.5; }}];
function f(x) { var y = arguments.length ? x : this; if (y && !x || 0) { return y; } else y++; return typeof y; }
for (var i in a) { switch (f(i)) { case "c": continue; default: g(i); } }
h: do { try { throw new Error(a.map(String).join()); } catch (e) { console.log(e.message); break h; } finally { delete a[0]; } } while (true);
for (var j = 0, k = function (l) { k(l); }; j < 3; j += 1) self.addEventListener("click", k);
END
rehearsal newer.js <<'END'
class A { constructor(x) { this.x = x; } static get b() { return `c${1}`; } *d() { yield* [1, ...this.x]; } }
class B extends A { constructor(y = 1, ...z) { super(y); } }
let {e: [f], ...g} = new B(), h = (i) => ({i, [f]: 2 ** 3}); const j = async (k) => { for (const l of k) await l(() => this); }; j();
END
rehearsal refused.js <<'END'
var x = ;
END
rehearsal crashes.js <<'END'
a: break a;
END
for release in v20151216 v20171203 v20200101; do
    archive "$release/classes.jsa" -cp "$out/$release/compiler.jar:$out/worker.jar" ClosureWorker \
        "--js ../runs.js" "--js ../newer.js" "--js ../refused.js" "-O ADVANCED --js ../runs.js" "--js ../crashes.js"
done
rm -r "$out/rehearsal"
say "done"
