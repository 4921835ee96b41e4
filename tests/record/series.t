#!/bin/sh
# Series: several runs and clocks, warm-up, failing runs, resuming after an interruption, output directories.
. "$(dirname "$0")/lib.sh"

# the order of runs
FAKE_LOG=$scratch/log "$record" -q -c random,safepoint -c fixed --runs 2 --warmup 1 -o mixed -- true 2>err
is $? 0 'three clocks, two runs and a warm-up: status 0'
is "$(cat err)" '' '  no progress is shown where stderr is not a terminal'
is "$(sed 's/.*"clock":"\([a-z]*\)".*"run":\([0-9]*\).*"warmup":\([a-z]*\).*/\1 \2 \3/' log | tr '\n' ';')" \
    'random 1 true;safepoint 1 true;fixed 1 true;random 1 false;safepoint 1 false;fixed 1 false;random 2 false;safepoint 2 false;fixed 2 false;' \
    '  the clocks take turns, warm-up first'
is "$(ls mixed | sed 's/-[0-9]*\.trace/.trace/' | tr '\n' ' ')" \
    'fixed-run-001.trace fixed-run-002.trace random-run-001.trace random-run-002.trace safepoint-run-001.trace safepoint-run-002.trace series.json ' \
    "  each clock's traces have their own names; those of the warm-up are deleted"
is "$(find mixed -name '*.trace' | wc -l)" 6 '  and no other name ends in .trace'

# failing runs
cat >odd <<'END'
#!/bin/sh
echo x >>odd.count
n=$(wc -l <odd.count)
[ $((n % 2)) -eq 0 ] || exit "$n"
END
chmod +x odd
"$record" -q --runs 4 -o odd.out -- ./odd 2>err
is $? 3 "the exit status is the runs' last one that is not 0"
is "$(wc -l <odd.count)" 4 '  the series continues after a failing run'
is "$(cat err)" 'assay-record: run 1: exit status 1
assay-record: run 3: exit status 3' '  and one line reports each'

# complete, extended, different
"$record" --runs 3 -o again -- sh -c 'echo run >>again.count' 2>/dev/null
"$record" --runs 3 -o again -- sh -c 'echo run >>again.count' 2>err
is $? 0 'a complete series: status 0'
like err '^assay-record: again: complete: 3 of 3 runs exist' '  one line reports it'
is "$(wc -l <again.count)" 3 '  nothing is run'
"$record" --runs 5 -o again -- sh -c 'echo run >>again.count' 2>err
like err 'again: resuming: 3 of 5 runs exist' 'a higher number of runs resumes the series'
is "$(wc -l <again.count)" 5 '  only the missing ones are run'
different() {
    what=$1
    shift
    "$record" "$@" 2>err
    is $? 1 "another $what: status 1"
    is "$(wc -l <err)" 1 '  there is one line'
    like err "again holds another series: its $what is .*, not .*--overwrite" \
        '  which tells what differs and what to do'
}
different command --runs 5 -o again -- sh -c 'echo run'
different clocks --runs 5 -p 5ms -o again -- sh -c 'echo run >>again.count'
different clocks --runs 5 -c fixed -o again -- sh -c 'echo run >>again.count'
different engine_asked --runs 5 -E soft -o again -- sh -c 'echo run >>again.count'
different warmup --runs 5 --warmup 1 -o again -- sh -c 'echo run >>again.count'
different seed --runs 5 --seed 1 -o again -- sh -c 'echo run >>again.count'
printf '#!/bin/sh\necho run\n' >rebuilt && chmod +x rebuilt
"$record" -q -o rebuilt.out -- ./rebuilt >count 2>/dev/null
cp rebuilt copy && mv copy rebuilt
"$record" -q -o rebuilt.out -- ./rebuilt >>count 2>/dev/null
is "$? $(wc -l <count)" '0 1' 'a program that was copied is the same'
printf '#!/bin/sh\necho ran\n' >rebuilt
"$record" -q -o rebuilt.out -- ./rebuilt >>count 2>err
is "$? $(wc -l <count)" '1 1' 'a program that was rebuilt makes another series'
like err '^assay-record: [^ ]*rebuilt.out holds another series: its program is "./rebuilt \(19 bytes, CRC-32C [0-9a-f]{8}\)", not "./rebuilt \(19 bytes, .*--overwrite' \
    '  and one line tells what differs'
mkdir elsewhere
(cd elsewhere && different working_directory --runs 5 -o ../again -- sh -c 'echo run >>again.count') >sub
is "$(grep -c '^ok' sub)" 3 'another working directory makes another series'
touch again/notes.txt again/mine.trace
"$record" -q --overwrite -o again -- true 2>err
is $? 0 '--overwrite: status 0'
is "$(count again/run-*.trace)" 1 '  the old traces are deleted'
is "$(count again/notes.txt again/mine.trace)" 2 "  files that are not the recorder's stay"

