#!/bin/sh
# The command line: what it means, and what is refused with status 2 before anything runs.
. "$(dirname "$0")/lib.sh"

# refused REGEXP ARGUMENT...: status 2, and a message that matches
refused() {
    pattern=$1
    shift
    "$record" "$@" >out 2>err
    is $? 2 "status 2: $*"
    like err "$pattern" "  a message tells why"
    is "$(count assay-out/* ran)" 0 "  nothing is run"
}

refused 'no COMMAND'
refused 'no COMMAND' --
refused 'no COMMAND' -q --runs 3
refused "no mode 'cpux'" -m cpux -- touch ran
refused "no engine 'best'" -E best -- touch ran
refused "no clock 'randomly'" -c randomly -- touch ran
refused "no clock ''" -c random, -- touch ran
refused 'clock fixed is given twice' -c fixed,random -c fixed -- touch ran
refused 'clock random needs a time' -p ten -- touch ran
refused 'clock random needs a time' -p -5ms -- touch ran
refused 'clock random needs a time' -p 5min -- touch ran
refused 'clock random needs a time' -p nan -- touch ran
refused 'clock random needs a time' -p 0x10 -- touch ran
refused 'must be at least 10us' -p 1us -- touch ran
refused 'must be at least 10us' -p 0 -- touch ran
refused 'less than the period' -p 10ms --spread 10ms -- touch ran
refused 'only clock random' -c fixed --spread 1ms -- touch ran
refused 'clock period needs a number of events' -c period -p 10ms -- touch ran
refused "can't be both times and events" -c period,random -p 10 -- touch ran
refused 'needs engine pmu' -c period -E soft -- touch ran
refused 'whole number of at least 1' --runs 0 -- touch ran
refused 'whole number of at least 1' --runs 3x -- touch ran
refused 'whole number of at least 0' --warmup -1 -- touch ran
refused 'whole number of at least 0' --seed 9223372036854775808 -- touch ran
refused 'a series needs a directory' -o one.trace --runs 2 -- touch ran
refused 'a series needs a directory' -o one.trace -c random,fixed -- touch ran
refused 'an empty name' -o '' -- touch ran
refused "no option '--run-count'" --run-count 3 -- touch ran

"$record" --version >out
is "$?" 0 '--version: status 0'
like out '^assay-record [0-9]+\.[0-9]+' '  it prints name and number'
"$record" --help >out
is "$?" 0 '--help: status 0'
like out '^  assay record --runs 30' '  it shows examples'
is "$(awk 'length > 79' out)" '' '  it fits into 79 columns'

# tells KEY VALUE ARGUMENT...: the recorder passes KEY with VALUE to its agents
tells() {
    key=$1
    value=$2
    shift 2
    rm -rf assay-out log
    FAKE_LOG=$scratch/log "$record" -q "$@" -- true
    like log "\"$key\":$value[,}]" "${*:-no option}: $key is $value"
}
export FAKE_LOG
tells period_ns 10000000
tells spread_ns 3000000
tells clock '"random"'
tells runs 1
tells warmup false
tells period_ns 2500000 -p 2.5ms
tells spread_ns 750000 -p 2.5ms
tells period_ns 7000000 -p 7
tells 'period_(ns|asked)' 250000 -p 250us
tells period_ns 1000000000 -p 1s
tells 'period_(ns|asked)' 20000 -p 20000ns
tells spread_ns 1000000 --spread 1ms
tells spread_ns 0 --spread 0
tells spread_ns 0 -c fixed
tells source '"external"' -c safepoint
tells mode '"cpu"' -m cpu
tells engine '"soft"' -E soft
tells engine_asked '"auto"'
tells command '\["true"\]'
tells prefix '"run-001"'

rm -rf assay-out
"$record" -q sh -c 'exit 5' --runs 9 2>err
is $? 5 "options after the command are the command's, even without --"

rm -rf assay-out log
FAKE_LOG=$scratch/log "$record" -q --seed 42 --runs 2 -- true
FAKE_LOG=$scratch/log2 "$record" -q --seed 42 --runs 2 -o again -- true
is "$(grep -o '"seed":[0-9]*' log)" "$(grep -o '"seed":[0-9]*' log2)" 'the same seed gives the same runs'
is "$(grep -o '"seed":[0-9]*' log | sort -u | wc -l)" 2 'every run has its own seed'

rm -rf assay-out
"$record" -q -- printf %s "$(printf '\377\001"\\')" >out
is $? 0 'a command line of odd bytes is run'
like assay-out/series.json 'xff' '  and kept in series.json'
rm -rf assay-out
# shellcheck disable=SC2046
"$record" -q -- true $(seq 20000) && FAKE_LOG= "$record" -q -o long -- true $(seq 1 20000)
is $? 0 "a long command line leaves room for the agents' variable"
done_testing
