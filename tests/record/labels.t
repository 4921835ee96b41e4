#!/bin/sh
# What tells series apart: labels, and the environment.
. "$(dirname "$0")/lib.sh"

"$record" -q --label gc=serial --label heap=1g -o out -- true 2>err
is "$? $(cat err)" '0 ' '--label: status 0'
is "$(tr -d ' \n' <out/series.json | grep -o '"labels":{[^}]*}')" '"labels":{"gc":"serial","heap":"1g"}' \
    '  series.json has the labels'
FAKE_LOG=$scratch/log "$record" -q --label gc=serial -o logged -- true
is "$(grep -o '"labels":{[^}]*}' log)" '"labels":{"gc":"serial"}' '  and so has the metadata of traces'
"$build/libexec/assay/assay-ci" --format tsv --value wall_time out >table 2>err
is "$(cut -f 1,2 table | tail -1)" "true	gc=serial, heap=1g" '  assay ci shows them'

"$record" --runs 2 --label gc=serial --label heap=1g -o out -- true 2>err
is $? 0 'the same labels resume the series'
"$record" --runs 3 --label gc=g1 --label heap=1g -o out -- true 2>err
is $? 1 'another label: status 1'
like err 'out holds another series: its set of labels is \{"gc":"serial","heap":"1g"\}, not .*--overwrite' '  one line tells what differs'
"$record" --runs 3 -o out -- true 2>err
is $? 1 'no labels: status 1'
"$record" -q -o plain -- true && "$record" --runs 2 --label gc=serial -o plain -- true 2>err
is $? 1 'labels for a series without any: status 1'
refused() {
    "$record" "$@" -o none -- true 2>err
    is "$? $(count none)" '2 0' "refused: $(echo "$*" | tr '\n' ' ')"
}
refused --label gc
refused --label =serial
refused --label gc=
refused --label 'g c=serial'
refused --label "gc=$(printf 'a\nb')"
refused --label gc=serial --label gc=g1
refused --label "gc=$(printf '%201s' x)"

# the environment: names and checksums, no values
environment() { tr -d ' \n' <"$1/series.json" | grep -o '"environment":{[^}]*}'; }
GC_OPTIONS=123456789 MY_TOKEN=hidden API_KEY=hidden "$record" -q -o env -- true
environment env >text
like text '"GC_OPTIONS":"e3069283"' 'series.json has the CRC-32C of a variable (e3069283 is its check value, of 123456789)'
unlike text '"(MY_TOKEN|API_KEY|PWD|SHLVL|_)"' '  but not of secrets, nor of what differs from one session to the next'
unlike text 123456789 '  and no value'
FAKE_LOG=$scratch/log GC_OPTIONS=123456789 MY_TOKEN=hidden "$record" -q -o logged-env -- true
grep -o '"environment":{[^}]*}' log | tail -n 1 >text
like text '"GC_OPTIONS":"e3069283"' 'and so has the metadata of traces'
unlike text 'MY_TOKEN|123456789' '  also without secrets and values'
GC_OPTIONS=123456789 "$record" --runs 2 -o env -- true 2>err
is $? 0 'the same environment resumes a series'
GC_OPTIONS=other MORE=1 "$record" --runs 3 -o env -- true 2>err
is $? 0 'another environment resumes it, too'
like err 'env: its next runs have another environment .* \(GC_OPTIONS, MORE\).*--overwrite' '  a warning names the variables'
is "$(tr -d ' \n' <env/series.json | grep -o '"environment":{[^}]*}' | tail -n 1 | grep -c '^"environment":{"GC_OPTIONS":"[0-9a-f]\{8\}","MORE":"90f599e3"}$')" 1 \
    '  the run has what changed (90f599e3 is the CRC-32C of 1)'
"$build/libexec/assay/assay-ci" env >/dev/null 2>err
like err 'differ in environment variable GC_OPTIONS, environment variable MORE' '  assay ci warns of them'
PWD=/ SHLVL=99 TERM=other GC_OPTIONS=123456789 "$record" --runs 4 -o env -- true 2>err
unlike err 'another environment' 'another terminal is no other environment'
done_testing
