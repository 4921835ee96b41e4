#!/bin/sh
# --check tells whether a command does the same when it is recorded; --only and --skip choose programs.
. "$(dirname "$0")/lib.sh"
record=$build/libexec/assay/assay-record
compile spin.c spin -g || exit 1

# checked STATUS WHAT COMMAND...: --check ends with this status; its table is in ./said
checked() {
    expected=$1 what=$2
    shift 2
    "$record" -q --check -- "$@" >said 2>err
    is "$? $(cat err)" "$expected " "$what: status $expected, no message"
}

checked 0 'a program that is not disturbed' sh -c 'echo out; echo err >&2; ./spin 0.1; exit 3'
is "$(grep -cE '^(plain|recorded) [12] +3 +4 +4 ' said)" 4 '  four runs, with their status and bytes'
is "$(grep -cE '^(output|errors|status): the same$' said)" 3 '  all are the same'
like said '^time: recorded runs took [0-9.]+ times as long' '  and the time is told'
# Only a recorded process has this variable.
checked 1 'a program that says whether it is recorded' sh -c 'echo one; echo "${ASSAY_RECORD:+recorded}"; ./spin 0.1'
like said '^output: changed, in line 2 first' '  the first line that differs is told'
like said '^  recorded: recorded' '  and shown'
checked 1 'a status that recording changes' sh -c '[ -z "${ASSAY_RECORD:-}" ]'
like said '^status: changed' '  is told'
checked 1 'a signal' sh -c '[ -z "${ASSAY_RECORD:-}" ] || kill -TERM $$'
like said '^recorded 1 +SIGTERM ' '  is named'
checked 0 'numbers that differ in plain runs' sh -c 'echo "process $$"'
like said '^output: the same except for numbers' '  are left out'
checked 0 'a text that differs in plain runs' sh -c 'i=$(cat count 2>/dev/null); echo x$i >count; echo "$i"'
like said "^output: the plain runs differ from each other" '  is not compared'
printf 'a\nb\n' | "$record" -q --check -- cat >said 2>err
is "$(grep -cE '^(plain|recorded) [12] +0 +4 ' said)" 4 'every run gets the same input'
"$record" -q --check -- ./nowhere >said 2>err
is "$? $(cat err)" '127 assay-record: ./nowhere: No such file or directory' 'a command that is not there: one line'
"$record" -q --check -- true >/dev/full 2>err
is "$? $(wc -l <err)" '1 1' 'a table that cannot be written: status 1 and one line'
is "$(find . -name '*.trace' | wc -l) $(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'assay-check-*' -user "$(id -un)" | wc -l)" '0 0' \
    'nothing is left behind'

cp spin other
recorded() {
    directory=$1
    shift
    "$record" -q -o "$directory" "$@" -- sh -c './spin 0.2; ./other 0.2' 2>err
    programs "$directory" | xargs
}
is "$(recorded all)" "$(printf '%s\n' "$shell" other spin | sort | xargs)" 'without a choice every program has a trace'
is "$(recorded only --only spin)" spin '--only: one program'
is "$(recorded two --only spin --only 'oth*')" 'other spin' '  or two, by a pattern'
is "$(recorded skip --skip spin --skip "$shell" --skip sh)" other '--skip: the others'
"$record" -q -o none --only nobody -- ./spin 0.1 2>err
is $? 1 'a name that no program has: status 1'
like err 'no trace: of the programs that --only and --skip choose none was run' '  one line says so'
"$record" -E exact --only spin -- ./spin 0.1 2>err
is $? 2 'engine exact does not choose: status 2'
done_testing
