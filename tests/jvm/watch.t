#!/bin/sh
# Sampled accesses of Java programs: known waste is found at its lines, and no watchpoint survives a garbage collection.
# alone: it measures fractions of sampled accesses.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'accesses are decoded on x86-64 alone'
record=$build/libexec/assay/assay-record
waste=$build/libexec/assay/assay-waste
"$record" -q -m dead-store -o probe -- true 2>err
if grep -q 'no watchpoints' err; then skip_all "$(cat err)"; fi
victim Waste

# watched MODE CASE ROUNDS JVM_OPTION...: records a case of Waste; the trace is in MODE-CASE
watched() {
    mode=$1
    case=$2
    rounds=$3
    shift 3
    rm -rf "$mode-$case"
    timeout -k 1 600 "$record" -q -m "$mode" -p 1ms --max-cost 100% --seed 1 -o "$mode-$case" -- java "$@" Waste "${case%-*}" "$rounds" \
        ${collect+collect} >out 2>err
}

# fraction: pair_fraction, pair_lo and pair_hi of the last trace; the interval is that of the sampling error alone
fraction() {
    "$waste" -q --bias 0 --format csv "$mode-$case"/*.trace | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["pair_fraction"], $at["pair_lo"], $at["pair_hi"] }'
}

# between LOW HIGH TITLE: the interval meets LOW to HIGH, however many accesses a slow machine has sampled
between() {
    got=$(fraction)
    echo "$got" | awk -v low="$1" -v high="$2" '
        { n = NF; lo = $2; hi = $3 }
        END { exit !(n == 3 && lo + 0 <= high + 0 && hi + 0 >= low + 0) }'
    ok $? "$3: ${got:-none}, expected $1 to $2"
}

# What the JIT compiler adds (spills, the loop's own loads) and the start of the JVM are part of the fractions.
watched silent-load half 300000
is "$?/$(cat out)" "0/$(java Waste half 300000)" 'half of the loads are silent: the program gives its own result'
between 0.40 0.65 '  fraction of silent loads'
"$waste" -q --format csv --pairs 2 "$mode-$case"/*.trace >pairs
like pairs 'Waste.half\(\):(8|9|10)' '  the worst pairs are at their lines'
watched dead-store dead 600000
between 0.90 1 'all stores are dead: fraction of dead stores'
"$waste" -q --format csv --pairs 1 "$mode-$case"/*.trace >pairs
like pairs 'Waste.fill\(int\[\],int\):1[67]".*Waste.fill\(int\[\],int\):1[67]' '  the worst pair is at its line'
like pairs 'mov' '  the pair has its instruction'
watched silent-store silent 600000
between 0.90 1 'all stores are silent: fraction of silent stores'

# classes that are loaded continuously
victim Classes
timeout -k 1 600 "$record" -q -m silent-store -p 1ms --max-cost 100% --seed 1 -o classes -- java Classes 10000 >out 2>err
is "$?/$(cat out)" "0/$(java Classes 10000)" '10,000 classes: the program gives its own result'
"$waste" -q --format csv --pairs 0 classes/*.trace >pairs
like pairs 'Classes.Worker[^:]*applyAsInt' '  their methods have names'

# hundreds of collections per second
collect=1
watched dead-store dead-collect 300000 -XX:+UseSerialGC -Xmn4m
is "$?/$(cat out)" "0/$(java Waste dead 300000)" 'with collections: the program gives its own result'
"$dump" --kind gc "$mode-$case"/*.trace >collections 2>/dev/null
ok $(($(wc -l <collections) < 500)) "  there are at least 500 collections: $(wc -l <collections)"
"$dump" --kind watch "$mode-$case"/*.trace >outcomes 2>/dev/null
like outcomes collected '  watchpoints that met a collection are given up and counted'
between 0.60 1 '  fraction of dead stores among the others'
done_testing
