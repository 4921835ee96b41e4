#!/bin/sh
# The man page is well formed and describes every option.
. "$(dirname "$0")/lib.sh"
page=$root/docs/man/assay-record.1

if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>err >text
    is "$(cat err)" '' 'man prints no warnings'
else
    skip 'there is no man here'
fi
if command -v mandoc >/dev/null; then
    is "$(mandoc -Tlint -Wwarning "$page")" '' 'mandoc prints no warnings'
else
    skip 'there is no mandoc here'
fi
options=$("$record" --help | grep -oE '^ +(-., )? *--[a-z][a-z-]*' | grep -oE -- '--[a-z][a-z-]*')
between 20 "$(echo "$options" | wc -l)" 100 '--help lists the options'
for option in $options; do
    grep -Fq -- "$(printf '%s' "$option" | sed 's/-/\\-/g')" "$page"
    ok $? "$option is described"
done
done_testing
