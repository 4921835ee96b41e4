#!/bin/sh
# What the scripts of datasets read from the environment reaches them through make, too: make gives its own value to a
# variable that it sets itself.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
grep -rhoE '\$\{[A-Z_]+:-' "$root/datasets" | tr -d '${:-' | sort -u >read
grep -oE '^[A-Z_]+ *:?=' "$root/Makefile" | tr -d ' :=' | sort -u >set
ok "$([ -s read ] && [ -s set ]; echo $?)" 'both have variables'
is "$(comm -12 read set)" '' 'the Makefile sets none that the scripts read'
done_testing
