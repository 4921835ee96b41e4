#!/bin/sh
# The engine: auto chooses the best that works and reports which and why; without permission, without hardware, without
# root.
. "$(dirname "$0")/lib.sh"

"$record" -o auto -- true 2>err
is $? 0 'engine auto works everywhere'
like err '^assay-record: engine (pmu|soft) \((hardware counters|cpu-clock perf events|timer thread)' \
    '  and reports which engine it chose'
"$record" -q -o quiet -- true 2>err
is "$(cat err)" '' '  but not with -q'

compile deny_perf.c deny_perf || exit 1
./deny_perf 1 true 2>err
if [ $? -eq 0 ]; then
    # errno values of Linux: ENOENT 2, EPERM 1, EACCES 13, ENOSYS 38
    for number in 1 13; do
        FAKE_LOG=$scratch/log.$number ./deny_perf $number "$record" -o "deny$number" -- true 2>err
        is $? 0 "perf events not permitted ($number): auto records"
        like err 'engine soft \(timer thread, intervals in wall time\): perf events are not permitted \(perf_event_open: E(PERM|ACCES)\)' \
            '  with the timer thread'
        like err 'kernel.perf_event_paranoid.*CAP_PERFMON' '  it tells what to do'
        is "$(wc -l <err)" 1 '  in one line'
        like "log.$number" '"source":"timer-thread"' '  the agents are told the source'
        like "log.$number" '"engine_reason":"perf events are not permitted' '  and the reason'
    done
    ./deny_perf 1 "$record" -E soft -o denysoft -- true 2>err
    is $? 0 'engine soft records, too'
    like err 'engine soft \(timer thread.*perf_event_paranoid' '  and tells why it uses the timer thread'
    ./deny_perf 1 "$record" -E pmu -o denypmu -- touch ran 2>err
    is $? 1 'engine pmu not permitted: status 1'
    like err '^assay-record: engine pmu: perf events are not permitted \(perf_event_open: EPERM\)' \
        '  one line tells why'
    is "$(wc -l <err) $(count ran)" '1 0' '  the command is not run'
    ./deny_perf 38 "$record" -o denyall -- true 2>err
    like err 'engine soft \(timer thread.*: this kernel has no perf events \(perf_event_open: ENOSYS\)' \
        'a kernel without perf events: auto takes the timer thread and tells why'
    ./deny_perf 2 "$record" -E pmu -o denypmu -- touch ran 2>err
    is $? 1 'engine pmu without hardware: status 1'
    like err '^assay-record: engine pmu: this machine has no hardware counters \(perf_event_open: ENOENT\)' \
        '  one line tells why'
    ./deny_perf 2 "$record" -c period -o denyperiod -- touch ran 2>err
    is $? 1 'clock period without hardware: status 1'
    like err 'clock period counts hardware events: ' '  one line tells why'
    ./deny_perf 1 "$record" -o auto -- true 2>err
    case $? in
    0) like err 'complete' 'a series with the same engine is the same series' ;;
    *) like err 'its (source|engine) is' 'a series does not continue with another source of samples' ;;
    esac
else
    skip 'no seccomp filters here'
fi

# not root
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups "$record" --version >/dev/null 2>&1; then
    nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    }
    mkdir theirs
    chown 65534:65534 theirs
    nobody "$record" -o theirs/out -- sh -c 'exit 6' 2>err
    is $? 6 'an unprivileged user records'
    is "$(count theirs/out/*.trace)" 1 '  with a trace'
    like err 'engine (pmu|soft) ' '  and a line reports the engine'
    nobody "$record" -o ours -- touch ran 2>err
    is "$? $(cat err)" '1 assay-record: ours: Permission denied' 'a directory that cannot be made: status 1, one line'
    mkdir -m 755 ours
    nobody "$record" -q -o ours -- touch ran 2>err
    is $? 1 'a directory that cannot be written: status 1'
    is "$(cat err)" "assay-record: $scratch/ours/series.json: Permission denied" '  one line tells why'
    is "$(count ran theirs/ran)" 0 '  the command was not run'
else
    skip 'not root, or an unprivileged user cannot read the build'
fi

# installations at odd paths
install_fake "$scratch/with space"
"$scratch/with space/libexec/assay/assay-record" -q -o space -- touch ran 2>err
is $? 1 'an installation whose path has a space: status 1'
like err "^assay-record: .*with space/lib/assay/libassay-native.so: LD_PRELOAD can't hold a path with a space" \
    '  one line tells why'
is "$(wc -l <err) $(count ran)" '1 0' '  the command is not run'
install_fake "$scratch/it's"
cp "it's/lib/assay/libassay-native.so" "it's/lib/assay/libassay-jvm.so"
"$scratch/it's/libexec/assay/assay-record" -q -o quote -- sh -c 'echo "$JAVA_TOOL_OPTIONS"' >out
is "$(cat out)" "-agentpath:\"$scratch/it's/lib/assay/libassay-jvm.so\"" 'a quote in the path is quoted for the JVM'
ln -s "$record" link
./link -q -o linked -- true
is $? 0 'the program is found through a symbolic link'
rm i/lib/assay/libassay-native.so
"$record" -q -o noagent -- touch ran 2>err
is $? 1 'no agent: status 1'
like err 'libassay-native.so: No such file or directory; is assay completely installed' \
    '  one line tells what is missing'
done_testing
