#!/bin/sh
# Variables that the scripts of datasets read from the environment reach them through make, too: for a variable that the
# Makefile sets, make would pass its own value.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
grep -rhoE '\$\{[A-Z_]+:-' "$root/datasets" | tr -d '${:-' | sort -u >read
grep -oE '^[A-Z_]+ *:?=' "$root/Makefile" | tr -d ' :=' | sort -u >set
ok "$([ -s read ] && [ -s set ]; echo $?)" 'the scripts read variables, and the Makefile sets some'
is "$(comm -12 read set)" '' 'the Makefile sets no variable that the scripts read'
done_testing
