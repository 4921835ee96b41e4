#!/bin/sh
# The CPU profile of mode waste: one more run, sampled, into out/profile; and what assay waste --hot makes of it. Valgrind
# and the agent are stand-ins here, but for the last part.
. "$(dirname "$0")/lib.sh"
install_fake_valgrind
real_path=$PATH
PATH=$scratch/bin:$PATH
FAKE_SAMPLES=1000
export FAKE_SAMPLES
waste=$build/libexec/assay/assay-waste

# A command that appends the mode in which it runs to `ran`.
cat >noted <<'EOF'
#!/bin/sh
mode=plain
case ${ASSAY_RECORD-} in
*'"mode":"waste"'*) mode=waste ;;
*'"mode":"cpu"'*) mode=cpu ;;
esac
echo "$mode" >>"${0%/*}/ran"
echo output
echo errors >&2
[ -z "${1-}" ] || eval "$1"
EOF
chmod +x noted

# recorded ARGUMENT...: records in mode waste; sets $status; the output is in out and err
recorded() {
    rm -f ran
    timeout -k 5 600 "$record" -m waste "$@" >out 2>err
    status=$?
}
# traces DIRECTORY: their number there
traces() {
    count "$1"/*.trace
}
# said: the lines about the profile
said() {
    grep -i 'CPU profile' err
}

# the profile
recorded -o plain -- ./noted </dev/null
is "$status $(xargs <ran)" '0 waste cpu' 'the command is recorded, then it runs again for the profile'
is "$(cat out)" output '  its output comes once'
is "$(grep -c errors err)" 1 '  and so do its errors'
is "$(traces plain) $(traces plain/profile)" '1 1' '  the profile is in a folder of its own'
like plain/profile/series.json '"profile_of": "[0-9a-f]{16}"' '  whose state says what it is a profile of'
is "$(sed -n 's/.*"mode": "\(.*\)".*/\1/p' plain/series.json plain/profile/series.json | xargs)" 'waste cpu' \
    '  the modes are those that were asked for'
like err 'CPU profile: the command runs again, sampled every [0-9.]+ ms; its output is discarded \(--no-profile: not\)' \
    '  a line says before that the command runs again'
like err 'CPU profile: [0-9]+ samples in plain/profile, for assay waste --hot plain$' '  and another one what came of it'
recorded -q -o quiet -- ./noted </dev/null
is "$status $(cat err)" '0 errors' '-q: no line'
is "$(traces quiet/profile)" 1 '  but the profile'
recorded --no-profile -o none -- ./noted </dev/null
is "$status $(xargs <ran) $(count none/profile)" '0 waste 0' '--no-profile: the command runs once'
is "$(said)" '' '  and no line is about a profile'
recorded --no-profile -o one.trace -- ./noted </dev/null
is "$(xargs <ran)" waste '-o FILE: the command runs once'
recorded --overwrite -o one.trace -- ./noted </dev/null
is "$status $(xargs <ran) $(ls -d one.trace*)" '0 waste one.trace' '  also without --no-profile'
is "$(said)" 'assay-record: no CPU profile: -o one.trace is for one trace; with -o DIR it goes into DIR/profile' \
    '  and a line says why'
"$record" -q -m silent-store -E exact -o single -- ./noted >out 2>err </dev/null
is "$? $(count single/profile)" '0 0' 'other modes have no profile'
"$record" -q --no-profile -o sampled -- ./noted >out 2>err </dev/null
is "$?" 0 '  but take the option'
recorded --check -- ./noted </dev/null
is "$status $(sort ran | uniq -c | xargs)" '0 2 plain 2 waste' '--check takes no profile' || sed 's/^/# /' err
recorded -o plain/ --overwrite -- ./noted </dev/null
like err 'samples in plain/profile, for assay waste --hot plain$' 'a slash after the directory makes no difference'

# /dev/null is where grep stops at the first line that matches
recorded -o null -- ./noted '[ "$(readlink /proc/self/fd/1)" != /dev/null ] || echo null >>ran' </dev/null
is "$(xargs <ran)" 'waste cpu' 'no program takes the discarded output for /dev/null'

# standard input
seq 30000 >lines
sum=$(cksum <lines)
recorded -o file -- ./noted 'cksum >>sums' <lines
is "$status $(sort -u sums)" "0 $sum" 'standard input from a file: both runs read all of it'
is "$(wc -l <sums)" 2 '  these are two'
rm sums
{ read -r first && recorded -o offset -- ./noted 'head -n 1 >>sums' && head -n 1 >rest; } <lines
is "$(xargs <sums)" '2 2' '  from where the recorder was'
grep -Eqx '[0-9]+' rest
ok $? '  and what the command left is there for the next one'
rm sums
recorded --input lines -o given -- ./noted 'cksum >>sums' </dev/null
is "$status $(sort sums | uniq -c | xargs)" "0 2 $sum" '--input: both runs read all of the file'
cat lines | recorded -o pipe -- ./noted 'cksum >sum'
is "$(xargs <ran) $(cat sum)" "waste $sum" 'a pipe: the command runs once, and reads all of it'
like err "no CPU profile: the command's standard input is a pipe, which can be read only once; give it a file" \
    '  a line says why, and what to do'
rm -f sums
cat lines | recorded --runs 2 -o piped -- ./noted 'cksum >>sums'
is "$(xargs <ran) $(sort sums | uniq -c | xargs)" "waste waste cpu 3 $sum" 'a pipe of a series: all runs read all of it'
recorded -o closed -- ./noted <&-
is "$status $(xargs <ran)" '0 waste cpu' 'standard input that is closed does no harm'
recorded -o zeros -- ./noted 'head -c 5 | od -An -tx1 >>bytes' </dev/zero
is "$status $(sort bytes | uniq -c | xargs)" '0 2 00 00 00 00 00' 'a device is read again'
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    rm -f ran
    script -qec "$record -m waste -o tty -- ./noted" /dev/null </dev/null >tty.log 2>&1
    is "$(xargs <ran) $(traces tty/profile)" 'waste cpu 1' 'a terminal that the command does not read: there is a profile'
    rm -f ran
    echo typed | script -qec "$record -m waste -o ttyread -- ./noted 'read -r line'" /dev/null >tty.log 2>&1
    is "$(xargs <ran) $(count ttyread/profile)" 'waste cpu 0' '  that it reads: there is none'
    like tty.log 'no CPU profile: the command reads standard input, a terminal; give it a file \(--input FILE\)' \
        '  and a line says why'
else
    skip 'script(1) gives no terminal here'
fi

# how the command ends
recorded -o seven -- ./noted 'exit 7' </dev/null
is "$status $(xargs <ran) $(traces seven/profile)" '7 waste cpu 1' 'a command that fails each time in the same way has a profile'
echo data >packed
recorded -o onceonly -- ./noted '[ -e packed ] && rm packed' </dev/null
is "$status $(xargs <ran) $(traces onceonly)" '0 waste cpu 1' 'a command that can run only once: its recording is there'
is "$(said | tail -n 1)" \
    'assay-record: no CPU profile: the command ended with exit status 1, but with exit status 0 when it was recorded; to record one: assay record -o onceonly/profile -- COMMAND' \
    '  and a line says why there is no profile, and how to record one'
is "$(count onceonly/profile)" 0 '  nothing is left of it'
recorded -q -o onceonly2 -- ./noted 'case $mode in cpu) kill -USR1 $$ ;; esac' </dev/null
is "$status $(count onceonly2/profile)" '0 0' 'a command that a signal kills the second time: likewise'
like err 'the command ended with signal 10, but with exit status 0' '  and a line says so, also with -q'
"$record" -q -o onceonly/profile -- ./noted >out 2>err </dev/null
is "$? $(traces onceonly/profile)" '0 1' 'the advice works'
recorded --runs 2 -o varying -- ./noted '[ -e before ] || { : >before; exit 1; }' </dev/null
is "$status $(xargs <ran) $(traces varying/profile)" '1 waste waste cpu 1' 'an end like that of any of the runs will do'
recorded -o missing -- ./no-such-command </dev/null
is "$status $(said)" '127 ' 'a command that cannot be executed: no line about a profile'
recorded -o vanished -- ./noted 'case $mode in waste) mv noted noted.bak ;; esac' </dev/null
mv noted.bak noted
is "$status $(traces vanished) $(count vanished/profile)" '0 1 0' 'a command that is gone afterwards: the recording is there'
like err 'no CPU profile: No such file or directory; to record one' '  and a line says what is missing'

# a command that waits for something that came only once
recorded -o waiting -- ./noted 'case $mode in cpu) exec sleep 300 ;; esac' </dev/null
is "$status $(traces waiting) $(count waiting/profile)" '0 1 0' 'a run that takes much longer than the recording is ended'
like err 'no CPU profile: the command was ended, since it ran for [0-9]+ s, longer than when it was recorded' '  and a line says so'
rm -f asleep
recorded -o parent -- ./noted 'case $mode in cpu) sh -c "echo \$\$ >asleep; exec sleep 300"; echo woken >asleep ;; esac' </dev/null
is "$status $(traces parent) $(count parent/profile)" '0 1 0' '  likewise if another process of the command waits'
grep -qx '[0-9]*' asleep && wait_until 30 is_gone asleep
ok $? '  which is ended, too, and nothing comes after it'

# processes that outlive the command
recorded -o leaving -- ./noted 'sh -c "echo \$\$ >>left; exec sleep 60" >/dev/null 2>&1 & until [ -s left ]; do sleep 0.05; done' </dev/null
is "$status $(xargs <ran) $(traces leaving/profile | sed 's/[1-9][0-9]*/some/')" '0 waste cpu some' 'processes that outlive the command do not hold it back'
xargs kill <left

# signals
background() {
    env --default-signal=INT,QUIT,HUP,TERM "$@" &
    pid=$!
}
rm -f ran
background "$record" -m waste -o early -- ./noted 'exec sleep 60' >out 2>err </dev/null
wait_for ran
kill -INT $pid
wait $pid
is "$? $(xargs <ran) $(count early/profile)" '130 waste 0' 'SIGINT during the recording: no further run'
cat >slow <<'EOF'
#!/bin/sh
./noted
case $ASSAY_RECORD in *'"mode":"cpu"'*) echo $$ >slow.pid && [ -e go ] || exec sleep 60 ;; esac
EOF
chmod +x slow
rm -f ran
background "$record" -m waste -o late -- ./slow >out 2>err </dev/null
wait_for slow.pid
kill -INT $pid
wait $pid
is "$? $(xargs <ran)" '130 waste cpu' 'SIGINT during the profile: status 130'
is "$(traces late) $(count late/profile)" '1 0' '  the recording is complete, and nothing is left of the profile'
like err 'interrupted; the recording in .*/late is complete, but has no CPU profile; the same command line takes it' \
    '  one line says so'
