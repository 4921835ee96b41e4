#!/bin/sh
# Programs of 64 threads under mode methods are killed at random moments, drawn from a fixed seed. The trace of a native
# program, which another process writes, is whole: every call has its end. That of a JVM holds what had been written, and
# its events nest. Every event without its counterpart is counted by its cause: here all are calls that were open, since
# nothing is lost. SEED=N chooses other moments; KILLS=30 kills each program that often, at
# moments that change from run to run unless SEED is given (tests/peers/methods.bench does that).
. "$(dirname "$0")/lib.sh"
phases=$build/libexec/assay/assay-phases

seed=${SEED:-${KILLS:+$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}}
seed=${seed:-1}
echo "# SEED=$seed"

# moments COUNT NUMBER: COUNT random times from 0 to 0.8 s, for program NUMBER
moments() { awk -v seed="$seed" -v count="$1" -v number="$2" 'BEGIN { srand(seed + number); while (count-- > 0) printf "%.4f\n", rand() * 0.8 }'; }

# killed SECONDS COMMAND...: runs it and kills it SECONDS after it has made the file `ready` and its trace has events;
# ./before holds the traces as they were just before the kill
killed() {
    seconds=$1
    shift
    rm -rf out ready before
    cat >killer <<'END'
seconds=$1 dump=$2
shift 2
"$@" &
program=$!
until [ -e ready ] && rm -rf before && cp -r out before &&
    for trace in before/*.trace; do LD_PRELOAD= "$dump" --kind event --format csv "$trace"; done 2>/dev/null | grep -q ,enter,; do
    sleep 0.05
done
sleep "$seconds"
rm -rf before
cp -r out before
kill -9 $program
wait $program
END
    timeout -k 5 300 $record -- sh killer "$seconds" "$dump" "$@" >said 2>err
}
# checked WHAT cut|whole: the largest trace nests; calls without an end, of which a whole one has none, are counted as
# such; and each thread's events begin with those that were in the file before the kill
checked() {
    largest=$(ls -S out/*.trace | head -1)
    "$dump" --kind event --format csv "$largest" 2>/dev/null | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { t = $at["thread"]; m = $at["method"]; threads[t] }
        $at["what"] == "enter" { open[t, depth[t]++] = m; enters++; next }
        depth[t] == 0 || open[t, --depth[t]] != m { broken++ }
        END { for (t in depth) left += depth[t]; for (t in threads) n++; print n + 0, enters + 0, broken + 0, left + 0 }' >seen
    read -r threads enters broken left <seen
    "$phases" --format json --keep-going "$largest" >table 2>/dev/null
    of() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" table; }
    is "$broken" 0 "$1: recorded calls nest"
    between 1 "$enters" 99999999999 "  it has calls: $enters in $threads threads"
    if [ "$2" = whole ]; then
        is "$left" 0 '  all of them have their end'
    else
        between 1 "$left" "$enters" '  some of them are open'
    fi
    is "$(of open_at_end) $(of exits_missing) $(of enters_missing) $(of backwards)" "$left 0 0 0" \
        '  only open calls lack an end, and they are counted'
    for trace in "before/${largest##*/}" "$largest"; do
        "$dump" --kind event --format csv "$trace" 2>/dev/null
        echo end
    done | awk -F, '
        $1 == "end" { final = 1; next }
        !final { row[$1, n[$1]++] = $0; events++; next }
        seen[$1] < n[$1] { lost += row[$1, seen[$1]++] != $0 }
        END { for (t in n) lost += n[t] - seen[t]; print (events > 1 ? "some" : "none"), lost + 0 }' >flushed
    is "$(cat flushed)" 'some 0' '  nothing that was in the file before the kill is lost'
}

gcc -O1 -finstrument-functions -pthread -o many "$root/tests/victims/methods_many.c" || exit 1
for seconds in $(moments "${KILLS:-2}" 1); do
    killed "$seconds" ./many 64
    checked "64 threads, killed after $seconds s" whole
done

# The process that writes the traces is killed: nothing takes the records any more, for which threads wait a second, and
# then go on.
gcc -O1 -finstrument-functions -o spin "$root/tests/victims/methods_spin.c" || exit 1
cat >murder <<'END'
info=$1
shift
"$@" &
program=$!
until writer=$(LD_PRELOAD= "$info" --format json out/*.trace 2>/dev/null | sed -n 's/.*"writer_pid": *\([0-9]*\).*/\1/p') &&
    [ -n "$writer" ]; do
    sleep 0.02
done
kill -9 "$writer"
wait $program
END
recorded -- sh murder "$build/libexec/assay/assay-info" ./spin
is "$? $(grep -c '^leaf [0-9]*$' said)" '1 1' 'the process that writes the traces is killed: the program does all its work'
like err 'the process that writes the traces has died: they are not complete' '  and a message reports it'

if command -v javac >/dev/null && [ -e "$build/lib/assay/assay-methods.jar" ]; then
    cat >Busy.java <<'END'
public class Busy {
    static volatile long sink;
    static void leaf(int i) { for (int k = 0; k < 3; k++) sink += i; if (i % 16 == 0) throw new IllegalStateException(); }
    static void middle(int i) { for (int k = 0; k < 1; k++) leaf(i); }
    public static void main(String[] a) throws Exception {
        for (int t = 0; t < 8; t++)
            new Thread(() -> { for (int i = 0;; i++) try { middle(i); if (i % 64 == 1) Thread.sleep(1); }
                catch (IllegalStateException e) { sink--; } catch (InterruptedException e) { return; } }).start();
        Thread.sleep(800);
        new java.io.File("ready").createNewFile();
    }
}
END
    compile_java Busy.java || exit 1
    for seconds in $(moments "$(((${KILLS:-2} + 2) / 3))" 2); do
        killed "$seconds" java -cp . Busy
        checked "a JVM, killed after $seconds s" cut
    done

    # A class file with an invalid constant pool: the agent gets it before the JVM has checked it. The program catches
    # the JVM's error.
    cat >Odd.java <<'END'
import java.nio.file.*;
public class Odd extends ClassLoader {
    static int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
    public static void main(String[] a) throws Exception {
        byte[] bytes = Files.readAllBytes(Path.of("Victim.class"));
        byte[] bad = bytes.clone();
        bad[10] = 99;
        try { new Odd().defineClass("Victim", bad, 0, bad.length); } catch (ClassFormatError e) { System.out.println("refused"); }
        Class<?> good = new Odd().defineClass("Victim", bytes, 0, bytes.length);
        System.out.println(good.getName() + loop(5));
    }
}
END
    echo 'public class Victim { static int twice(int x) { for (int i = 0; i < 2; i++) x += i; return x; } }' >Victim.java
    compile_java Odd.java Victim.java || exit 1
    recorded -- java -cp . Odd
    is "$? $(grep -v Picked said | tr '\n' ' ')" '0 refused Victim10 ' \
        'a class that cannot be rewritten: the program goes on'
    is "$(grep -c "java: without probes: 1 classes that can't be rewritten (Victim: " err)" 1 \
        '  the recorder reports it in one line'
else
    skip 'there is no JDK here, or the build has no class rewriter'
fi
done_testing
