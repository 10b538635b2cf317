#!/bin/sh
# Has bc evaluate an equation. It wants one line and `==`, knows neither exponents nor a plus before a number nor names with
# other letters than small ones, and takes two minuses in a row for one word.
sed -z -E '
s/[\n\t\r]/ /g
s/=/==/
s/(^|[^A-Za-z0-9_.])([0-9]+(\.[0-9]+)?)[eE]([-+]?[0-9]+(\.[0-9]+)?)/\1(\2*10^(\4))/g
s/(^|[^A-Za-z0-9_.])([0-9]+(\.[0-9]+)?)[eE]([-+]?[0-9]+(\.[0-9]+)?)/\1(\2*10^(\4))/g
s/[A-Z]/v_\L&/g
s/(^|[^a-z0-9_])_/\1v__/g
:plus
s/(^|[-+*/^(<>=,]) *\+/\1/
t plus
s/-/ - /g
s/$/\n/' "$1" | bc -lq "${0%/*}/functions.bc"
