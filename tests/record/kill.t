#!/bin/sh
# kill -9 of the measured program at random moments: every trace is readable, and at most its last second of CPU time is
# missing. A native program's trace is whole, since another process writes it; a Java program's reports its loss. KILLS
# sets how many (30 by default), of a Java program a tenth as many. While the machine stands still nothing is written: a
# watchdog measures such time, and it is subtracted.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${ASSAY_BUILD:-build}
work=$(mktemp -d)
watchman=
trap 'kill $watchman; rm -rf "$work"' EXIT
kills=${KILLS:-30}
# Both programs end by themselves in case they are not killed.
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

# Sleeps for 10 ms at a time, and prints each time when it woke more than another 10 ms late: the time and the delay in
# ns.
gcc -O1 -x c -o "$work/watchman" - <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
int main(void)
{
    const long long sleep_ns = 10000000;
    for (pid_t parent = getppid(); getppid() == parent;) {
        long long before = now_ns();
        usleep(sleep_ns / 1000);
        long long now = now_ns(), late = now - before - sleep_ns;
        if (late > sleep_ns)
            printf("%lld %lld\n", now, late), fflush(stdout);
    }
}
END
"$work/watchman" >"$work/stood" &
watchman=$!

now_ns() {
    awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime
}

# stood_ms FROM TO: for how many ms the machine stood still between these times in ns
stood_ms() {
    awk -v from="$1" -v to="$2" '
        { begin = $1 - $2 > from ? $1 - $2 : from; end = $1 < to ? $1 : to; if (end > begin) sum += end - begin }
        END { printf "%d\n", sum / 1e6 }' "$work/stood"
}

# used_ms PID: the process's CPU time in ms; prints nothing if it is gone
used_ms() {
    [ -n "$1" ] && [ -r "/proc/$1/stat" ] && awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) * 1000 / hz) }' "/proc/$1/stat"
}

# began NAME: waits for the recorder's command of this name, whose process id is then $command
began() {
    command=
    while [ -z "$command" ] && kill -0 "$recorder" 2>/dev/null; do
        command=$(pgrep -P "$recorder" -x "$1" | head -n 1)
    done
}

# youth DIRECTORY COMMAND...: the CPU time in ms that the command may use without a trace: somewhat more than it uses on
# this machine until there is one
youth() {
    out=$1
    shift
    ./assay record -q -o "$out" -- "$@" >/dev/null 2>&1 &
    recorder=$!
    began "${1##*/}"
    tries=0
    until ls "$out"/*.trace >/dev/null 2>&1 || [ $tries -ge 6000 ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
    used=$(used_ms "$command")
    kill -9 "$command"
    wait "$recorder" 2>/dev/null
    awk -v used="$used" 'BEGIN { most = 200 + 2 * used; print most < 1000 ? most : 1000 }'
}

# kill_once MS DIRECTORY COMMAND...: kills the recorded command after MS ms; prints the missing ms of CPU time, "young",
# or what went wrong
kill_once() {
    after=$1 out=$2
    shift 2
    ./assay record -q -o "$out" -- "$@" >/dev/null 2>"$out.err" &
    recorder=$!
    began "${1##*/}"
    begun=$(now_ns)
    sleep "$(awk -v ms="$after" 'BEGIN { print ms / 1000 }')"
    used=$(used_ms "$command" 2>/dev/null)
    killed=$(now_ns)
    [ -z "$used" ] || kill -9 "$command"
    wait "$recorder"
    status=$?
    trace=$(ls "$out"/*.trace 2>/dev/null | head -n 1)
    if [ -z "$used" ]; then
        echo "the command was gone before it was killed (status $status)"
    elif [ "$status" -ne 137 ]; then
        echo "the recorder ended with status $status"
    elif [ -z "$trace" ]; then
        grep -q . "$out.err" && [ $((used - $(stood_ms "$begun" "$killed"))) -lt "$youth" ] && echo young || echo "no trace after $used ms of CPU time"
    elif
        "$build/libexec/assay/assay-info" --format json "$trace" >"$out.json" 2>"$out.info"
        ! grep -q "\"unfinished\": $unfinished" "$out.json"
    then
        echo "the trace is not marked as unfinished: $unfinished"
    elif [ $unfinished = true ] && ! grep -q 'no end mark: ' "$out.info"; then
        echo "assay info has no message about the missing end"
    else
        last=$("$build/libexec/assay/assay-dump" "$trace" 2>/dev/null |
            awk -F, -v begun="$begun" 'NR > 1 && $2 > last { last = $2 } END { printf "%.0f\n", last ? last : begun }')
        # While other programs have the processors, the program, its writer and its samples wait alike.
        awk -v missing=$(((killed - last) / 1000000 - $(stood_ms "$last" "$killed"))) -v used="$used" \
            -v wall=$(((killed - begun) / 1000000)) 'BEGIN { print int(used < wall ? missing * used / wall : missing) }'
    fi
}

# verdict WHAT NUMBER: two results, numbered from NUMBER
verdict() {
    what=$1
    sort -n "$work/verdicts" | awk -v what="$what" -v number="$2" '
        /^-?[0-9]+$/ { n++; if ($1 > worst) worst = $1; if ($1 > 1000) late++; next }
        /^young$/ { young++; next }
        { bad++; print "# " $0 }
        END {
            printf "%sok %d - %d kills of a %s: %d traces are readable, and whole or report their loss (%d before a sample)\n",
                (bad || young > n) ? "not " : "", number, n + young + bad, what, n, young
            printf "%sok %d - at most the last second of CPU time is missing (at worst %d ms)\n", late ? "not " : "", number + 1, worst
        }'
}

# attack WHAT KILLS LONGEST NUMBER COMMAND...: kills the command KILLS times, after LONGEST ms at most
attack() {
    what=$1 count=$2 longest=$3 number=$4
    shift 4
    : >"$work/verdicts"
    youth=$(youth "$work/$number-youth" "$@" 2>/dev/null)
    i=0
    while [ "$i" -lt "$count" ]; do
        after=$(awk -v seed="$i" -v longest="$longest" 'BEGIN { srand(seed * 7919 + 1); print int(rand() * longest) }')
        kill_once "$after" "$work/$number-$i" "$@" >>"$work/verdicts"
        i=$((i + 1))
    done
    verdict "$what" "$number"
}

echo 1..4
unfinished=false
attack "native program" "$kills" 1500 1 "$work/busy"
if command -v javac >/dev/null && javac -d "$work" "$work/Busy.java"; then
    unfinished=true
    attack "Java program" $((kills / 10)) 3000 3 java -cp "$work" Busy
else
    echo "ok 3 # skip no javac"
    echo "ok 4 # skip no javac"
fi
