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

# complaints LOG: what Maven found to be wrong, without its advice on how to run it, or else its last words.
complaints() {
    local advice='^\[ERROR\] *$|\[Help [0-9]+\] http|-[eX] switch|For more information|After correcting the problems|mvn <args>'
    sed 's/\x1b\[[0-9;]*m//g' "$1" >"$1.plain"
    if ! grep '\[ERROR\]' "$1.plain" | grep -vE -- "$advice" | head -n 10; then
        tail -n 10 "$1.plain"
    fi
    rm -f "$1.plain"
}

# fetch DIR: the jars, into DIR.
fetch() {
    local maven given
    given="give GRAMBENCH_JARS=/folder/with/the/jars, which are:$(sed 's/^.* / /' <<<"$jars" | tr -d '\n')"
    read -r -a maven <<<"${GRAMBENCH_MAVEN:-mvn}"
    need "${maven[0]}" "Maven (or $given)"
    say "asking Maven for the jars"
    if ! "${maven[@]}" --batch-mode --quiet --file ../jvm/pom.xml "dependency:copy@$subject" \
        -DoutputDirectory="$1" >"$1.log" 2>&1; then
        complaints "$1.log" >&2
        die "Maven could not fetch the jars; without a network, $given"
    fi
}

# copy_jars: the jars, fetched or given, and found to be the right ones, into the build.
copy_jars() {
    local work name sum found remedy
    if [[ -n ${GRAMBENCH_JARS:-} ]]; then
        work=$GRAMBENCH_JARS
        [[ $work == /* ]] || die "GRAMBENCH_JARS must be an absolute path, and is $work"
        remedy="put the released one into $work, which GRAMBENCH_JARS names"
    else
        remedy="remove it from Maven's local repository (~/.m2/repository, unless you moved it) and try again"
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
        found=$(sha256sum <"$out/$name" | cut -d ' ' -f 1)
        [[ $found == "$sum" ]] ||
            die "$name is not the one that was released, or only a part of it: its sha256 is $found, not $sum; $remedy"
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

# check_version PROGRAM: stop when it does not run, or is older than the JDK that the workers are written for.
check_version() {
    local said version major
    said=$("$1" -version 2>&1) || die "\`$1 -version\` fails, so this JDK is of no use: $said"
    version=$(grep -oE '[0-9]+(\.[0-9]+)*' <<<"$(grep -E "version|^javac " <<<"$said")" | head -n 1 || true)
    major=${version%%.*}
    [[ $major != 1 ]] || major=$(cut -d . -f 2 <<<"$version")
    [[ -z $major || $major -ge $oldest ]] ||
        die "\`$1\` is of Java $version, and Java $oldest or later is needed: install a JDK, such as openjdk-17-jdk-headless, and put it first on PATH"
    [[ $1 != java || -z $major || $major -lt $without_manager ]] ||
        say "Java $version has no security manager, so no worker will start and everything takes many times as long; Java $oldest to $((without_manager - 1)) has one"
}

readonly oldest=17 without_manager=24
check_version java
check_version javac