unlike late/series.json '"interrupted": true' '  no run counts as interrupted'
: >go
recorded -o late -- ./slow </dev/null
is "$status $(xargs <ran) $(traces late/profile | sed 's/[1-9][0-9]*/some/')" '0 cpu some' '  the same command line takes only the profile'
rm -f go slow.pid ran
background "$record" -m waste -o killed -- ./slow >out 2>err </dev/null
wait_for slow.pid
kill -KILL $pid
wait $pid 2>/dev/null
kill "$(cat slow.pid)"
wait_until 30 is_gone slow.pid
: >go
recorded -o killed -- ./slow </dev/null
is "$status $(xargs <ran) $(traces killed/profile | sed 's/[1-9][0-9]*/some/')" '0 cpu some' 'a recorder that was killed during the profile: likewise' ||
    sed 's/^/# /' err

# a series
recorded --runs 3 --warmup 1 -o series -- ./noted </dev/null
is "$status $(xargs <ran)" '0 waste waste waste waste cpu' 'a series has one profile'
before=$(ls series/profile)
recorded --runs 4 --warmup 0 -o series -- ./noted </dev/null
is "$status" 1 'other options are refused, profile or not'
recorded --runs 4 --warmup 1 -o series -- ./noted </dev/null
is "$status $(xargs <ran) $(ls series/profile | xargs)" "0 waste waste $(echo $before)" '  more runs of the same series take no other profile'
recorded --runs 4 --warmup 1 -o series -- ./noted </dev/null
is "$status $(count ran)" '0 0' '  and a complete one runs nothing'
recorded --runs 4 --warmup 1 --overwrite --no-profile -o series -- ./noted </dev/null
is "$status $(count series/profile)" '0 0' '--overwrite removes the profile, too'
recorded -o moved -- ./noted </dev/null
rm moved/series.json moved/*.trace
recorded --no-profile -o moved -- ./noted </dev/null
is "$status $(count moved/profile)" '0 0' '  and so does a new series in place of one that was removed'
mkdir own
"$record" -q -o own/profile -- ./noted 'exit 0' >out 2>err </dev/null
kept=$(ls own/profile)
recorded -o own -- ./noted </dev/null
is "$status $(xargs <ran) $(ls own/profile)" "0 waste $kept" 'a profile that the user recorded there stays'
recorded --overwrite -o own -- ./noted </dev/null
is "$status $(xargs <ran) $(ls own/profile)" "0 waste $kept" '  also with --overwrite, if it is of another command'
recorded --overwrite -o own -- ./noted 'exit 0' </dev/null
is "$status $(xargs <ran)" '0 waste cpu' '  but not if it is of the same one'
mkdir other
"$record" -q -o other/profile -- ./noted 'exit 0' >out 2>err </dev/null
kept=$(ls other/profile)
"$record" -q --overwrite -o other -- ./noted 'exit 0' >out 2>err </dev/null
is "$? $(ls other/profile)" "0 $kept" '  and other modes leave it alone'
mkdir blocked
: >blocked/profile
recorded -o blocked -- ./noted </dev/null
is "$status $(traces blocked)" '0 1' 'a file named profile: the recording is there'
like err 'no CPU profile: .*/blocked/profile: Not a directory' '  and a line says what is in the way'

