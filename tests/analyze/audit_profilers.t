#!/bin/sh
# assay audit profiler: planted profilers, which write made-up profiles of a program that does nothing. The truth is
# leaf 60 %, hot 20 %, cold 20 %; the audit finds and names each planted error, and profilers that fail leave the others
# alone.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
audit() {
    "$build/libexec/assay/assay-audit" profiler "$@" 2>err
}
cp "$root/tests/analyze/audit/planted" .
# planted KIND...: their options, one per line
planted() {
    for kind; do echo "--profiler=$kind=$PWD/planted ${kind%[0-9]} {out} {command}"; done
}
IFS='
'
# shellcheck disable=SC2046 # a word a line
audit -q --runs 3 --tolerance 0.1 --format json -o all $(planted fair1 fair2 moved doubled correlated) -- true >out.json
is $? 0 'an audit of planted profilers: status 0'
# field PROFILER KEY: of out.json
field() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[3]))["profilers"]:
    if row["profiler"] == sys.argv[1]:
        print(row[sys.argv[2]])' "$1" "$2" "${3:-out.json}"
}
is "$(field moved verdict)" 'in doubt' "a profiler that gives the callee's share to the caller is in doubt"
is "$(field fair1 verdict)$(field fair2 verdict)" undecidedundecided 'the fair ones are undecided'
is "$(field moved hottest) $(field fair1 hottest)" 'hot leaf' 'the hottest methods are reported'
like out.json 'moved.* of 0\.[23][0-9]* moved from leaf to hot, its caller|moved.*moved from hot to leaf, its callee' \
    'the share that moved between callee and caller is named'
like out.json '"[^"]*doubled[^"]*cold has [^"]*times the weight' 'a method that is counted twice is named'
is "$(field correlated threads_not_random) $(field correlated threads_random)" '3 0' \
    'correlated intervals are found in every run'
like out.json 'correlated.*does not sample at random' '  they are named'
is "$(field fair1 threads_not_random)" 0 'the fair one samples at random'
is "$(field fair1 slope)" None 'without injection there is no slope'

# An audit continues after an interruption: nothing is run again
# shellcheck disable=SC2046
audit --runs 3 --tolerance 0.1 --format json -o all $(planted fair1 fair2 moved doubled correlated) -- true >again.json
is "$? $(grep -c 'of 18' err) $(cat seed-moved)" '0 0 3' 'a finished audit runs nothing again'
cmp -s out.json again.json
is $? 0 '  its report is the same'
# shellcheck disable=SC2046
audit --runs 3 -o all $(planted fair1) -- true >out
is "$? $(grep -c 'holds another audit' err)" '2 1' 'another audit in the same directory is refused'