# killed recorder
cat >slow <<'END'
#!/bin/sh
echo run >>slow.count
[ "$(wc -l <slow.count)" -ne 2 ] || { echo $$ >slow.pid; tries=0; while [ ! -e slow.go ] && [ $tries -lt 2400 ]; do sleep 0.05; tries=$((tries + 1)); done; }
END
chmod +x slow
export FAKE_LOG="$scratch/slow.log"
"$record" -q --runs 3 --seed 7 -o slow.out -- ./slow 2>/dev/null &
recorder=$!
wait_for slow.pid
"$record" -q --runs 3 -o slow.out -- ./slow 2>err
is $? 1 'a second recorder in the same directory: status 1'
like err 'slow.out: another assay-record is at work there' '  one line reports it'
kill -9 $recorder
wait $recorder 2>/dev/null
"$record" --runs 3 -o slow.out -- ./slow 2>err
is $? 1 'after kill -9 of the recorder, its command still running: status 1'
like err 'still running \(process [0-9]+\)' '  one line reports it'
touch slow.go
wait_until 30 is_gone slow.pid
touch slow.out/run-002-1.trace slow.out/.run-002-1.trace.tmp
rm slow.log
"$record" --runs 3 -o slow.out -- ./slow 2>err
is $? 0 'after the command has ended the series continues'
like err 'resuming: 1 of 3 runs exist' '  from where it was'
is "$(grep -o '"run":[0-9]*,"runs"' slow.log | sort -u | tr '\n' ' ')" '"run":2,"runs" "run":3,"runs" ' \
    '  with the missing runs'
is "$(count slow.out/run-002-1.trace slow.out/.*.tmp)" 0 '  the traces of the interrupted run are deleted'
is "$(grep -c '"run":' slow.out/series.json)" 3 '  series.json has three runs'
like slow.out/series.json '"seed": 7,?$' '  and the seed of the first start'

unset FAKE_LOG

# damaged state
printf '{"done": [' >slow.out/series.json
"$record" --runs 3 -o slow.out -- ./slow 2>err
is $? 1 'a damaged series.json: status 1'
like err 'series.json: .*--overwrite' '  one line reports it'
printf '{"done": [1], "configuration": {}, "series": ""}' >slow.out/series.json
"$record" --runs 3 -o slow.out -- ./slow 2>err
is $? 1 'a series.json with other content: status 1'
like err 'not the state of a series' '  one line reports it'
rm slow.out/series.json
"$record" --runs 3 -o slow.out -- ./slow 2>err
is $? 1 'traces without series.json: status 1'
like err 'holds traces \(run-001-[0-9]+.trace\) but no series.json' '  one line reports it'

# output directories and files
"$record" -q -o 'a b/c d' -- true 2>err
is "$(count 'a b/c d'/*.trace)" 1 'a directory whose name has spaces is made, and so is its parent'
"$record" -q -o /dev/full -- touch ran 2>err
is "$? $(cat err)" '1 assay-record: /dev/full: Not a directory' '/dev/full is not a directory'
"$record" -q -o plain/below -- touch ran 2>err || true
touch file
"$record" -q -o file/below -- touch ran 2>err
is "$? $(cat err)" '1 assay-record: file/below: Not a directory' 'a file is not a directory'
is "$(count ran)" 1 'the command ran only where it could be recorded'
rm -rf ran
"$record" -q -o "$(printf '\377')" -- touch ran 2>err
is $? 1 'a directory whose name is not UTF-8: status 1'
like err 'UTF-8' '  one line reports it'

# one file
"$record" -q -o one.trace -- true 2>err
is "$? $(cat err)" '0 ' '-o FILE: status 0'
is "$(ls -d one*)" one.trace '  only the file is left'
"$record" -q -o one.trace -- touch ran 2>err
is $? 1 '-o FILE that exists: status 1'
like err 'one.trace: already exists' '  one line reports it'
is "$(count ran)" 0 '  the command does not run'
"$record" -q --overwrite -o one.trace -- true
is $? 0 '  --overwrite replaces it'
"$record" -q -o two.trace -- sh -c 'true | cat; cat </dev/null; exit 0' 2>err
is $? 1 '-o FILE with several processes: status 1'
is "$(wc -l <err)" 1 '  there is one line'
like err 'two.trace: the command left [0-9]+ traces .* kept in two.trace.d: use -o DIR' \
    '  which tells where the traces are'
is "$(count two.trace.d/*.trace)" "$(grep -o 'left [0-9]*' err | tr -dc 0-9)" '  they are there'
"$record" -q -o /dev/full/x.trace -- true 2>err
is "$(wc -l <err)" 1 '-o FILE in something that is not a directory: one line tells it'
done_testing
