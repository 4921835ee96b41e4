#!/bin/sh
# kill -9 of the measured program at random moments: every trace reads, at most the last second of it is missing, and
# the loss is told. KILLS: how many (100 by default), then as many tenths of it for a Java program.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${ASSAY_BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kills=${KILLS:-100}
# Both end by themselves, should nobody be left to kill them.
gcc -O1 -x c -o "$work/busy" - <<'END'
#include <unistd.h>
int main(void)
{
    alarm(60);
    volatile unsigned long x = 0;
    for (;;)
        x = x * 3 + 1;
}
END
cat >"$work/Busy.java" <<'END'
public class Busy {
    static void work() {
        for (long x = 1;; x = x * 3 + 1)
            if (x == 0)
                System.out.println(x);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread worker = new Thread(Busy::work);
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(60_000);
    }
}
END

now_ns() {
    awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime
}

# Kills the recorded command after $1 ms; what came of it in $2/verdict: missing milliseconds, or what went wrong.
kill_once() {
    after=$1 out=$2
    shift 2
    ./assay record -q -o "$out" -- "$@" >/dev/null 2>"$out.err" &
    recorder=$!
    command=
    while [ -z "$command" ] && kill -0 "$recorder" 2>/dev/null; do
        command=$(pgrep -P "$recorder" -x "${1##*/}" | head -n 1)
    done
    sleep "$(awk -v ms="$after" 'BEGIN { print ms / 1000 }')"
    used=$(awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) * 1000 / hz) }' "/proc/$command/stat")
    killed=$(now_ns)
    kill -9 "$command"
    wait "$recorder"
    status=$?
    trace=$(ls "$out"/*.trace 2>/dev/null | head -n 1)
    if [ "$status" -ne 137 ] && [ -n "$trace" ]; then
        echo "recorder ended with $status"
    elif [ -z "$trace" ]; then
        grep -q . "$out.err" && [ "$used" -lt 200 ] && echo young || echo "no trace after $used ms of CPU time"
    elif ! "$build/libexec/assay/assay-info" --format json "$trace" 2>"$out.info" | grep -q '"unfinished": true'; then
        echo "does not say that it is unfinished"
    elif ! grep -q 'no end: ' "$out.info"; then
        echo "no word on stderr"
    else
        "$build/libexec/assay/assay-dump" "$trace" 2>/dev/null |
            awk -F, -v killed="$killed" -v after="$after" '
                NR > 1 && $2 > last { last = $2 }
                END { print last ? int((killed - last) / 1e6) : after }'
    fi
}

verdict() {
    what=$1
    sort -n "$work/verdicts" | awk -v what="$what" -v number="$2" '
        /^-?[0-9]+$/ { n++; if ($1 > worst) worst = $1; if ($1 > 1000) late++; next }
        /^young$/ { young++; next }
        { bad++; print "# " $0 }
        END {
            printf "%sok %d - %d kills of a %s: all %d traces read and tell their loss (%d died too young for one)\n",
                bad ? "not " : "", number, n + young + bad, what, n, young
            printf "%sok %d - at most the last second is missing (at worst %d ms)\n", late ? "not " : "", number + 1, worst
        }'
}

attack() {
    what=$1 count=$2 longest=$3 number=$4
    shift 4
    : >"$work/verdicts"
    i=0
    while [ "$i" -lt "$count" ]; do
        after=$(awk -v seed="$i" -v longest="$longest" 'BEGIN { srand(seed * 7919 + 1); print int(rand() * longest) }')
        kill_once "$after" "$work/$number-$i" "$@" >>"$work/verdicts"
        i=$((i + 1))
    done
    verdict "$what" "$number"
}

echo 1..4
attack "native program" "$kills" 1500 1 "$work/busy"
if command -v javac >/dev/null && javac -d "$work" "$work/Busy.java"; then
    attack "Java program" $((kills / 10)) 3000 3 java -cp "$work" Busy
else
    echo "ok 3 # skip no javac"
    echo "ok 4 # skip no javac"
fi
