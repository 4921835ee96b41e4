#!/bin/sh
# assay resolve: names, lines, inlined calls; stripped, missing and changed files; unfinished and damaged traces.
. "$(dirname "$0")/../native/lib.sh"
compile inlined -O2 -g || exit 1
compile spin -O2 -g || exit 1
compile processes -O1 -g || exit 1

# methods DIRECTORY: each sample's stack of names, innermost first
methods() {
    lines "$1" '^sample' | sed 's/^sample [0-9]* [0-9]* [0-9]* [0-9]* [a-z]* //; s/:[^<]*//g'
}

# With many samples, those of the program's start matter little.
config=',"period_ns":1000000,"spread_ns":300000,"max_cost":1'
sampled inlined ./inlined 200
config=''
cp -r inlined.d raw.d
is "$(methods raw | sort -u | grep -c '^\[inlined\]')" 1 'a raw trace has modules, but no names'
"$resolve" inlined.d/*.trace 2>err
is $? 0 'assay resolve adds names: status 0'
grep -q 'places named' err
ok $? '  one line tells how many places have names'
share=$(methods inlined | awk '/^work<middle<outer<main</ {n++} END {print n / NR}')
between 0.95 "$share" 1 '  inlined functions have their own contexts'
lines inlined '^sample' | grep -q '[ <]work:[^<]*inlined.c:\(11\|12\)<middle:[^<]*inlined.c:18<outer:[^<]*inlined.c:24<main:[^<]*inlined.c:29<'
ok $? '  with the lines of the calls'
is "$(lines inlined '^meta' | grep -c '"resolved": true')" 1 '  the metadata tell that it is resolved'
is "$(lines inlined '^(whole|unfinished)')" whole '  the trace is whole'
is "$(lines inlined '^(thread|lost)')" "$(lines raw '^(thread|lost)')" '  threads and losses are unchanged'
is "$(lines inlined '^sample' | cut -d ' ' -f 1-6)" "$(lines raw '^sample' | cut -d ' ' -f 1-6)" '  and so are the samples'
before=$(cksum <"$(echo inlined.d/*.trace)")
"$resolve" inlined.d/*.trace 2>err
is "$? $(cksum <"$(echo inlined.d/*.trace)") $(wc -l <err)" "0 $before 0" 'resolving it again changes nothing'
is "$(find inlined.d -type f | wc -l)" 1 '  and no other file is left'

# The same trace with other files in place of the program.
place=$(lines raw '^module' | awk '/inlined/ {print $3}')
# again NAME: resolves a new copy of the raw trace, in NAME.d
again() {
    rm -rf "$1.d"
    cp -r raw.d "$1.d"
    "$resolve" "$1".d/*.trace 2>err
}
cp inlined kept
strip inlined
again stripped
is "$? $(methods stripped | awk '/^\[inlined\]</ {n++} END {print (n > NR * 0.9)}')" '0 1' \
    'frames of a stripped program keep the name [module]'
cp kept inlined
objcopy --strip-debug inlined
again symbols
is "$? $(methods symbols | awk '/^outer<main</ {n++} END {print (n > NR * 0.9)}')" '0 1' \
    'without debug information the names are those of symbols'
rm inlined
again missing
is "$? $(grep -c "modules can't be read ($place)" err)" '0 1' 'a missing program: one line reports it'
is "$(methods missing | awk '/^\[inlined\]</ {n++} END {print (n > NR * 0.9)}')" 1 '  its frames keep the name [module]'
lines missing '^sample' | grep -q '<__libc_start'
ok $? '  those of libraries have names'
lines missing '^meta' | grep -q '"modules_missing": 1'
ok $? '  and the metadata count the missing module'
cp spin inlined
again changed
is "$? $(grep -c "modules are not those that ran ($place)" err)" '0 1' \
    'another program in its place: one line reports it'
lines changed '^meta' | grep -q '"modules_changed": 1'
ok $? '  and the metadata count the changed module'
cp kept inlined
objcopy --only-keep-debug inlined inlined.debug
objcopy --strip-debug --add-gnu-debuglink=inlined.debug inlined
again separate
is "$? $(methods separate | awk '/^work<middle<outer<main</ {n++} END {print (n > NR * 0.9)}')" '0 1' \
    'debug information in a separate file is found'
cp kept inlined

# A process that is killed leaves a trace without an end, and resolving must not add one.
(INSIDE=yes sampled killed ./processes wait >ready) &
wait_for ready
kill -KILL "$(wait_sampled killed processes)"
wait
"$resolve" -q killed.d/*.trace
is "$? $(lines killed '^(whole|unfinished)')" '0 unfinished' 'an unfinished trace is resolved and stays unfinished'
methods killed | grep -q '^burn_for<burn<\(run<\)\{0,1\}main'
ok $? '  its samples have names'

# A trace that is cut is resolved or refused, and what is lost stays lost.
size=$(wc -c <"$(echo raw.d/*.trace)")
bad=0
mkdir cut.d
for part in 1 2 3 4 5 6 7 8 9; do
    head -c $((size * part / 10)) raw.d/*.trace >cut.d/cut.trace
    before=$(lines cut '^sample' | wc -l)
    "$resolve" -q cut.d/cut.trace 2>err
    case $? in
    0) [ "$(lines cut '^(whole|unfinished)') $(lines cut '^sample' | wc -l)" = "unfinished $before" ] || bad=$part ;;
    1) [ "$(wc -l <err)" -eq 1 ] || bad=$part ;;
    *) bad=$part ;;
    esac
done
is $bad 0 'a trace cut at each tenth is resolved and stays unfinished, or is refused in one line'

# Damage of a column without names does not affect the names.
again spoilt
cp raw.d/*.trace spoilt.d/
python3 - spoilt.d/*.trace <<'END'
import sys
file = open(sys.argv[1], "r+b")
data = bytearray(file.read())
number = lambda at: int.from_bytes(data[at:at + 4], "little")
at, spoilt = 24 + number(12), 0
while data[at:at + 4] == b"CHNK":
    columns = data[at + 5]
    entries = [at + 44 + 16 * c for c in range(columns)]
    if data[at + 4] == 16 and spoilt == 0:  # a sample's fourth column is its state
        data[at + 44 + 16 * columns + sum(number(entry + 8) for entry in entries[:3])] ^= 255
        spoilt += 1
    at += 44 + number(at + 32)
file.seek(0)
file.write(data)
sys.exit(spoilt != 1)
END
is $? 0 'a chunk of samples gets damaged states'
"$resolve" -q spoilt.d/*.trace 2>err
is $? 0 '  the trace is resolved'
again whole
hot() {
    "$build/libexec/assay/assay-hot" -q --format csv "$1".d/*.trace 2>err
    echo "status $?"
}
is "$(hot spoilt)" "$(hot whole)" '  an analyzer that needs no states gets all samples with their names'
is "$(lines spoilt '^sample' 2>log | wc -l | awk -v all="$(lines raw '^sample' | wc -l)" '{ print ($1 < all) }')" 1 \
    '  and a reader that needs states lacks some'

"$resolve" nowhere.trace 2>err
is "$? $(wc -l <err)" '1 1' 'a trace that does not exist: status 1, one line'
"$resolve" 2>err
is $? 2 'no arguments: status 2'
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
    skip 'not root'
else
    again readonly
    cp raw.d/*.trace readonly.d/
    chmod 755 readonly.d
    before=$(cat readonly.d/*.trace | cksum)
    cp "$resolve" resolve
    setpriv --reuid=65534 --regid=65534 --clear-groups ./resolve readonly.d/*.trace 2>err
    is "$? $(cat readonly.d/*.trace | cksum)" "1 $before" \
        'a directory that cannot be written: status 1, and the trace is unchanged'
fi
done_testing
