#!/bin/sh
# Several commands that take turns (--command, --vary), and directories that hold several series.
. "$(dirname "$0")/lib.sh"

"$record" -m time --runs 6 --warmup 1 --seed 5 --vary 'who=a,b b,c/d' -o out -- sh -c 'echo "$0" >>order' '{who}' 2>err
is $? 0 '--vary: status 0'
like err '^assay-record: 3 commands take turns, in random order in each round \(seed 5\)$' '  a line says so, with the seed'
is "$(ls out | xargs)" 'who=a who=b_b who=c_d' '  each has a directory with its label'
is "$(wc -l <order)" 21 '  each ran six times, and once before'
awk 'NR % 3 == 1 { delete seen } { if (seen[$0]++) bad = 1 } END { exit bad }' order
ok $? '  each once in each round'
awk 'NR % 3 == 1 && $0 == "a" { first++ } END { exit !(first < 7) }' order
ok $? '  and not always in the same order'
"$build/libexec/assay/assay-ci" --format tsv --value wall_time out >table
is "$(cut -f 2,4 table | tail -n +2 | tr '\t\n' ' ;')" 'who=a 6;who=b b 6;who=c/d 6;' '  assay ci shows six runs of each label'
cp order first
"$record" -m time --runs 6 --warmup 1 --seed 5 --vary 'who=a,b b,c/d' -o again -- sh -c 'echo "$0" >>order' '{who}' 2>err
is "$(tail -n +22 order | cksum)" "$(cksum <first)" 'the same seed gives the same order'
"$record" -m time --runs 6 --warmup 1 --seed 6 --vary 'who=a,b b,c/d' -o third -- sh -c 'echo "$0" >>order' '{who}' 2>err
[ "$(tail -n +43 order | cksum)" != "$(cksum <first)" ]
ok $? '  and another seed another one'

# resumed: the same runs in the same order as without the interruption
cat >stops <<'END'
#!/bin/sh
echo "$1" >>log
[ "$(wc -l <log)" -ne 5 ] || kill -TERM "$PPID"
END
chmod +x stops
"$record" -m time --runs 4 --seed 5 --vary who=a,b,c -o stopped -- ./stops '{who}' 2>err
is $? 143 'interrupted: status 128 + signal'
like err 'interrupted; finished runs are kept in stopped; the same command line resumes' '  a line says how to go on'
"$record" -m time --runs 4 --vary who=a,b,c -o stopped -- ./stops '{who}' 2>err
is $? 0 'the same command line resumes'
like err 'stopped/who=a: resuming: 1 of 4|stopped/who=a: resuming: 2 of 4' '  a line says where'
rm -f whole
sed 's/log/whole/; /kill/d' stops >goes && chmod +x goes
"$record" -q -m time --runs 4 --seed 5 --vary who=a,b,c -o gone -- ./goes '{who}'
is "$(sed 5d log | tr -d '\n')" "$(tr -d '\n' <whole)" '  in the order that it would have had' 
"$record" -m time --runs 4 --vary who=a,b,c -o stopped -- ./stops '{who}' 2>err
is "$? $(grep -c 'complete: 4 of 4' err)" '0 3' '  once complete, nothing runs'
"$record" -m time --runs 4 --vary who=a,b -o stopped -- ./stops '{who}' 2>err
is $? 1 'fewer values: another recording'

"$record" -m time --runs 4 --vary who=d,a,b,c -o stopped -- ./stops '{who}' 2>err
is "$? $(ls stopped | xargs)" '1 who=a who=b who=c' 'more values: another recording, of which nothing stays'
like err "its list of commands that take turns is \[\"who=a\",\"who=b\",\"who=c\"\], not " '  a line says what differs'
"$record" -m time --runs 5 --vary who=a,b,c -o stopped -- ./stops '{who}' 2>err
is "$? $(grep -c 'resuming: 4 of 5' err)" '0 3' '  and the former one can go on, with more runs'
"$record" -m time --vary who=a,b --input missing -o unread -- true '{who}' 2>err
is "$? $(count unread)" '1 0' 'a recording that can not begin leaves no directory'
"$record" -m time --runs 2 --vary who=a,b,c -o first.out -- sh -c '[ $0 != a ] || [ -e went ] || { : >went; kill -TERM "$PPID"; sleep 60; }' '{who}' 2>err
is $? 143 'interrupted in the first run of the first command, when others may have runs'
"$record" -m time --runs 2 --vary who=a,b,c -o first.out -- sh -c '[ $0 != a ] || [ -e went ] || { : >went; kill -TERM "$PPID"; sleep 60; }' '{who}' 2>err
is "$? $(grep -c '"run":' first.out/*/series.json | cut -d : -f 2 | xargs)" '0 2 2 2' '  it is resumed'
rm -r first.out/who=a
"$record" -m time --runs 2 --vary who=a,b,c -o first.out -- sh -c '[ $0 != a ] || [ -e went ] || { : >went; kill -TERM "$PPID"; sleep 60; }' '{who}' 2>err
is "$? $(grep -c '"run":' first.out/who=a/series.json)" '0 2' '  and so is one whose first series was deleted'