# few samples
FAKE_SAMPLES=60 recorded -o few -- ./noted </dev/null
is "$status $(xargs <ran) $(traces few/profile)" '0 waste cpu cpu cpu cpu 4' 'a short command runs until there are 200 samples'
like err 'CPU profile: 240 samples of 4 runs in few/profile, for assay waste --hot few$' '  and a line says how often'
like few/profile/series.json '"runs": 4' '  as does the state'
FAKE_SAMPLES=2 recorded -o fewest -- ./noted </dev/null
is "$status $(sort ran | uniq -c | xargs) $(traces fewest/profile)" '0 20 cpu 1 waste 20' '  at most twenty times'
like err 'CPU profile: 40 samples of 20 runs in fewest/profile, .*; they are few, and more runs add to them: assay record -p [0-9]+us --runs 40 -o fewest/profile -- COMMAND' \
    '  a line says how to get more'
advice=$(sed -n 's/.* assay record \(-p .*\) -- COMMAND$/\1/p' err)
# shellcheck disable=SC2086 # words
FAKE_SAMPLES=2 "$record" -q ${advice%40*}22 -o fewest/profile -- ./noted >out 2>err </dev/null
is "$? $(traces fewest/profile)" '0 22' '  and that works'
FAKE_SAMPLES=100 recorded --only 'not*' --only spin --skip other --input lines -o 'my out' -- ./noted </dev/null
advice=$(sed -n 's/^.* samples of 2 runs in my out\/profile, for assay waste --hot \(.*\)$/\1/p' err)
is "$advice" "'my out'" 'names are quoted where a shell needs it'
FAKE_SAMPLES=2 recorded --only 'not*' --only spin --skip other --input lines -o 'my out' --overwrite -- ./noted </dev/null
advice=$(sed -n 's/^.* more runs add to them: assay record \(.*\) -- COMMAND$/\1/p' err)
eval "set -- $(echo "$advice" | sed 's/--runs 40/--runs 22/')"
FAKE_SAMPLES=2 "$record" -q "$@" -- ./noted >out 2>err </dev/null
is "$? $(count 'my out/profile'/*.trace)" '0 22' 'the advised command line has the options of the recording, too'
set --
FAKE_SAMPLES=150 recorded -o differs -- ./noted 'case $mode in cpu) [ ! -e once ] && : >once ;; esac' </dev/null
is "$status $(count differs/profile)" '0 0' 'a repetition that ends differently drops all of them'

