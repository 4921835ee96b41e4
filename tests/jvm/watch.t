#!/bin/sh
# Sampled accesses of Java programs: known waste at its lines, and no watchpoint survives a garbage collection.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'accesses are decoded on x86-64 alone'
record=$build/libexec/assay/assay-record
waste=$build/libexec/assay/assay-waste
"$record" -q -m dead-store -o probe -- true 2>err
if grep -q 'no watchpoints' err; then skip_all "$(cat err)"; fi
victim Waste

# watched MODE CASE ROUNDS OPTION... : of the JVM; the trace is in MODE-CASE
watched() {
    mode=$1
    case=$2
    rounds=$3
    shift 3
    rm -rf "$mode-$case"
    timeout -k 1 600 "$record" -q -m "$mode" -p 1ms --max-cost 100% --seed 1 -o "$mode-$case" -- java "$@" Waste "${case%-*}" "$rounds" \
        ${collect+collect} >out 2>err
}

# fraction: pair_fraction of the last trace
fraction() {
    "$waste" -q --format csv "$mode-$case"/*.trace | awk -F, 'NR == 2 { print $5 }'
}

# between LOW HIGH TITLE
between() {
    got=$(fraction)
    awk -v got="${got:-none}" -v low="$1" -v high="$2" 'BEGIN { exit !(got != "none" && got >= low && got <= high) }'
    ok $? "$3: ${got:-none}, expected $1 to $2"
}

# What the JIT compiler adds (spills, the loop's own loads) and the start of the JVM are part of the fractions.
watched silent-load half 300000
is "$?/$(cat out)" "0/$(java Waste half 300000)" 'half of the loads are silent: the program behaves as without'
between 0.40 0.65 '  fraction'
"$waste" -q --format csv --pairs 2 "$mode-$case"/*.trace >pairs
like pairs 'Waste.half\(\):(8|9|10)' '  at their lines'
watched dead-store dead 600000
between 0.90 1 'all stores are dead'
"$waste" -q --format csv --pairs 1 "$mode-$case"/*.trace >pairs
like pairs 'Waste.fill\(int\[\],int\):1[67]".*Waste.fill\(int\[\],int\):1[67]' '  at their line'
like pairs 'mov' '  with their instruction'
watched silent-store silent 600000
between 0.90 1 'all stores are silent'

# classes that are loaded all the time
victim Classes
timeout -k 1 600 "$record" -q -m silent-store -p 1ms --max-cost 100% --seed 1 -o classes -- java Classes 10000 >out 2>err
is "$?/$(cat out)" "0/$(java Classes 10000)" '10,000 classes: the program is as without'
"$waste" -q --format csv --pairs 0 classes/*.trace >pairs
like pairs 'Classes.Worker[^:]*applyAsInt' '  and they are named'

# hundreds of collections per second
collect=1
watched dead-store dead-collect 300000 -XX:+UseSerialGC -Xmn4m
is "$?/$(cat out)" "0/$(java Waste dead 300000)" 'with collections: the program behaves as without'
"$dump" --kind gc "$mode-$case"/*.trace >collections 2>/dev/null
ok $(($(wc -l <collections) < 500)) "  $(wc -l <collections) collections"
"$dump" --kind watch "$mode-$case"/*.trace >outcomes 2>/dev/null
like outcomes collected '  watchpoints that met one were given up, and counted'
between 0.60 1 '  and the rest is as dead as before'
done_testing