# The report as a page that needs no other file, and as LaTeX
# shellcheck disable=SC2046
audit -q --runs 3 --tolerance 0.1 --format html -o all $(planted fair1 fair2 moved doubled correlated) -- true >page.html
is "$? $(grep -c '</html>' page.html)" '0 1' '--format html: a page'
is "$(grep -ciE '(src|href)="?(https?:|//)|@import|<link|url\(["'"'"']?http' page.html)" 0 \
    '  it loads nothing from elsewhere'
is "$(grep -o 'id="\?'"'"'\?[^ "'"'"'>]*' page.html | sort | uniq -d | grep -c '')" 0 '  its ids are unique'
like page.html '<td>moved</td><td><span class="verdict open">in doubt</span>' '  it has the verdicts'
is "$(grep -c '<figure>' page.html)" 3 '  it has three figures'
# In a browser a click on a column's header sorts by it, numbers as numbers, and a second click reverses the order.
sorted() {
    { sed 's,</html>,,' page.html && echo "<script>for (const [table, column] of [[0, 1], [1, 6], [2, 2], [2, 2]])
        document.querySelectorAll('table')[table].querySelectorAll('th button')[column].click();</script></html>"; } >clicked.html
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/browser" --dump-dom "file://$PWD/clicked.html" >dom.html 2>/dev/null
    python3 -c 'import re
tables = re.findall("<table>.*?</table>", open("dom.html").read(), re.S)
def column(table, at):
    cells = [re.findall("<td.*?</td>", row, re.S) for row in re.findall("<tr>(.*?)</tr>", tables[table], re.S)]
    return [re.sub("<[^>]*>", "", row[at]) for row in cells if row]
words, costs, distances = column(0, 1), [float(x.split()[0]) for x in column(1, 6)], [float(x.split()[0]) for x in column(2, 2)]
print(len(words), words == sorted(words), costs == sorted(costs), len(distances), distances == sorted(distances, reverse=True),
    *re.findall("aria-sort=\"([a-z]*)\"", "".join(tables)))'
}
if command -v chromium >/dev/null; then
    is "$(sorted)" '5 True True 10 True ascending ascending descending' '  a click on a column sorts by it'
else
    skip 'no chromium: a click on a column is not tried'
fi
# shellcheck disable=SC2046
audit -q --runs 3 --tolerance 0.1 --format latex -o all $(planted fair1 fair2 moved doubled correlated) -- true >table.tex
like table.tex '^.newcommand.{.auditMovedVerdict.}.{in doubt.}|^.newcommand[{].auditMovedVerdict[}][{]in doubt[}]$' \
    '--format latex: a macro per value'
like table.tex '^fair1 & undecided & yes & leaf & -- & 0 & 0 & .* ' '  a row per profiler'

# Installed, the script and assay's programs find each other without the checkout
mkdir -p usr/libexec/assay usr/share/assay/analyze/audit
for program in audit import agree compare intervals hot; do cp "$build/libexec/assay/assay-$program" usr/libexec/assay; done
cp -r "$root/analyze/audit/profiler" usr/share/assay/analyze/audit
ln -s "$root/plots" usr/share/assay/plots
# shellcheck disable=SC2046
usr/libexec/assay/assay-audit profiler -q --runs 2 -o installed $(planted fair1 moved) -- true >out 2>err
is "$? $(cat err)" '0 ' 'an installed audit: status 0'
like out '^moved +undecided .*; differs from fair1' '  it reports verdicts'

# The points of a profiler that is unaware of injection: its share times the time that it sees, and the time of Java
# threads
mkdir -p points/a.B.f/1-0 points/a.B.f/1-50 points/a.B.f/2-50
printf 'main;a.B.g;a.B.f(int) 3\nmain;a.B.f;other 1\nmain 6\n' >folded
for point in 1-0 1-50 2-50; do
    "$build/libexec/assay/assay-import" -q -o points/a.B.f/$point/traces/ folded
    echo 9 >points/a.B.f/$point/wall_s
    echo 8 >points/a.B.f/$point/cpu_s
    echo java >points/a.B.f/$point/sees
done
echo all >points/a.B.f/1-50/sees
cat >table.csv <<'END'
method,work,amount,run,program_ms,cpu_ms,calls,injected_ms,compiled,inlined,size_class,guard,status,jvm_ms,jvm_cpu_ms,java_cpu_ms,bytes,command
a.B.f,fib,0,1,2000,1900,,0,C2,no,<=35,ok,ok,1800,1500,1000,20,"a, b"
a.B.f,fib,50,1,2000,1900,9,1,C2,no,<=325,"invalid: compiled C1, no",ok,1800,1500,1000,20,c
a.B.f,fib,50,2,2000,1900,9,1,C2,no,<=325,ok,exit 1,1800,1500,1000,20,c
END
"$root/analyze/audit/profiler/points" "$build/libexec/assay" cpu table.csv points >out
is "$(cat out)" 'method,amount,run,program_ms,method_ms,valid
"a.B.f",0,1,1000.000,300.000,yes
"a.B.f",50,1,1000.000,450.000,no' \
    'points: shares of the CPU time of the threads that the profiler sees; failed runs are left out'
"$root/analyze/audit/profiler/points" "$build/libexec/assay" wall table.csv points | sed -n 2p >out
is "$(cat out)" '"a.B.f",0,1,9000.000,2700.000,yes' 'points: shares of wall time'

# A program that waits for half of its time, at the end: its start takes 300 ms of CPU time, its work 700 ms and 5 ms
# more for each unit in f, which takes 200 ms of it. With a sample every 10 ms of work, f is reported with the time that
# it takes, however long the program waits.
mkdir -p waits/a.B.f
echo 'method,work,amount,run,program_ms,cpu_ms,calls,injected_ms,compiled,inlined,size_class,guard,status,jvm_ms,jvm_cpu_ms,java_cpu_ms,bytes,start_java_ms,command' >waits.csv
for amount in 0 100; do
    mkdir waits/a.B.f/1-$amount
    echo java >waits/a.B.f/1-$amount/sees
    echo $((2 * (1000 + 5 * amount) / 1000)) >waits/a.B.f/1-$amount/wall_s
    echo 2 >waits/a.B.f/1-$amount/cpu_s
    awk -v amount=$amount 'BEGIN { for (i = 0; i < 70 + amount / 2; i++)
        printf "prog 7 %.6f: cpu-clock: \n\t%x %s+0x1 (/bin/prog)\n\n", 100.3 + i / 100, 4096, i < 20 + amount / 2 ? "a.B.f" : "a.B.g" }' >timed
    "$build/libexec/assay/assay-import" -q -o waits/a.B.f/1-$amount/traces/ timed
    ran=$((1000 + 5 * amount))
    echo "a.B.f,fib,$amount,1,$((2 * ran)),$((ran + 400)),,0,C2,no,<=35,ok,ok,$((2 * ran)),$((ran + 400)),$ran,20,300,c" >>waits.csv
done
"$root/analyze/audit/profiler/points" "$build/libexec/assay" cpu waits.csv waits | tail -n +2 >out
is "$(cat out)" '"a.B.f",0,1,1000.000,200.000,yes
"a.B.f",100,1,1500.000,700.000,yes' 'points of a program that waits: its CPU time and that of the method'
"$root/analyze/audit/profiler/points" "$build/libexec/assay" wall waits.csv waits | tail -n 1 >out
is "$(cut -d, -f4 out)" 3000.000 '  its wall time'

# Profilers that fail: a line for each, and the others continue
echo 'a;b 3' >yesterday
touch -d '1 day ago' yesterday
audit -q --runs 2 -o bad '--profiler=fair='"$PWD"'/planted fair {out} {command}' '--profiler=dies={command}; echo no licence >&2; exit 3; : {out}' \
    '--profiler=nothing={command}; : {out}' '--profiler=stale={command}; cp -p '"$PWD"'/yesterday {out}' \
    '--profiler=empty={command}; : >{out}' '--profiler=noise={command}; echo just some text >{out}' -- true >out
is $? 1 'profilers that fail: status 1'
like err '^assay-audit: dies, run 1: it ended with status 3: no licence$' '  a line about one that exits with an error'
like err '^assay-audit: nothing, run 1: it left no profile$' '  about one that leaves no profile'
like err '^assay-audit: stale, run 1: it left a file that is older than this run: profile of ' \
    "  about one that leaves yesterday's file"
like err '^assay-audit: empty, run 1: it left an empty file, profile$' '  about one that leaves an empty file'
like err '^assay-audit: noise, run 1: what it left can.t be read: ' \
    '  about one that leaves a file that is not a profile'
is "$(grep -c '' err)" 5 '  no further lines'
is "$(grep -cE '^(dies|nothing|stale|empty|noise) +failed ' out) $(grep -c '^fair  *undecided  *samples at random' out)" '5 1' \
    '  the other profiler is audited'
audit -q --runs 2 -o alone '--profiler=fair='"$PWD"'/planted fair {out} {command}' -- sh -c 'echo broken >&2; exit 4' >out
is "$? $(cat err)" '1 assay-audit: the command alone: it ended with status 4: broken' \
    'a command that fails without a profiler: status 1 and one line'
audit -q --runs 2 --hot 2 -o short '--profiler=nothing={command}; : {out}' -- true >out
is "$? $(cat err)" '1 assay-audit: nothing, run 1: it left no profile' \
    'no profiler leaves a profile: status 1 and one line'
like out '^nothing  failed  *it left no profile' '  the report says so'
like out 'no slowdown was injected: no profiler left a profile' '  it says that nothing was injected, and why'
audit -q --runs 2 -o never --inject nosuch --amounts 5 '--profiler=fair='"$PWD"'/planted fair {out} {command}' -- true >out
is "$? $(grep -c '^assay-audit: fair: not all slowdowns of nosuch were injected: nosuch: ' err) $(grep -c '^fair  *undecided' out)" '1 1 1' \
    '--inject with an unknown method: a line, and the rest of the audit is reported'
# An audit grows: runs, kinds of work and amounts are added to existing ones, and each look at the slopes is kept. A
# profiler that sees nothing is judged after two runs; one that alternates between all and nothing is not, and gets more
# runs.
if ${CC:-cc} -O1 -g -finstrument-functions -o slowed "$root/tests/victims/slowed.c" 2>/dev/null; then
    cat >says <<'END'
#!/bin/sh
# says nothing|turns FILE COMMAND...
kind=$1 file=$2
shift 2
"$@" || exit
turn=$(($(cat turn 2>/dev/null || echo 0) + 1))
[ "$kind" = nothing ] || echo $turn >turn
if [ "$kind" = turns ] && [ $((turn / 2 % 2)) = 0 ]; then echo 'main;cold;hot 100'; else echo 'main;cold 100'; fi >"$file"
END
    chmod +x says
    # grown OPTION...: "STATUS ROWS LOOKS", rows and looks of both profilers
    grown() {
        audit -q --inject hot -o grows "$@" "--profiler=nothing=$PWD/says nothing {out} {command}" "--profiler=turns=$PWD/says turns {out} {command}" \
            -- ./slowed 1000 >out
        status=$?
        for name in nothing turns; do
            status="$status $(tail -q -n +2 grows/injected/$name/*/table.csv | grep -c '') $(grep -c "^$name	" grows/looks.tsv)"
        done
        echo "$status"
    }
    is "$(grown --runs 2 --max-runs 2 --amounts 3000)" '0 4 1 4 1' 'two runs with each amount, and one look'
    cp grows/injected/nothing/fib/table.csv before.csv
    is "$(grown --runs 2 --max-runs 2 --amounts 3000)" '0 4 1 4 1' '  again: no run and no look'
    is "$(grown --runs 3 --max-runs 3 --amounts 3000)" '0 6 2 6 2' \
        '  --runs 3: another run with each amount, and another look'
    is "$(grep -cFxf before.csv grows/injected/nothing/fib/table.csv)" 5 '  existing rows stay'
    is "$(cut -f 1,4 grows/looks.tsv | tail -n +2 | sort | tr '\t\n' '  ')" 'nothing 1 nothing 2 turns 1 turns 2 ' \
        '  looks are numbered'
    # Without a forecast, which depends on the times of this machine
    awk -F '\t' -v OFS='\t' '$1 == "turns" { $6 = "" } 1' grows/looks.tsv >looks.new && mv looks.new grows/looks.tsv
    is "$(grown --runs 3 --max-runs 6 --amounts 3000 | cut -d ' ' -f 1,4-)" '0 12 3' \
        '  --max-runs 6: without a verdict runs are doubled'
    # The notes repeat what assay causality said at the last look.
    awk -F '\t' -v OFS='\t' '$1 == "turns" && $2 == "fib" { $6 = "about 7 more runs would decide, if the slope stays (3 to 90, by the scatter of 6 runs)" } 1' \
        grows/looks.tsv >looks.new && mv looks.new grows/looks.tsv
    grown --runs 3 --max-runs 6 --amounts 3000 >/dev/null
    like grows/notes '^turns: hot: undecided after [0-9]+ runs; about 7 more runs would decide, if the slope stays \(3 to 90, by the scatter of 6 runs\); see --max-runs$' \
        '  a note says how many more runs may decide'
    # Even the fewest runs of a forecast exceed --max-runs 8: the audit stops before it makes any.
    audit_of_turns() {
        audit --inject hot -o grows --runs 3 --max-runs "$1" --amounts 3000 "--profiler=nothing=$PWD/says nothing {out} {command}" \
            "--profiler=turns=$PWD/says turns {out} {command}" -- ./slowed 1000 >out
        grep -c '^turns	' grows/looks.tsv
    }
    for forecast in '7 more runs would decide, if the slope stays (3' 'more than 1,000 more runs would be needed, if the slope stays (at least 3'; do
        awk -F '\t' -v OFS='\t' -v text="about $forecast to 90, by the scatter of 6 runs)" '$1 == "turns" && $2 == "fib" { sub(/^about more/, "more", text); $6 = text } 1' \
            grows/looks.tsv >looks.new && mv looks.new grows/looks.tsv
        audit_of_turns 8 >looks
        is "$(cat looks) $(grep -c '^turns: hot: undecided .*; even the fewest exceed --max-runs 8, so none were made$' grows/notes) $(grep -c 'assay-audit: turns: hot: .*so none were made' err)" \
            '3 1 1' "  --max-runs 8 is too few for it: no run, and a note ($forecast)"
    done
    awk -F '\t' -v OFS='\t' '$1 == "turns" && $2 == "fib" { $6 = 7 } 1' grows/looks.tsv >looks.new && mv looks.new grows/looks.tsv
    grown --runs 3 --max-runs 6 --amounts 3000 >/dev/null
    like grows/notes '^turns: hot: undecided after [0-9]+ runs; about 7 more runs would decide; see --max-runs$' \
        '  also for an audit that kept only the number'
    is "$(grown --runs 2 --max-runs 2 --work alloc --amounts 500:500:1000 | cut -d ' ' -f 1,4-)" '0 18 4' \
        '  --work alloc and a range of amounts are added'
    is "$(awk -F, 'NR > 1 { print $2, $3 }' grows/injected/turns/alloc/table.csv | sort -u | tr '\n' ',')" 'alloc 0,alloc 1000,alloc 500,' \
        '  with the requested amounts'
    is "$(awk -F '\t' '$1 == "turns" { print $2, $NF }' grows/causality.tsv | tr '\n' ',')" 'fib undecided,alloc undecided,' \
        '  each kind of work has a verdict'
    # Amounts are chosen from the noise of the runs, before anything is injected, and stay with the audit.
    printf '#!/bin/sh\nfile=$1\nshift\n"$@" || exit\nprintf "main 300\\nmain;cold;hot 100\\nmain;other 50\\n" >"$file"\n' >tells
    chmod +x tells
    audit --inject hot --runs 2 --max-runs 2 --steps 2 -o chosen "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 15000 >out
    is "$? $(cut -f 1 chosen/plan.tsv) $(awk -F '[\t,]' '{ print ($3 == 2 * $2) }' chosen/plan.tsv)" '0 hot 1' \
        '--inject without --amounts: even steps, by a pilot'
    like err '^assay-audit: a run under a profiler takes .* standard deviation .*half-widths of about [0-9.]+ after 2 runs' \
        '  it says before what half-widths to expect'
    like out 'half-widths of about [0-9.]+ after 2 runs' '  so does the report'
    is "$(awk '{ print ($1 >= 0.5 && $1 <= 4) }' chosen/slowdown)" 1 '  the largest takes half of the time at least'
    cp chosen/plan.tsv plan.before
    cp chosen/slowdown slowdown.before
    audit -q --inject hot --runs 3 --max-runs 3 --steps 2 -o chosen "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 15000 >out
    is "$? $(cat chosen/plan.tsv chosen/slowdown)" "0 $(cat plan.before slowdown.before)" '  an audit that grows keeps them'
    # Objects take another time than rounds, and a slowdown that was asked for is not the one that was chosen.
    audit -q --inject hot --work alloc --runs 2 --max-runs 2 --steps 2 -o chosen "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 15000 >out
    is "$? $(cat chosen/plan.tsv) $(awk -F, '$2 == "alloc" && $3 > 0 { print $3 }' chosen/injected/tells/alloc/table.csv | sort -nu | paste -s -d ,)" \
        "0 $(cat plan.before) $(cut -f 2 chosen/plan-alloc.tsv)" '  another kind of work has amounts of its own'
    audit -q --inject nosuch --slowdown 0.3 --runs 2 --max-runs 2 -o chosen "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 15000 >out
    is "$? $(cat chosen/slowdown)" "1 $(cat slowdown.before)" '  --slowdown leaves the one that was chosen'
    # Further runs have none and the largest amount: 2 runs of three amounts, then 2 of two.
    rm -f turn
    audit -q --inject hot --runs 2 --max-runs 4 --amounts 1000,3000 -o spends "--profiler=turns=$PWD/says turns {out} {command}" -- ./slowed 1000 >out
    is "$? $(awk -F, 'NR > 1 { print $4 ":" $3 }' spends/injected/turns/fib/table.csv | sort | tr '\n' ' ')" \
        '0 1:0 1:1000 1:3000 2:0 2:1000 2:3000 3:0 3:3000 4:0 4:3000 ' 'runs that are added have the amounts that decide'
    # The hottest method is called once, too rarely for work per call: the next one takes its place.
    printf '#!/bin/sh\nfile=$1\nshift\n"$@" || exit\nprintf "main 300\\nmain;cold;hot 100\\nmain;other 50\\n" >"$file"\n' >tells
    chmod +x tells
    audit -q --runs 2 --max-runs 2 --steps 1 --hot 2 -o passes "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 5000 >out
    is "$? $(cut -f 1 passes/plan.tsv | tr '\n' ' ')" '0 hot other ' \
        '--hot: a method that is called once is passed over'
    is "$(grep -c '^  main is passed over: its 1 call would have to take ' out)" 1 '  a line says so'
    audit -q --runs 2 --max-runs 2 --steps 1 --hot 3 -o lacks "--profiler=tells=$PWD/tells {out} {command}" -- ./slowed 5000 >out
    is "$? $(grep -c '^  only 2 of 3 methods can be made slower' out)" '0 1' \
        '--hot: a line says if fewer methods can be made slower than requested'
    # A command that disappears after its first run under assay inject: the error is the reason, not the note on that
    # run.
    printf '#!/bin/sh\n./slowed 5000\n[ -z "${LD_PRELOAD:-}" ] || rm -f fragile\n' >fragile
    chmod +x fragile
    audit -q --runs 2 --max-runs 2 --steps 1 --hot 1 -o fails "--profiler=tells=$PWD/tells {out} {command}" -- ./fragile >out
    is "$? $(grep -c '^  no slowdown was injected: .*fragile: ' out)" '1 1' \
        'the reason why no slowdown was injected is an error of assay inject'
    is "$(grep -c '^assay-inject: note: [0-9]* runs: ' fails/pilot.errors)" 1 '  not one of its notes'
else
    skip 'no C compiler here'
fi
audit --dry-run --runs 2 --profiler gprof --profiler callgrind -- true >out
is "$?" 0 '--dry-run: status 0'
like out '^6 runs of the command, with 0 JVM starts; alone it took [0-9.]+ s: about [0-9]+ s' \
    '  a line says how long the audit takes'

audit --dry-run --runs 2 --max-runs 5 --inject f --amounts 5,10,20 --profiler gprof --profiler callgrind -- true >out
like out '^22 runs of the command' '  with amounts: 2 runs of 3, and 2 of 4 amounts under 2 profilers'
like out '^up to 12 runs more where verdicts are undecided' '  3 more runs of none and the largest'

# refused MESSAGE ARGUMENT...
refused() {
    message=$1
    shift
    audit "$@" >out
    is "$? $(grep -cF -- "$message" err)" '2 1' "refused: $message"
}
refused 'which profilers?' -- true
refused 'what command' --profiler jfr
refused 'no such profiler; there are assay-random' --profiler gdb -- true
refused 'the line needs {out} and {command}' --profiler 'x=prof {command}' -- true
refused 'named twice' --profiler jfr --profiler jfr -- true
refused '--runs 1: two or more' --profiler jfr --runs 1 -- true
refused '--amounts 5:0:9: FROM:STEP:TO' --profiler jfr --inject a.B.f --amounts 5:0:9 -- true
refused '--slowdown or --amounts, not both' --profiler jfr --inject a.B.f --amounts 5 --slowdown 1 -- true
refused '--work gc: fib, alloc or array' --profiler jfr --inject a.B.f --work gc -- true
refused '--max-runs many: a number' --profiler jfr --max-runs many -- true
refused '--format pdf: text, json, latex or html' --profiler jfr --format pdf -- true
refused 'no such option' --profiler jfr --frobnicate -- true

# The verdict of assay causality is the profiler's
printf '%s\n' seen blind >names
printf 'round\tprofiler\tstatus\twall_s\twhy\n' >runs.tsv
printf 'profiler\twork\tlook\tmore_runs_text\tmethod\tslope\tlo\thi\tr2\tpoints\truns\tinvalid_points\tverdict\nseen\tfib\t1\t\tm\t1.01\t0.98\t1.04\t1\t6\t2\t0\tactionable\nblind\tfib\t1\t\tm\t0.02\t-0.01\t0.05\t1\t6\t2\t0\tnot actionable\n' >causality.tsv
"$build/libexec/assay/assay-audit" profiler-report text 2 0.25 m c >out
like out '^seen   believe .*slope of injected time 1\.01 \[0\.98, 1\.04\], actionable' \
    'a profiler that sees slowdowns is believed'
printf 'seen\tfib\t1\t\tm2\t0.9\t0.7\t1.1\t1\t6\t2\t0\tundecided\n' >>causality.tsv
"$build/libexec/assay/assay-audit" profiler-report text 2 0.25 m c >half
like half '^seen   undecided .*1 actionable, 0 not actionable, 1 undecided' '  but not if a slope is undecided'
like half 'verdicts on slopes allow for all methods of a profiler' '  a note says what verdicts allow for'
# Costs are reported with the length of the run: a start of 0.3 s is 30 % of one second and 0.3 % of a hundred.
judge_costs() {
    printf 'round\tprofiler\tstatus\twall_s\twhy\n1\tnone\tok\t%s\t\n2\tnone\tok\t%s\t\n1\tseen\tok\t%s\t\n' "$1" "$2" "$3" >runs.tsv
    printf 'name\tchange\tchange_lo\tchange_hi\nseen\t%s\t%s\t%s\n' "$4" "$4" "$4" >cost.tsv
    rm -f causality.tsv
    "$build/libexec/assay/assay-audit" profiler-report "${5:-text}" 2 0.25 '' c
}
judge_costs 1 1.1 1.35 0.3 >costs
like costs '^seen .*; costs \+30\.0 % \[\+30\.0, \+30\.0\] of 1\.05 s' 'a cost is reported with the length of the run'
like costs "^  costs: of the whole command's wall time, 1\.05 s without a profiler; .*: audit a longer run" \
    '  a note says that start-up weighs in a short one'
unlike costs '^blind .*; costs' '  a profiler without a cost shows none'
judge_costs 100 101 100.8 0.003 >costs
like costs "^  costs: of the whole command's wall time, 100\.50 s without a profiler; a profiler's own start and end are in them\$" \
    '  a longer run gets no such advice'
is "$(judge_costs 100 101 100.8 0.003 json | python3 -c 'import json, sys; print(json.load(sys.stdin)["alone_s"])')" 100.5 \
    '  the JSON has the length, too'
like out '^blind  do not believe .*slope of injected time 0\.02 \[-0\.01, 0\.05\], not actionable' \
    'a profiler that does not see slowdowns is not believed'
# A single run has no interval: a cost without one shows none.
printf 'round\tprofiler\tstatus\twall_s\twhy\n1\tnone\tok\t2\t\n2\tnone\tok\t2\t\n1\tseen\tok\t2.5\t\n' >runs.tsv
printf 'name\tchange\tchange_lo\tchange_hi\nseen\t0.25\t\t\n' >cost.tsv
"$build/libexec/assay/assay-audit" profiler-report text 2 0.25 '' c >costs
like costs '^seen .*; costs \+25\.0 % \(one run gives no interval\) of 2\.00 s' 'a cost of one run has no interval, and says so'
"$build/libexec/assay/assay-audit" profiler-report html 2 0.25 '' c >costs
like costs '\+25\.0 \(no interval\)' '  on the page, too'
"$build/libexec/assay/assay-audit" profiler-report latex 2 0.25 '' c >costs
like costs '^seen & .* & 25\.0 ..$' '  and in LaTeX'
unlike costs 'CostLo' '  where its interval has no macro'
printf 'name\tchange\tchange_lo\tchange_hi\nseen\t0.25\t0.2\t0.3\n' >cost.tsv
"$build/libexec/assay/assay-audit" profiler-report latex 2 0.25 '' c >costs
is "$(grep -o 'audit[A-Za-z]*Cost[A-Za-z]*}.[0-9.]*' costs | tr '\n' ' ')" 'auditSeenCost}{25.0 auditSeenCostLo}{20.0 auditSeenCostHi}{30.0 ' \
    '  an interval has macros'
# Profiles agree if the interval of their distance is below the tolerance, and differ if it is above; else nothing is shown.
printf '%s\n' near far wide seen >names
printf 'a\tb\thottest_a\thottest_b\tclass\tdistance\tlo\thi\nseen\tnear\tm\tm\tagree\t0.1\t0\t0.2\nseen\tfar\tm\tm\tagree\t0.4\t0.3\t0.5\nseen\twide\tm\tm\tagree\t0.2\t0.1\t0.3\n' >agree.tsv
"$build/libexec/assay/assay-audit" profiler-report text 2 0.25 '' c >related
like related '^seen .*; agrees with near; no difference shown from wide; differs from far' \
    'agreement is an interval below the tolerance, not one around it'
rm agree.tsv
printf '%s\n' seen blind >names
# What a command contains stays as it is
# shellcheck disable=SC1003 # a backslash
quoted='sh -c "a\b	c\" {}'
"$build/libexec/assay/assay-audit" profiler-report json 2 0.25 '' "$quoted" >quoted.json
is "$(python3 -c 'import json; print(json.load(open("quoted.json"))["command"])')" "$quoted" \
    'JSON: a command with quotes, tabs and backslashes'
printf 'round\tprofiler\tstatus\n1\tseen\n' >runs.tsv
"$build/libexec/assay/assay-audit" profiler-report text 2 0.25 '' c >out 2>err
is "$? $(cat err)" '1 assay-audit: runs.tsv: line 2 has 2 cells, but the header has 3' 'a damaged table: status 1 and a line'
# A uftrace that loses records says so while recording, and leaves an empty item in its dump.
mkdir losing
cat >losing/uftrace <<'END'
#!/bin/sh
case $1 in
record)
    for last; do :; done
    "$last"
    echo "WARN: LOST 1200 records" >&2
    echo "WARN: LOST 34 records" >&2
    ;;
