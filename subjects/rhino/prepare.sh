#!/usr/bin/env bash
# Gets the program of the subject `rhino`: Rhino 1.7.7.2 as released, from Maven's central repository.
#
#   GRAMBENCH_OUT     an existing, empty folder; it is left holding the jar, worker.jar and an archive of classes
#                     (if it is moved, programs run as before and start more slowly: an archive holds for its place)
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
compile rhino-1.7.7.2.jar -- ../jvm/Worker.java RhinoWorker.java
rehearsal runs.js <<'END'
var a = [1, "b", {c: /d/g, get e() { return 1.5; }}], f = function (x) { return arguments.length ? x : this; }, g = (y) => y + 1;
for (var i in a) { switch (typeof a[i]) { case "number": continue; default: f(g(i)); } }
h: do { try { throw new Error(a.map(String).join()); } catch (e) { print(e.message.replace(/b/, "c")); break h; } finally { delete a[0]; } } while (true);
var {c: d} = a[2], [k, l] = [1, 2]; let (m = 1) m ^ ~k << 2; const n = [o for each (o in a)];
END
rehearsal refused.js <<'END'
var = ;
f(
END
rehearsal crashes.js <<'END'
var {a:{} = b => {}} = b => {};
END
rehearsal throws.js <<'END'
null.a;
END
archive classes.jsa -cp "$out/rhino-1.7.7.2.jar:$out/worker.jar" RhinoWorker \
    ../runs.js ../refused.js ../crashes.js ../throws.js
rm -r "$out/rehearsal"
say "done"
