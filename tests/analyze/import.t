#!/bin/sh
# assay import: every format as it is specified, by hand-made files with known answers; files of other tools where they
# are; and what is damaged.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
real=${ASSAY_REAL_PROFILES:-$root/../shared/real/profiles}
scratch
programs=$build/libexec/assay
# import FILE...: into out/, which is emptied before
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
folded() {
    "$programs/assay-export" --to folded "$@"
}
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err
}
# metadata TRACE KEY
metadata() {
    "$programs/assay-info" "$1" 2>/dev/null | sed -n "s/^ *$2  *//p"
}

# --- folded stacks ---
printf '# made by hand\na;b;c 3\n\na;b 12\r\n// no count\na;x y;c 5\na;b;c 4\n' >x.folded
import x.folded
is $? 0 'folded stacks: status 0'
is "$(folded out/x.folded.trace)" "$(printf 'a;b 12\na;b;c 7\na;x y;c 5')" 'folded stacks come out as they went in, added up'
is "$(hot out/x.folded.trace | cut -d, -f2,3,7 | tail -n +2)" "$(printf 'b,0.5,12\nc,0.5,12')" 'assay hot counts weights'
is "$(cat said)" 'out/x.folded.trace: folded, samples: 4 records, 24 samples; not known: times, threads, period, runs' \
    'what was imported, and what is not known'
like "$(metadata out/x.folded.trace imported >unknown; echo unknown)" '"unknown":\["times","threads","period","runs"\]' 'the trace says so too'
"$programs/assay-import" -o two/ x.folded x.folded >said 2>err
is "$? $(grep -c 'exists already' err)" '1 1' 'a trace is not overwritten'
gzip -c x.folded >y.folded.gz
import y.folded.gz
is "$(folded out/y.folded.trace)" "$(printf 'a;b 12\na;b;c 7\na;x y;c 5')" 'packed by gzip'
printf 'a;b 1\nno count here\na;c 2\n' >bad.folded
import bad.folded
is "$? $(cat err)" "1 assay-import: bad.folded: line 2: not 'frame;frame COUNT': 'no count here'; 1 such places in all" \
    'a line that is none: told, with its place'
is "$(folded out/bad.folded.trace)" "$(printf 'a;b 1\na;c 2')" 'and the others are there'
"$programs/assay-import" -q --keep-going -o kept.trace bad.folded >said 2>err
is "$? $(cat said)" '0 ' '--keep-going: status 0; -q: nothing is printed'
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "f%d;", i; print "leaf 7" }' >deep.folded
import deep.folded
is "$? $(grep -c '1 stacks cut to their 1023 innermost frames' said)" '0 1' 'a deep stack is cut, and that is told'
is "$(folded out/deep.folded.trace | tr ';' '\n' | sed -n '1p;2p;$p')" "$(printf '[stack cut here]\nf1978\nleaf 7')" 'its innermost frames are kept'
awk 'BEGIN { print "a;b 18446744073709551615"; print "a;c 1" }' >huge.folded
import huge.folded
is "$? $(ls out)" '1 ' 'weights beyond 64 bits: an error, no trace'
"$programs/assay-import" - <x.folded >said 2>err
is "$? $(folded stdin.trace | wc -l)" '0 3' 'standard input'
for case in 'nofile|No such file' 'empty|is empty' 'text|no profile of a known format' 'comments|no profile'; do
    : >empty
    echo 'just some text' >text
    echo '# nothing else' >comments
    import "${case%%|*}"
    is "$? $(grep -c "^assay-import: ${case%%|*}: .*${case#*|}" err) $(wc -l <err)" '1 1 1' "${case%%|*}: one line, status 1"
done
"$programs/assay-import" >said 2>err
is $? 2 'no file: usage'

# --- perf script ---
cat >p.txt <<'END'
# ========
# captured on: today
# ========
#
my prog   12/13  [002] 10.000001:    1001001 cpu-clock:u: 
	             6f1 ns::f(int)+0x10 (/opt/a (b)/prog)
	             789 main (/opt/prog (deleted))
	ffffffff8100 [unknown] ([kernel.kallsyms])

my prog   12/13  [002] 10.001001:    1001001 cpu-clock:u: 
	             123 [unknown] (/lib/libc.so.6)
	             700 inl (inlined)
	             789 main (/opt/prog)

other    14 11.000000123: cycles:  ffff1234 sym+0x1 ([kernel.kallsyms])
other    14 11.5: cycles: 
END
import p.txt
is $? 0 'perf script: status 0'
is "$(ls out | tr '\n' ' ')" 'p.txt.cpu-clock-u.trace p.txt.cycles.trace ' 'a trace for each event'
is "$(folded --threads out/p.txt.cpu-clock-u.trace)" \
    "$(printf 'my prog;[kernel.kallsyms];main;ns::f(int) 1\nmy prog;main;inl;[libc.so.6] 1')" 'stacks, symbols without offsets, modules'
is "$("$programs/assay-dump" --kind sample --format csv out/p.txt.cpu-clock-u.trace | cut -d, -f2 | tr '\n' ' ')" \
    "$("$programs/assay-dump" --kind sample --format csv out/p.txt.cpu-clock-u.trace | head -n 1 | cut -d, -f2) 10000001000 10001001000 " 'times in ns'
is "$("$programs/assay-info" out/p.txt.cpu-clock-u.trace | awk '/my prog/ { print $1, $3 }')" '13 2' 'the thread, of PID/TID'
is "$(folded out/p.txt.cycles.trace)" "$(printf '[unknown] 1\nsym 1')" 'a sample of one frame in its head line; one without a stack'
"$programs/assay-import" -o one.trace p.txt >said 2>err
is "$? $(grep -c 'holds 2 profiles (cpu-clock:u, cycles)' err)" '1 1' 'one trace for two events: choose'
"$programs/assay-import" --profile cycles -o one.trace p.txt >said 2>err
is "$? $(folded one.trace | awk '{ n += $NF } END { print n }')" '0 2' '--profile chooses'
"$programs/assay-import" --profile nope -o none.trace p.txt >said 2>err
is "$? $(grep -c "no profile 'nope', but: cpu-clock:u, cycles" err)" '1 1' 'an unknown profile: those that there are are named'
{ cat p.txt; echo '	zzz not a frame'; } >q.txt
import q.txt
is "$? $(grep -c "line $(wc -l <q.txt): neither the head nor a frame" err)" '1 1' 'a line that is none'

# --- files of other tools, with what these tools print ---
if [ -d "$real/speedscope" ]; then
    for file in "$real"/speedscope/linux-perf/*.txt; do
        name=${file##*/}
        import "$file"
        is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }')" "0 $(grep -cE '^[^#[:space:]].*: *$' "$file")" "$name: a sample for each head line"
    done
    for file in simple simple-crlf simple-utf16-le simple-utf16-be; do
        import "$real/speedscope/stackcollapse/$file.txt"
        is "$(folded out/*.trace)" "$(printf 'a;b 5\na;b;c 5\na;b;d 4')" "$file.txt: the same stacks however they are written"
    done
    import "$real/speedscope/stackcollapse/simple-with-invalids.txt"
    is "$? $(folded out/*.trace | awk '{ n += $NF } END { print n }') $(grep -c 'line 8: .*invalid line' err)" '1 14 1' 'an invalid line is told'
else
    skip "no real profiles in $real"
fi

done_testing
