# What the `prepare.sh` of the subjects on a Java virtual machine have in common: getting their jars through
# Maven, compiling the worker, and archiving classes. To be read in with `.`, by a bash script that has set
#
#   subject   the subject's name, which stands before messages and is an execution in pom.xml
#   jars      a list of jars, each with its sha256: lines of sha256sum
#
#   GRAMBENCH_OUT      an existing, empty folder
#   GRAMBENCH_JARS     optional: a folder that holds the jars, when they are not to be fetched
#   GRAMBENCH_MAVEN    optional: what to say for `mvn`, with arguments, such as `mvn --offline`
#
# The pom is not among the inputs that a build depends on: whatever it says, the checksums decide what is used.

say() { printf '%s: %s\n' "$subject" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# need PROGRAM PACKAGE: stop when the program is not there, and say what to install.
need() {
    command -v "$1" >/dev/null 2>&1 || die "\`$1\` is missing: install $2"
}

# fetch DIR: the jars, into DIR.
fetch() {
    local maven
    read -r -a maven <<<"${GRAMBENCH_MAVEN:-mvn}"
    need "${maven[0]}" "Maven (or give GRAMBENCH_JARS=/folder/with/the/jars)"
    say "asking Maven for the jars"
    if ! "${maven[@]}" --batch-mode --quiet --file ../jvm/pom.xml "dependency:copy@$subject" \
        -DoutputDirectory="$1" >"$1.log" 2>&1; then
        grep '\[ERROR\]' "$1.log" | head -n 10 >&2 || tail -n 10 "$1.log" >&2
        die "Maven could not fetch the jars"
    fi
}

# copy_jars: the jars, fetched or given, and found to be the right ones, into the build.
copy_jars() {
    local work name sum
    if [[ -n ${GRAMBENCH_JARS:-} ]]; then
        work=$GRAMBENCH_JARS
    else
        work=$(mktemp -d "${TMPDIR:-/tmp}/grambench-$subject.XXXXXX")
        # Now and not when it is run: what it names is no more then.
        # shellcheck disable=SC2064
        trap "rm -rf '$work' '$work.log'" EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM HUP
        fetch "$work"
    fi
    while read -r sum name; do
        [[ -r $work/$name ]] || die "there is no $name in $work"
        cp "$work/$name" "$out/$name"
        echo "$sum  $out/$name" | sha256sum --check --quiet - >&2 2>&1 ||
            die "$name is not the one that is meant (its sha256 is not $sum)"
    done <<<"$jars"
}

# compile JAR... -- FILE...: Java files of ours into worker.jar, against the jars.
compile() {
    local path=
    while [[ $1 != -- ]]; do
        path+=${path:+:}$out/$1
        shift
    done
    shift
    say "compiling the worker"
    mkdir "$out/classes"
    # No annotation processors and no sources, which some jars bring along.
    javac -nowarn -Xlint:none -encoding UTF-8 -proc:none -implicit:none -sourcepath "$out/classes" \
        -cp "$path" -d "$out/classes" "$@" || die "the compiler failed"
    # A jar, since no classes of a folder are archived.
    jar --create --file "$out/worker.jar" -C "$out/classes" . || die "the archiver failed"
    rm -r "$out/classes"
}

# rehearsal NAME: standard input becomes the program ../NAME of rehearsals.
rehearsal() {
    mkdir -p "$out/rehearsal/stage"
    cat >"$out/rehearsal/$1"
}

# archive FILE OPTION... WORKER REHEARSAL...: an archive of the classes that the worker takes for the rehearsals, ready to be
# mapped into memory: that spares a virtual machine with these options half of its start. It holds for these paths of jars, and
# for this release of Java; a machine that it is not for passes it over, and starts without it. So nothing depends on it.
archive() {
    local file=$out/$1
    shift
    say "archiving classes"
    mkdir -p "$out/rehearsal/stage"
    (
        cd "$out/rehearsal/stage" &&
            java -XX:ArchiveClassesAtExit="$file" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.security.manager=allow "$@"
    ) </dev/null >/dev/null 2>&1 || true
    # One that was cut short, by a full disk say, would end each machine.
    java -Xlog:disable -XX:SharedArchiveFile="$file" -XX:+UseSerialGC -version >/dev/null 2>&1 || rm -f "$file"
    [[ -e $file ]] || say "this Java makes no archive of classes: it will take longer to start"
    rm -r "$out/rehearsal/stage"
}

need java "a JDK, such as openjdk-17-jdk-headless"
need javac "a JDK, such as openjdk-17-jdk-headless"
need jar "a JDK, such as openjdk-17-jdk-headless"
need sha256sum coreutils
[[ -d ${GRAMBENCH_OUT:-} ]] || die "GRAMBENCH_OUT must name an existing folder"
out=$(cd "$GRAMBENCH_OUT" && pwd)
[[ -r subject.toml ]] || die "to be run in the folder of the subject, which holds subject.toml"
