#!/bin/sh
# Sampled accesses of native programs where system calls read and write the watched places: fractions derived on paper
# where that is permitted; where it is not, such pairs are left out, and a note reports it.
# alone: it measures fractions of sampled accesses.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the victim is in x86-64 assembly'
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED JAVA_TOOL_OPTIONS
programs=$build/libexec/assay
"${CC:-gcc}" -std=c17 -D_GNU_SOURCE -O1 -g -o kernel "$root/tests/victims/watch/kernel.c"
[ -x kernel ] || { echo 'Bail out! the victim does not compile' && exit 1; }
"$programs/assay-record" -q -m dead-store -o probe -- ./kernel unread 200000 >out 2>err
if grep -q 'no watchpoints' err; then skip_all "$(cat err)"; fi

# watched MODE HOW COMMAND...: COMMAND records the victim; the trace is MODE-HOW.trace
watched() {
    mode=$1
    how=$2
    shift 2
    timeout -k 1 600 "$@" "$programs/assay-record" -q -m "$mode" -p 1ms --max-cost 100% --seed 1 -o "$mode-$how" -- \
        ./kernel "$how" 500000 >out 2>err
    is "$?/$(cat out)" 0/done "$mode, $how: the program behaves as without the recorder"
    "$programs/assay-waste" --format csv "$mode-$how"/*.trace >"$mode-$how.csv" 2>/dev/null
    "$programs/assay-waste" "$mode-$how"/*.trace >"$mode-$how.notes" 2>&1
}

# fraction MODE-HOW LOW HIGH WHAT: the wasted fraction of the pairs, in percent
fraction() {
    between "$2" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "pair_fraction") c = i }
        NR == 2 && c { print 100 * $c }' "$1.csv")" "$3" "$1: $4"
}

# outcomes MODE-HOW OUTCOME: how many samples had this outcome
outcomes() {
    "$programs/assay-dump" --kind watch "$1"/*.trace 2>/dev/null | awk -F, -v outcome="$2" '$3 == outcome { n++ } END { print n + 0 }'
}

seen=$("$programs/assay-info" probe/*.trace | awk '$1 == "kernel_accesses" { print $2 }')
if [ "$seen" = seen ]; then
    watched dead-store written
    fraction dead-store-written 0 5 'a store that write(2) reads is not dead'
    watched dead-store unread
    fraction dead-store-unread 90 100 'a store that nothing reads is dead'
    watched dead-store overwritten
    fraction dead-store-overwritten 90 100 'a store that read(2) overwrites is dead, although the place is loaded later'
    watched dead-store same
    fraction dead-store-same 90 100 '  also if read(2) stores the same value'
    watched silent-store overwritten
    fraction silent-store-overwritten 0 5 "a store of a value other than read(2)'s is not silent"
    watched silent-store same
    fraction silent-store-same 90 100 '  and one of the same value is silent'
    unlike dead-store-written.notes 'do not see' 'no note tells of unseen accesses'
    "$programs/assay-waste" -q --pairs 0 --format csv dead-store-overwritten/*.trace >pairs
    like pairs 'victim_fill.*read' "the second store has read(2)'s context"
else
    skip "accesses of system calls can't be observed here" 15
fi

# An ordinary user, under the kernel's default: the registers trap only in the program.
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
chmod 777 .
# shellcheck disable=SC2086 # words
$as_user "$programs/assay-record" -q -m dead-store -o user -- ./kernel unread 200000 >out 2>err
if [ "$("$programs/assay-info" user/*.trace 2>/dev/null | awk '$1 == "kernel_accesses" { print $2 }')" != left-out ]; then
    skip 'an ordinary user can observe accesses of system calls here, or no accesses at all' 7
else
    rm -rf dead-store-* silent-store-*
    # shellcheck disable=SC2086 # words
    watched dead-store written $as_user
    between 20 "$(outcomes dead-store-written unseen)" 1000000 \
        'unseen: pairs with a write(2) between are left out and counted'
    is "$("$programs/assay-dump" --kind trap dead-store-written/*.trace 2>/dev/null | grep -c victim_fill)" 0 \
        '  none counts as dead'
    like dead-store-written.notes 'do not see what system calls access .*left out' '  and a note reports it'
    # shellcheck disable=SC2086 # words
    watched dead-store unread $as_user
    fraction dead-store-unread 90 100 'a store that nothing reads is dead'
    # shellcheck disable=SC2086 # words
    watched silent-store overwritten $as_user
    like silent-store-overwritten.notes 'do not see what system calls access .*is not compared' \
        'silent stores: a note reports accesses that are not observed'
fi
done_testing
