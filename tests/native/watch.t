#!/bin/sh
# Sampled accesses of native programs: known fractions, the registers' policies, programs that must not be disturbed.
# Bounds are five standard errors for the number of traps, or ten points if that is more.
# alone: it measures fractions of sampled accesses.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the victims are in x86-64 assembly'
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED JAVA_TOOL_OPTIONS
record=$build/libexec/assay/assay-record
waste=$build/libexec/assay/assay-waste
"$record" -q -m dead-store -o probe -- true 2>err
if grep -q 'no watchpoints' err; then skip_all "$(cat err)"; fi
for name in known listing2 rough holder faults stray; do
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -O1 -g -pthread -o "$name" "$root/tests/victims/watch/$name.c" 2>log ||
        { cat log; ok 1 "$name compiles"; }
done

# watched DIRECTORY MODE OPTION... -- COMMAND...: records it
watched() {
    directory=$1
    mode=$2
    shift 2
    timeout -k 1 600 "$record" -q -m "$mode" -p 1ms --max-cost 100% --seed 1 -o "$directory" "$@" >"$directory.out" 2>"$directory.err"
}

# column DIRECTORY NAME: this column's value for the kind that was recorded
column() {
    "$waste" -q --format csv "$1"/*.trace |
        awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 && c { print $c }'
}

# near VALUE EXPECTED WITHIN TITLE: one test
near() {
    awk -v value="${1:-none}" -v expected="$2" -v within="$3" \
        'BEGIN { d = value - expected; exit !(value != "none" && d <= within && d >= -within) }'
    ok $? "$4: ${1:-none}, expected $2 within $3"
}

# within DIRECTORY FRACTION: five standard errors for the number of traps, but at least ten points
within() {
    awk -v traps="$(column "$1" traps)" -v p="$2" 'BEGIN { d = traps > 0 ? 5 * sqrt(p * (1 - p) / traps) : 0; print (d > 0.1 ? d : 0.1) }'
}

# known fractions
for case in silent-load:0.75 silent-store:0.6667 dead-store:0.6667; do
    mode=${case%:*}
    for window in 1 16; do
        for registers in 1 4; do
            watched "known-$mode-$window-$registers" "$mode" --window $window --registers $registers -- \
                ./known 400000000
            near "$(column "known-$mode-$window-$registers" pair_fraction)" "${case#*:}" \
                "$(within "known-$mode-$window-$registers" "${case#*:}")" \
                "$mode, window $window, $registers registers: the wasted fraction"
        done
    done
done
"$waste" -q --pairs 1 --format csv known-silent-load-16-4/*.trace >pairs
like pairs 'mov [(]%rsi[)], %eax' 'pairs have their instructions'
is "$("$build/libexec/assay/assay-dump" --kind trap known-silent-load-1-4/*.trace 2>/dev/null | awk -F, 'NR > 1 && $11 > 0' |
    head -n 20 | wc -l)" 20 'registers trap'

# traps of registers that the kernel takes for nobody's, or for an instruction's
for code in 4 1; do
    ./stray $code >alone 2>&1
    is $? 133 "a stray trap of code $code ends a program alone"
    watched "stray-$code" silent-store -- ./stray $code
    is "$?$(cat "stray-$code.out")" 0done "  a program that is watched goes on"
done

# the same stack address in another call is another place
for registers in 2 4; do
    watched "calls-$registers" silent-store --registers $registers --window 2 -- ./known 100000000 calls
    "$waste" -q --format csv --pairs 0 "calls-$registers"/*.trace >pairs
    is "$(grep -c 'victim_local' pairs)" 0 "$registers registers: no pair spans two calls"
done

# survivors DIRECTORY REGISTERS: pairs of loads of elements that were found although as many ticks as there are registers
# came in the last 10 ms before, during which no processor does half a pass over the array. The instruction is 8b 0f; the
# fields are numbered with the kind before them.
survivors() {
    for kind in watch trap; do
        "$build/libexec/assay/assay-dump" --kind $kind --format csv "$1"/*.trace 2>/dev/null | sed "1d;s/^/$kind,/"
    done | awk -F, -v registers="$2" -v element=$((0x0f8b)) '$1 == "watch" { ticks[++n] = $3 }
        $1 == "trap" && $13 == element && $15 == element {
            k = 0; for (i in ticks) k += ticks[i] < $3 && ticks[i] > $3 - 1e7; found += k >= registers }
        END { print found + 0 }'
}

# Listing 2 of JXPerf: dozens of samples come between the two loads of an element, unless the clock is in wall time and
# the process that ticks waits for a processor
for policy in uniform replace-oldest; do
    for registers in 1 4; do
        watched "listing-$policy-$registers" silent-load --registers $registers --policy $policy -- ./listing2 12
        "$waste" -q --format csv --pairs 0 "listing-$policy-$registers"/*.trace >pairs
        found=$(grep -c 'victim_sum.*victim_sum' pairs)
        if [ "$policy" = uniform ]; then
            ok $((found == 0)) "$policy: long-distance silent loads are found with $registers registers"
        else
            is "$(survivors "listing-$policy-$registers" $registers)" 0 \
                "$policy: none is found with $registers registers while ticks come"
        fi
    done
done
ok $(($(survivors listing-uniform-4 4) == 0)) '  as uniform does'
near "$(column listing-uniform-4 pair_fraction)" 1 0.02 'the fraction of silent loads'

# programs with their own traps, threads, deep stacks, errno and forks
for case in trap:2000 threads:200 deep:400000 errno:7 fork:10; do
    how=${case%:*}
    for mode in silent-load dead-store; do
        watched "rough-$how-$mode" $mode -- ./rough "$how"
        is "$?" 0 "$how, $mode: status 0"
        is "$(cat "rough-$how-$mode.out")" "${case#*:}" '  the output is as without the recorder'
    done
done

# a debugger that uses some of the registers
./holder 1 true
if [ $? = 77 ]; then
    skip 'debug registers are not permitted here' 5
else
    for held in 1 4; do
        watched "held-$held" silent-load --window 1 -- ./holder $held ./known 200000000
        is "$?/$(cat "held-$held.out")" "0/$(./known 200000000)" \
            "a debugger uses $held registers: the program behaves as without the recorder"
    done
    near "$(column held-1 pair_fraction)" 0.75 "$(within held-1 0.75)" \
        '  three are enough: the fraction of silent loads'
    is "$("$build/libexec/assay/assay-dump" --kind trap held-1/*.trace 2>/dev/null | awk -F, 'NR > 1 && $11 > 3' | wc -l)" 0 \
        '  and no fourth register traps'
    is "$(grep -c 'no debug register' held-4.err)" 1 '  where none is left, one line reports it'
fi

# The agent does not read what a faulting access can't.
for mode in silent-load dead-store silent-store; do
    watched "faults-$mode" "$mode" -- ./faults 0.5
    is "$? $(cat "faults-$mode.out")" '0 many faults' "$mode: a program that handles its faults is not disturbed" ||
        sed 's/^/# /' "faults-$mode.err"
done

# no perf events
"${CC:-gcc}" -std=c17 -D_GNU_SOURCE -o deny_perf "$root/tests/record/deny_perf.c"
./deny_perf 1 true 2>/dev/null
if [ $? = 77 ]; then
    skip 'there is no seccomp here'
else
    ./deny_perf 1 "$record" -m dead-store -o denied -- touch ran 2>err
    is $? 1 'perf events are not permitted: status 1'
    is "$(grep -c 'no watchpoints: perf events are not permitted' err)/$(wc -l <err)" 1/1 \
        '  one line on stderr reports it'
    ok "$([ ! -e ran ]; echo $?)" '  the command is not run'
fi

# compared with exact counts
if command -v valgrind >/dev/null && [ -x "$build/lib/assay/valgrind/assay-amd64-linux" ]; then
    "$record" -q -E exact -m waste --no-profile -o exact -- ./known 100000 >/dev/null 2>&1
    "$build/libexec/assay/assay-audit" waste -q --format csv --exact exact/*.trace known-*-16-4/*.trace >audit
    is "$(head -n 1 audit)" \
        'program,kind,exact,sampled,lo,hi,error_points,covered,top10_found,kendall_tau,edit_distance,traps,wide_lo,wide_hi,wide_covered,way,unseen,bursts,missed_lo,missed_hi,missed_waste_lo,missed_waste_hi,missed_by_chance,extra' \
        'assay audit compares samples with exact counts'
    is "$(awk -F, 'NR > 1 { print $2 }' audit | tr '\n' ' ')" 'dead-store silent-store silent-load ' \
        '  each kind has a row'
    is "$(awk -F, 'NR > 1 { d = $12 > 0 ? 500 * sqrt($3 * (1 - $3) / $12) : 0 }
        NR > 1 && $7 ^ 2 > (d > 10 ? d : 10) ^ 2' audit)" '' '  errors are at most ten points, or five standard errors'
    is "$(awk -F, 'NR > 1 && $9 < 1' audit)" '' '  the worst pairs are found'
else
    skip 'there is no exact tool here' 4
fi
done_testing
