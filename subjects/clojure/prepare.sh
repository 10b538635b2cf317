#!/usr/bin/env bash
# Gets the program of the subject `clojure`: Clojure 1.10.1 as released, from Maven's central repository.
#
#   GRAMBENCH_OUT     an existing, empty folder; it is left holding the jars, worker.jar and an archive of classes
#                     (if it is moved, programs run as before and start more slowly: an archive holds for its place)
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
compile clojure-1.10.1.jar -- ../jvm/Worker.java ClojureWorker.java
# Besides what the worker itself does when it begins. The paths and their order are those in subject.toml.
rehearsal runs.clj <<'END'
(ns a.b (:require [clojure.string :as s] [clojure.set] [clojure.pprint :as q]))
(q/pprint (Throwable->map (ex-info "" {})))
(defprotocol P (p [this]))
(defrecord R [x] P (p [_] (inc x)))
(defmulti m :k) (defmethod m 1 [_] #{1 2.5 3/4 "a" \b :c 'd #"e"})
(defmacro n [& body] `(do ~@body))
(loop [[x & xs :as all] (range 3) i 0] (when x (recur xs (n (case (int x) 1 (m {:k 1}) (try (p (->R x)) (finally i)))))))
(println (s/join "," (for [x [1 2] :when (odd? x)] (let [{:keys [y] :or {y 1}} {}] (reify P (p [_] @(atom (+ x y))))))))
END
rehearsal crashes.clj <<'END'
(try 1 (catch Object o 2))
END
archive classes.jsa \
    -cp "$out/clojure-1.10.1.jar:$out/spec.alpha-0.2.176.jar:$out/core.specs.alpha-0.2.44.jar:$out/worker.jar" ClojureWorker ../runs.clj ../crashes.clj
rm -r "$out/rehearsal"
say "done"
