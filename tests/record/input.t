#!/bin/sh
# Standard input of the runs of a series: each run gets the same, from its beginning.
. "$(dirname "$0")/lib.sh"

# runs OPTION... -- COMMAND: three runs
runs() {
    rm -rf out
    # timeout itself warns where the user's timers are used up
    timeout -k 5 600 sh -c 'exec "$@" 2>err' sh "$record" -q --runs 3 -o out "$@"
}

i=0
while [ $i -lt 30000 ]; do
    echo "line $i"
    i=$((i + 1))
done >lines
sum=$(cksum <lines)

runs -- cksum <lines >said
is "$? $(sort -u said)" "0 $sum" 'a file: every run reads all of it'
is "$(wc -l <said)" 3 '  three times'
{ read -r first && runs -- head -n 1; } <lines >said
is "$(xargs <said)" "line 1 line 1 line 1" '  from where the recorder was'
cat lines | runs -- cksum >said
is "$? $(sort -u said)" "0 $sum" 'a pipe: every run reads all of it'
is "$(wc -l <said)" 3 '  three times'
cat lines | runs -- head -n 1 >said
is "$(xargs <said)" 'line 0 line 0 line 0' '  also if none reads all of it'
{ head -n 10 lines && sleep 1 && tail -n +11 lines; } | runs -- cksum >said
is "$(sort -u said)" "$sum" '  and if it comes slowly'
yes | runs -- head -n 1 >said
is "$? $(xargs <said)" '0 y y y' '  and if it has no end'
mkfifo idle
sleep 300 >idle &
runs -- echo done <idle >said
is "$? $(xargs <said)" '0 done done done' 'a pipe in which nothing comes, and that nobody reads, does not hold the runs back'
kill $!
printf '' | runs -- cksum >said
is "$(sort -u said)" "$(cksum </dev/null)" 'an empty pipe'
runs --input lines -- cksum </dev/null >said
is "$? $(sort -u said)" "0 $sum" '--input FILE: every run reads it'
"$record" -q --input lines -o one -- cksum </dev/null >said
is "$(cat said)" "$sum" '  a single run, too'
runs --input missing -- cksum >said
is "$? $(cat err)" '1 assay-record: missing: No such file or directory' '  a file that is not there: one line'
mkfifo named
cat lines >named &
runs --input named -- cksum </dev/null >said
is "$? $(sort -u said)" "0 $sum" '--input FIFO: every run reads what came through it'
is "$(wc -l <said)" 3 '  three times'
like out/series.json '"input": "named"' '  series.json has its name'
runs --input named -- echo done </dev/null >said
is "$? $(xargs <said)" '0 done done done' '  one without a writer holds back no run that does not read it'
runs --input . -- cksum >said
is "$? $(cat err)" '1 assay-record: .: Is a directory' '  a directory: one line'
# What came before the end of the other side, which has not read everything, is there; then reading fails.
perl -MSocket -e 'socketpair(my $far, my $near, AF_UNIX, SOCK_STREAM, 0) or die;
    syswrite $far, "line 0\n"; syswrite $near, "unread"; close $far;
    open STDIN, "<&", $near or die; exec @ARGV' "$record" -q --runs 3 -o reset -- cat >said 2>err
is "$? $(cat said)" '1 line 0' 'input that fails: the run is the last one'
is "$(cat err)" 'assay-record: standard input of the run is cut short, and the series ends: Connection reset by peer' \
    '  one line says so'
like reset/series.json '"input_problem": "Connection reset by peer"' '  and series.json'
# In a mount namespace, where this user may have one.
mkdir small
if unshare -rm mount -t tmpfs -o size=64k none small 2>/dev/null; then
    cat lines lines lines | TMPDIR=$PWD/small unshare -rm sh -c 'mount -t tmpfs -o size=64k none small && exec "$@"' sh \
        "$record" -q --runs 3 -o full -- cksum >said 2>err
    is "$? $(wc -l <said)" '1 1' 'no room for the temporary file: the run is the last one'
    like err 'standard input of the run is cut short, and the series ends: No space left on device' '  one line says so'
    like full/series.json '"input_problem": "No space left on device"' '  and series.json'
else
    skip 'this user can have no mount namespace'
fi
"$record" -q -o single -- cksum <lines >said
is "$(cat said)" "$sum" 'a single run has the recorder'"'"'s standard input'
done_testing