# a command that has no sample in most of its runs
compile spin.c spin || exit 1
FAKE_FIRST_RUN=3 FAKE_SAMPLES=20 recorded -o seldom -- ./spin 0 </dev/null
is "$status $(traces seldom) $(traces seldom/profile)" '0 1 18' 'a command whose first runs have no sample runs on'
like err 'CPU profile: 360 samples of 20 runs in seldom/profile' '  a line says how often'
FAKE_FIRST_RUN=3 FAKE_SAMPLES=2 recorded -o seldomer -- ./spin 0 </dev/null
like err 'CPU profile: 36 samples of 20 runs in seldomer/profile, .*; they are few, since the command is too short for a sample in each run$' \
    '  nor is it advised to add runs, since a series ends with one that has no trace'
is "$(grep -c '"run": ' seldom/profile/series.json)" 18 '  runs without a trace do not count'
FAKE_FIRST_RUN=3 FAKE_SAMPLES=100 recorded -o soon -- ./spin 0 </dev/null
like err 'CPU profile: 400 samples of 6 runs in soon/profile, for assay waste --hot soon$' '  no more often than is needed'

# nothing to sample
FAKE_SAMPLES=0 recorded -o empty -- ./noted </dev/null
is "$status $(traces empty) $(count empty/profile)" '0 1 0' 'a profile without samples: the recording is there'
like err 'no CPU profile: (the command is too short for a sample \([0-9.]+ ms of CPU time\)$|nothing of the command could be sampled;)' \
    '  and a line says so'