# commands
"$record" -q -m time --runs 2 --command "sh -c 'echo \"one two\" >>words'" --command 'sh -c "echo three >>words"' -o two 2>err
is "$? $(cat err)" '0 ' '--command twice: status 0'
is "$(ls two | xargs)" 'command-1 command-2' '  each has a directory'
is "$(sort words | uniq -c | xargs)" '2 one two 2 three' '  words are split as by a shell'
"$build/libexec/assay/assay-ci" --format tsv --value wall_time two >table
is "$(cut -f 1,2 table | tail -n +2 | tr '\t\n' ' ;')" \
    "sh -c 'echo \"one two\" >>words' command-1;sh -c 'echo three >>words' command-2;" '  assay ci names the commands'
"$record" -q -m time --command 'sh -c "exit 0"' -o one
is "$? $(count one/series.json)" '0 1' 'one --command is a series like any other'
"$record" -q -m time --vary a=1,2 --vary b=x,y -o both -- echo '{a}{b}' >said
is "$(sort said | xargs) $(ls both | xargs)" '1x 1y 2x 2y a=1,b=x a=1,b=y a=2,b=x a=2,b=y' 'all combinations of two --vary'
"$record" -q -m time --vary 'opt=,-n' -o empty -- echo '{opt}' x >said
is "$(tr -d '\n' <said) $(wc -l <said)" 'xx 1' 'an empty value leaves the word out, in either order'
is "$(ls empty | xargs)" 'opt=-n opt=none' '  and is called none'
umlauts=$(printf '%098d' 0 | sed 's/0/ä/g')
"$record" -q -m time --vary "aaaa=$umlauts,b" -o umlauts -- true '{aaaa}' 2>err
is "$? $(cat err)" '0 ' 'a long name of a directory ends with a whole character'
"$record" -q --runs 2 --vary who=a,b -o traces -- true '{who}'
is "$(ls traces/*/*.trace | sed 's/-[0-9]*.trace//' | xargs)" \
    'traces/who=a/run-001 traces/who=a/run-002 traces/who=b/run-001 traces/who=b/run-002' 'commands are recorded in turn, too'

refused() {
    what=$1
    shift
    "$record" -m time "$@" 2>err
    is "$? $(wc -l <err) $(count none)" "2 2 0" "refused: $what"
}
refused 'a value without its place' --vary gc=a,b -o none -- true
like err "has no \{gc\}, which stands where the value goes" '  a line says what is missing'
refused 'a pipe' --command 'true | true' --command true -o none
like err "'\|' needs a shell: sh -c" '  a line says what to do'
refused 'a variable' --command 'echo "$HOME"' -o none
refused 'an open quote' --command "echo 'a" -o none
refused 'no words' --command ' ' -o none
refused 'a command twice' --command true -o none -- true
refused 'no values' --vary gc -o none -- true '{gc}'
refused 'equal values' --vary gc=a,a -o none -- true '{gc}'
refused 'equal names' --vary gc=a,b --vary gc=c -o none -- true '{gc}'
refused 'equal directories' --vary gc=a/b,a_b -o none -- true '{gc}'
refused 'no value and none, which would have equal labels' --vary 'gc=,none' -o none -- true '{gc}'
refused 'an assignment' --command 'GC=serial true' --command true -o none
like err 'needs env: --command "env GC=serial true"' '  a line says what to do'
refused 'a name that is too long' --vary "$(printf '%065d' 0 | tr 0 n)=a,b" -o none -- true "{$(printf '%065d' 0 | tr 0 n)}"
refused 'no name' --vary =a,b -o none -- true '{}'
refused 'a file' --vary gc=a,b -o none.trace -- true '{gc}'

# directories
nested() {
    directory=$1
    shift
    "$record" -m time -o "$directory" "$@" 2>err
    is "$? $(count "$directory/series.json" "$directory/who=a")" '1 0' "a series in a directory of others: status 1 ($*)"
    like err "^assay-record: $directory holds other series \(.*/series.json\); choose another -o" '  one line says why'
}
nested two -- true
nested two --vary who=a,b -- true '{who}'
"$record" -m time -o one --vary who=a,b -- true '{who}' 2>err
is "$? $(cat err)" '1 assay-record: one holds the series of one command; choose another -o' \
    'several series in the directory of one: status 1'
"$record" -q -m time -o two/third -- true
is $? 0 'a directory beside others is fine'
done_testing
