#!/bin/sh
# Garbage collections in mode methods: each has the counters of the threads that collect. Their number and their lengths agree
# with the JVM's own log. assay phases shows them as a phase.
. "$(dirname "$0")/lib.sh"
command -v javac >/dev/null && command -v java >/dev/null || skip_all 'there is no JDK here'
[ -e "$build/lib/assay/assay-methods.jar" ] || skip_all 'this build has no class rewriter (libasm-java)'
compile_java -d . "$root/tests/victims/java/Collect.java" || exit 1
phases=$build/libexec/assay/assay-phases

# collected COLLECTOR COUNTERS: records with this collector; its pauses, in ms, are in pauses, and ours in gc.csv
collected() {
    recorded --counters "$2" -- java "-XX:+Use$1GC" -Xms64m -Xmx512m -Xlog:gc:file=log -cp . Collect 1000
    status=$?
    sed -n 's/.* Pause .* \([0-9.]*\)ms$/\1/p' log >pauses
    "$dump" --kind gc --format csv out/*.trace >gc.csv
}
for collector in Serial Parallel G1; do
    collected $collector cpu-time,page-faults,context-switches,wall-time
    is "$status" 0 "$collector: status 0"
    between 1 "$(wc -l <pauses)" 100000 '  the JVM has logged collections'
    # One operation of the JVM may first collect the young objects and then all.
    between $(($(wc -l <pauses) - $(grep -c 'Pause Full' log))) "$(sed 1d gc.csv | wc -l)" "$(wc -l <pauses)" '  each of them is recorded'
    # Pauses as logged lie within ours. The threads cannot use more CPU time than there are processors for it, 10 ms more for the
    # accuracy of the clocks.
    awk -F, -v processors="$(nproc)" -v logged="$(awk '{ sum += $1 } END { print sum }' pauses)" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { duration = $at["duration_ns"]; cpu = $at["counter_0"]; sum += duration }
        cpu <= 0 || cpu > processors * duration + 1e7 || $at["counter_3"] != duration { print "bad:", $0 }
        END { if (sum < logged * 1e6 - 1e6 * NR) print "too short:", sum, logged }' gc.csv >bad
    is "$(cat bad)" '' '  with their lengths and the CPU time of their threads'
    $phases --weight 0 --grain 0 --format csv -o phases.csv out/*.trace 2>notes
    is "$(awk -F, '$1 == "[garbage collector]" { print $2, $6 }' phases.csv | sort -u)" "$(sed 1d gc.csv | wc -l | sed 's/.*/& &/')" \
        '  assay phases: each is a call of the garbage collector'
    is "$(awk -F, '$1 == "[garbage collector]" && $5 == "thread-cpu-ns" { printf "%.3f", $6 * $7 / 1e9 }' phases.csv)" \
        "$(awk -F, 'NR > 1 { sum += $4 } END { printf "%.3f", sum / 1e9 }' gc.csv)" '  with the same CPU time'
    $phases --components --format csv -o components.csv out/*.trace 2>/dev/null
    is "$(awk -F, '$1 == "garbage collector" && $2 == "thread-cpu-ns" { print ($3 > 0 && $3 < 1) }' components.csv)" 1 \
        '  --components has the CPU time of the collector'
done
$phases --weight 0 --grain 0 --select chosen -o ignored.csv out/*.trace 2>/dev/null
grep -q 'garbage collector' chosen
is $? 1 '--select leaves the collector out: it needs no probes'
$phases --components --format csv -o components.csv out/*.trace 2>/dev/null
is "$(awk -F, '$1 == "garbage collector" && $2 == "page-faults" { print ($3 > 0 && $3 < 1) }' components.csv)" 1 \
    '--components has the share of the collector in other counters'
is "$(awk -F, '$2 == "page-faults" { sum += $3 } END { printf "%.6f", sum }' components.csv)" 1.000000 \
    '  all shares together are 100 %'

# The garbage collector needs no probes, so its calls count in no estimate of their cost.
$phases --weight 0 --grain 0 --format json -o all.json out/*.trace 2>/dev/null
$phases --weight 0 --grain 0 --format csv -o all.csv out/*.trace 2>/dev/null
probed=$(awk -F, '$5 == "time_ns" && $1 != "[garbage collector]" { sum += $2 } END { print sum }' all.csv)
is "$(grep -oE '"(invocations|all_invocations|estimated_overhead)": [0-9.]+' all.json | tr -d ' ' | sort | paste -s -d ' ' -)" \
    "\"all_invocations\":$probed \"estimated_overhead\":1.0 \"invocations\":$probed" \
    'collections are not among the invocations that the overhead is estimated from'

# A thread of the program whose number has the same remainder by 4096 as that of the VM thread
cat >Collide.java <<'END'
import java.nio.file.*;

public class Collide {
    static volatile int found;

    static int number(Path path) { return Integer.parseInt(path.getFileName().toString()); }

    static void stay(int wanted) {
        try {
            int own = number(Files.readSymbolicLink(Path.of("/proc/thread-self")));
            if (own % 4096 != wanted) return;
            found = own;
            Thread.sleep(Long.MAX_VALUE);
        } catch (Exception e) {
            System.out.println(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int collector = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks)
                if (Files.readString(task.resolve("comm")).equals("VM Thread\n")) collector = number(task);
        }
        final int wanted = collector % 4096;
        for (int i = 0; i < 20000 && found == 0; i++) {
            Thread thread = new Thread(() -> stay(wanted));
            thread.setDaemon(true);
            thread.start();
            while (found == 0 && thread.isAlive()) thread.join(1);
        }
        System.out.println(collector > 0 && found > 0);
        Collect.main(arguments);
    }
}
END
compile_java -cp . -d . Collide.java || exit 1
recorded --counters cpu-time -- java -XX:+UseSerialGC -Xms64m -Xmx512m -cp . Collide 1000
if grep -q '^true$' said; then
    "$dump" --kind gc --format csv out/*.trace | awk -F, -v processors="$(nproc)" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++ }
        $at["counter_0"] > processors * $at["duration_ns"] + 1e7 || $at["counter_0"] == 0 { off++ }
        END { print (n > 0), off + 0 }' >seen
    is "$(cat seen)" '1 0' 'threads of the program do not replace those that collect'
else
    skip 'no thread got the number that collides'
fi

# Few virtual machines have hardware counters, so imitate.c lets them count nanoseconds of CPU time.
cc -std=c17 -D_GNU_SOURCE -O1 -fPIC -shared -o imitate.so "$root/tests/machines/imitate.c" || exit 1
rm -rf out
ASSAY_IMITATE=counters LD_PRELOAD=$scratch/imitate.so timeout -k 5 300 $record --counters cpu-time,cycles -- \
    java -XX:+UseParallelGC -Xms64m -Xmx512m -cp . Collect 1000 >said 2>err
if grep -q 'cycles: ' err; then
    skip 'counters cannot be imitated here'
else
    # The kernel's CPU clock also counts what the host has taken from this machine. If the JVM starts a thread in the first
    # collection, its events are counted from the second on.
    "$dump" --kind gc --format csv out/*.trace | awk -F, -v processors="$(nproc)" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++ }
        (n > 1 && $at["counter_1"] < 0.8 * $at["counter_0"] - 5e6) || $at["counter_1"] > processors * $at["duration_ns"] + 1e7 { off++ }
        END { print (n > 0), off + 0 }' >seen
    is "$(cat seen)" '1 0' 'hardware events are counted in the threads that collect'
fi
done_testing
