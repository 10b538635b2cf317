#!/bin/sh
# A nightly measurement: runs a campaign, compares it with the last good runs, keeps it, and throws old ones away.
#
#     scripts/nightly.sh CONFIG [FOLDER]
#
# The run goes to FOLDER/TITLE/BEGIN, where TITLE is the name of the config file; FOLDER is `nightly` unless it is given. A
# run is good if its campaign ended well and nothing got worse; its folder is then named in FOLDER/TITLE/good, the newest last.
# The exit code is 0 if the run is good, 1 if something got worse, and otherwise that of `grambench run`.
#
#     GRAMBENCH  the program; otherwise `grambench` of the PATH
#     KEEP       how many runs are kept, 30 unless it is given; the good ones that are compared with are kept in any case
#     BASELINE   with how many good runs it is compared: 1 unless it is given. More than one takes other seeds: SEEDS
#     SEEDS      if it is `new`, each run has a seed of its own, the number of the day; otherwise the config's
#     JOBS       how many tasks run at once
#
# A run that was interrupted is gone on with by FOLDER/TITLE/BEGIN as `--output`. What was compared lies in the folder of the
# run: comparison.txt, .md, .json and .xml (JUnit).
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
fi
config=$1
title=$(basename "$config" .toml)
folder=${2:-nightly}/$title
grambench=${GRAMBENCH:-grambench}
keep=${KEEP:-30}
if ! command -v "$grambench" > /dev/null; then
    echo "there is no program \`$grambench\`; PATH may lead to it, or GRAMBENCH name it" >&2
    exit 2
fi
mkdir -p "$folder"

# Two at once would compare with each other's halves.
exec 9> "$folder/lock"
if ! flock -n 9; then
    echo "another nightly run is under way in $folder" >&2
    exit 2
fi

run=$folder/$(date -u +%Y-%m-%dT%H%M%SZ)
set -- run "$config" --output "$run"
[ -z "${JOBS:-}" ] || set -- "$@" --jobs "$JOBS"
[ "${SEEDS:-}" != new ] || set -- "$@" --seed "$(($(date -u +%s) / 86400))"
code=0
"$grambench" "$@" > "$run.txt" || code=$?
if [ -d "$run" ]; then
    mv "$run.txt" "$run/tables.txt"
else
    # It had nothing to show.
    rm -f "$run.txt"
fi

# What failed (3) or is unfit (4) is compared all the same: an error where there was a result is a regression.
case $code in
0 | 3 | 4) ;;
*)
    echo "the run ended with exit code $code" >&2
    exit "$code"
    ;;
esac

# The newest good runs that are still there.
touch "$folder/good"
before=
for name in $(tail -n "${BASELINE:-1}" "$folder/good"); do
    [ ! -d "$folder/$name" ] || before="$before $folder/$name"
done
worse=0
if [ -n "$before" ]; then
    for format in text:txt markdown:md json:json junit:xml; do
        worse=0
        # Names of folders are made here and in the title, which has no spaces in a campaign that means well.
        # shellcheck disable=SC2086
        "$grambench" compare $before "$run" --format "${format%:*}" --output "$run/comparison.${format#*:}" || worse=$?
        # What cannot be compared, such as a run with another config, is no judgement.
        [ "$worse" -le 1 ] || break
    done
    [ "$worse" -gt 1 ] || cat "$run/comparison.txt"
else
    echo "$run is the first run: there is nothing to compare it with"
fi

case $worse in
0) [ "$code" -ne 0 ] || basename "$run" >> "$folder/good" ;;
1) ;;
*)
    echo "to begin anew with this config, remove $folder/good" >&2
    exit "$worse"
    ;;
esac

# Old runs go, but for those that the next one is compared with.
for old in $(cd "$folder" && ls -d ????-??-??T??????Z 2> /dev/null | sort -r | tail -n "+$((keep + 1))"); do
    tail -n "${BASELINE:-1}" "$folder/good" | grep -qx "$old" || rm -rf "${folder:?}/$old"
done

[ "$worse" -eq 0 ] || exit "$worse"
exit "$code"