FAKE_SAMPLES=0 recorded -o spinning -- ./spin 0.2 </dev/null
is "$status $(traces spinning) $(count spinning/profile)" '0 1 0' '  likewise if the command is long enough'
is "$(said | tail -n 1)" 'assay-record: no CPU profile: nothing of the command could be sampled; to record one: assay record -o spinning/profile -- COMMAND' \
    '  then the line is another one'
for how in nothing damaged; do
    FAKE_AGENT=$how recorded -o "agent.$how" -- ./noted </dev/null
    is "$status $(traces "agent.$how") $(count "agent.$how/profile")" '0 1 0' "an agent that leaves $how: likewise"
    is "$(said | grep -c 'no CPU profile: ')" 1 '  in one line'
done
mv i/lib/assay/libassay-native.so agent
recorded -o agentless -- ./noted </dev/null
mv agent i/lib/assay/libassay-native.so
is "$status $(traces agentless) $(xargs <ran)" '0 1 waste' 'without an agent the command runs once'
is "$(said | wc -l)" 1 '  and a line says why there is no profile'
if compile deny_perf.c deny_perf 2>/dev/null && ./deny_perf 1 true; then
    rm -f ran
    ./deny_perf 1 "$record" -m waste -o denied -- ./noted >out 2>err </dev/null
    is "$? $(traces denied) $(traces denied/profile)" '0 1 1' 'without perf events the profile has another clock'
else
    skip 'no seccomp filters here'