dump)
    echo '{"traceEvents":[
{"ts":1.000,"ph":"B","pid":7,"name":"main"},
,
{"ts":3.000,"ph":"E","pid":7,"name":"lone"},
{"ts":5.000,"ph":"E","pid":7,"name":"main"}
]}'
    echo 'WARN: Some of function trace records are lost. (1 times shown)' >&2
    ;;
esac
END
chmod +x losing/uftrace
echo 'int main(void) { return 0; }' >nothing.c
gcc -pg -o nothing nothing.c
PATH=$PWD/losing:$PATH "$root/analyze/audit/profiler/run" uftrace lossy ./nothing >said
is "$? $(cat said)" '0 ' 'a uftrace that loses records leaves a profile'
is "$(tail -n 1 lossy/damage)" 'uftrace lost 1234 records, which its profile lacks' '  its losses are reported'
is "$("$build/libexec/assay/assay-export" --to folded lossy/traces/*.trace)" 'main 4000' \
    '  the rest of its dump is read'
if command -v uftrace >/dev/null; then
    "$root/analyze/audit/profiler/run" uftrace whole ./nothing >said
    is "$? $(cat said) $(cat whole/damage 2>/dev/null)" '0  ' 'uftrace itself loses nothing here'
else
    skip 'no uftrace here'
fi

done_testing
