# Runs picireny on the input $2 with the test $1 and the grammar $3; the result is in $4/input. What the input begins with
# decides which start rule of the grammar it is of.
case $(head -c 1 "$2") in
    [[{\"]) start=json ;;
    [-+\(0-9]) start=expression ;;
    *) start=program ;;
esac
exec picireny --input "$2" --test "$1" --grammar "$3" --start "$start" --out "$4" --sys-recursion-limit 100000 \
    --phase prune --phase hoist --quiet