fi
if compile static.c fixed -static 2>/dev/null; then
    recorded -o fixed.out -- ./fixed </dev/null
    is "$status $(traces fixed.out) $(count fixed.out/profile)" '0 1 0' 'a program that is statically linked is recorded'
    is "$(said)" 'assay-record: no CPU profile: ./fixed can'"'"'t be sampled: it is statically linked' '  and a line says why it has no profile'
else
    skip 'no static libc here'
fi
recorded --only noted --skip other -o chosen -- ./noted </dev/null
like chosen/profile/series.json '"only": \[' 'the profile has the same programs'

# what others make of the directory
is "$("$build/libexec/assay/assay-info" plain/*.trace | grep -c ': .* bytes, ')" 1 'assay info lists the traces of the recording'
"$waste" --format csv plain >whole.csv 2>err
"$waste" --format csv plain/*.trace >traces.csv 2>err
is "$(cmp whole.csv traces.csv)" '' 'assay waste takes only the recording without --hot'
"$waste" plain >table 2>err
like table '^the recording has a CPU profile, too: --hot ranks by what mending can gain$' '  and a note says that there is a profile'
"$waste" plain/*.trace >table 2>err
unlike table 'CPU profile' '  but not of traces that are named'
"$waste" none >table 2>err
unlike table 'CPU profile' '  nor of a recording without one'
"$build/libexec/assay/assay-hot" plain >table 2>err
is "$?$(grep -c profile err)" 10 'another analyzer does not mix them in'
"$waste" --hot none >table 2>err
is $? 1 'assay waste --hot of a recording without a profile: status 1'
like err 'no CPU profile: add the traces of assay record -o cpu -- COMMAND' '  and a line says what is missing'
"$waste" --save-state state plain 2>err && "$waste" --hot --save-state hotter plain/ 2>err
"$build/libexec/assay/assay-merge" -o merged hotter 2>err
for input in hotter merged; do
    "$waste" --hot --format csv $input >state.csv 2>err
    "$waste" --hot --format csv plain >whole.csv 2>err
    is "$(cmp state.csv whole.csv)" '' "a state of --hot has the profile ($input)"
done
"$waste" --hot state >table 2>err
is $? 1 '  and one without --hot has none'

# with everything real
real=$build/libexec/assay/assay-record
PATH=$real_path
unset FAKE_SAMPLES
cat >known.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
static volatile int table[1000];
static int __attribute__((noinline)) search(int wanted)
{
    for (int i = 0; i < 1000; i++)
        if (table[i] == wanted)
            return i;
    return -1;
}
static volatile long cells[2];
static void __attribute__((noinline)) rewrite_cell(void)
{
    for (int i = 0; i < 2; i++)
        cells[i] = 1;
}
int main(int argc, char **argv)
{
    long sum = 0, rounds = argc > 1 ? atol(argv[1]) : 1;
    for (long i = 0; i < rounds; i++) {
        sum += search(1);
        rewrite_cell();
    }
    printf("%ld\n", sum);
}
EOF
"${CC:-gcc}" -g -O1 -o known known.c
if ! "$real" -q -m waste --no-profile -o tried -- true 2>err; then
    skip "no exact tool here: $(head -n 1 err)"
else
    "$real" -m waste -o known.out -- ./known 20000 >out 2>err </dev/null
    is "$? $(cat out)" '0 -20000' 'a real recording'
    is "$(said | tail -n 1 | grep -c 'samples.* in known.out/profile')" 1 '  with a profile' || sed 's/^/# /' err
    "$waste" --hot --format csv known.out >table 2>err
    is $? 0 '  assay waste --hot takes it by itself'
    # search() makes 1000 silent loads a round; rewrite_cell() two stores
    is "$(python3 -c '
import csv
rows = list(csv.DictReader(open("table")))
bound = {row["function"]: float(row["bound"] or 0) for row in rows}
print(rows[0]["function"], bound["search"] > 0.5, bound.get("rewrite_cell", 0) < 0.2)')" 'search True True' \
        '  the function that takes the time and repeats its loads is first'
fi
done_testing
