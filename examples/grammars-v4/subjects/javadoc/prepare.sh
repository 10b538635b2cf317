#!/bin/sh
set -eu
javac -J-Xmx256m -J-XX:+UseSerialGC -d "$GRAMBENCH_OUT" Check.java ../../JavacWorker.java
