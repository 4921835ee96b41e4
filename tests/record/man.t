#!/bin/sh
# The man page: well formed, and covers every existing option.
. "$(dirname "$0")/lib.sh"
page=$root/docs/man/assay-record.1

if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>err >text
    is "$(cat err)" '' 'man has no warnings'
else
    skip 'no man here'
fi
if command -v mandoc >/dev/null; then
    is "$(mandoc -Tlint -Wwarning "$page")" '' 'mandoc has no warnings'
else
    skip 'no mandoc here'
fi
for option in $("$record" --help | grep -oE '^ +(-., )? *--[a-z]+' | grep -oE -- '--[a-z]+'); do
    grep -Fq -- "$(printf '%s' "$option" | sed 's/-/\\-/g')" "$page"
    ok $? "$option is described"
done
done_testing
