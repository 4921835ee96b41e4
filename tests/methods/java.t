#!/bin/sh
# Entries and exits of the methods of Java programs: every count follows from the program's source.
. "$(dirname "$0")/lib.sh"
jar=$build/lib/assay/assay-methods.jar
command -v javac >/dev/null && command -v java >/dev/null || skip_all 'there is no JDK here'
[ -e "$jar" ] || skip_all 'this build has no class rewriter (libasm-java)'
compile_java -d . "$root/tests/victims/java/Methods.java" || exit 1

recorded -- java -Xverify:all -cp . Methods 1000
is $? 3 "the exit status is the program's"
counted >counts
is "$(grep -v recurse counts)" 'Methods.<init> enter 14
Methods.<init> exit 14
Methods.lambda$main$0 enter 1
Methods.lambda$main$0 exit 1
Methods.lambda$main$1 enter 1
Methods.lambda$main$1 unfinished 1
Methods.lambda$main$2 enter 1
Methods.lambda$main$2 unfinished 1
Methods.loop enter 1006
Methods.loop exit 1006
Methods.main enter 1
Methods.main unfinished 1
Methods.thrower enter 1000
Methods.thrower exit-by-exception 1000' \
    'exceptions, constructors, lambdas and System.exit() in a thread: every call is recorded'
is "$(awk '$1 == "Methods.recurse" { print $2 }' counts | tr '\n' ' ')" 'enter exit-by-exception ' \
    'a stack overflow: the calls end by an exception'
is "$(awk '$1 == "Methods.recurse" { print $3 }' counts | sort -u | wc -l)" 1 '  once for each entry'
for mode in -Xint -XX:TieredStopAtLevel=1; do
    recorded -- java $mode -cp . Methods 1000
    is "$(counted | grep -v recurse)" "$(grep -v recurse counts)" "the counts are the same with $mode"
done

printf '# some\nMethods.bare\n\nMethods.loop\nMethods.gone\norg.None.none\n' >list
recorded --methods list -- java -cp . Methods 10
is "$(counted)" 'Methods.bare enter 41
Methods.bare exit 41
Methods.loop enter 16
Methods.loop exit 16' '--methods records just the methods of a list'
like err '2 not found.*Methods.gone org.None.none' '  one line names those that were not found'
compile_java -d . "$root/tests/victims/java/Overloads.java" || exit 1
for name in 'Overloads.twice(String[],List)' 'Overloads.twice(java.lang.String[], java.util.List)'; do
    echo "$name" >list
    recorded --methods list -- java -cp . Overloads
    is "$(counted)" 'Overloads.twice enter 3
Overloads.twice exit 3' "$name selects the overload with these parameters"
done
echo 'Overloads.twice' >list
recorded --methods list -- java -cp . Overloads
is "$(counted | head -1)" 'Overloads.twice enter 5' '  and a name without parameters selects all overloads'
recorded --include 'Methods.l*' --exclude '*.lambda*' -- java -cp . Methods 10
is "$(counted)" 'Methods.loop enter 16
Methods.loop exit 16' '--include and --exclude take patterns'
recorded --min-bytes 0 --include 'Methods.bare' -- java -cp . Methods 10
is "$(counted)" 'Methods.bare enter 41
Methods.bare exit 41' '--min-bytes 0 records methods of any size'
recorded --min-bytes 65535 --no-loop-rule -- java -cp . Methods 10
like err 'no method with a probe was entered' 'with a size that no method has and --no-loop-rule nothing is recorded'

# The JVM's own threads: the collectors' CPU time in a trace is the kernel's, except for what they used before the JVM
# was live and between the program's reading and the agent's.
compile_java -d . "$root/tests/victims/java/Garbage.java" || exit 1
recorded -- java -Xmx64m -XX:+UseG1GC -cp . Garbage
is $? 0 'a program that keeps the garbage collectors busy: status 0'
if [ -r /proc/self/schedstat ]; then
    collectors=$("$build/libexec/assay/assay-info" --format json out/*.trace | python3 -c '
import json, sys
print(sum(t["cpu_s"] for t in json.load(sys.stdin)["threads"] if t["role"] == "gc"))')
    between "$(awk '{ print $1 * 0.8e-9 - 0.02 }' said)" "$collectors" "$(awk '{ print $1 * 1.2e-9 + 0.05 }' said)" \
        "  their CPU time is the kernel's"
fi
"$dump" --kind vm --format csv out/*.trace >vm
"$dump" --kind gc --format csv out/*.trace >collections
if grep -q safepoint-ns vm; then
    of() { awk -F, -v what="$1" '$3 == what { print $4 }' vm; }
    between "$(awk -F, 'NR > 1 { sum += $3 } END { printf "%d\n", sum / 2 }' collections)" "$(of safepoint-ns)" 99000000000 \
        '  the time in safepoints includes that of collections'
    between 0 "$(of safepoint-sync-ns)" "$(of safepoint-ns)" '  and the time until all threads had stopped'
    between 1 "$(of class-verify-ns)" "$(of class-load-ns)" '  the time for loading classes includes their verification'
    between 1 "$(of classes)" 100000 '  the trace has the number of classes'
else
    skip 'this JVM has no safepoint counters'
fi
"$build/libexec/assay/assay-phases" --components --format csv out/*.trace >table 2>err
is "$(awk -F, '$2 == "thread-cpu-ns" && $1 !~ /finalizer|other compiler/ && $3 > 0 { print $1 }' table | tr '\n' ' ')" \
    'application garbage collector C1 compiler C2 compiler other VM ' '  --components: each component has a share'
is "$(awk -F, '$2 == "thread-cpu-ns" { sum += $3 } END { printf "%.9f", sum }' table)" 1.000000000 \
    '  and the shares add up to 1'
is "$("$build/libexec/assay/assay-info" --format json out/*.trace | python3 -c '
import json, sys
print(*sorted(t["name"] for t in json.load(sys.stdin)["threads"] if t["name"] in ("Finalizer", "Reference Handl")))')" \
    'Finalizer Reference Handl' '  the finalization threads are listed'
if grep -q safepoint-ns vm; then
    start=$("$build/libexec/assay/assay-info" --format json out/*.trace |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["metadata"]["start_monotonic_ns"])')
    is "$(awk -F, '$2 == "elapsed-ns" { printf "%s %.9f\n", $1, $3 }' table)" "$(awk -F, -v start="$start" '
        $3 == "safepoint-ns" { safepoint = $4 / ($2 - start) } $3 == "class-load-ns" { load = $4 / ($2 - start) }
        END { printf "safepoints %.9f\nclass loading %.9f\n", safepoint, load }' vm)" \
            '  and the shares of elapsed time are those that the JVM reports'
else
    skip 'this JVM has no safepoint counters'
fi

# A finalizer that enters methods: its thread's CPU time counts once, although the trace has two streams for the thread.
cat >Fin.java <<'END'
public class Fin {
    static volatile long sink;
    @Override protected void finalize() { for (int i = 0; i < 200000; i++) sink += i; }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 300; i++) new Fin();
        for (int i = 0; i < 5; i++) { System.gc(); Thread.sleep(50); }
    }
}
END
compile_java -nowarn Fin.java 2>/dev/null || exit 1
recorded -- java -cp . Fin
"$build/libexec/assay/assay-phases" --components --format csv out/*.trace >table
"$build/libexec/assay/assay-info" --format json out/*.trace >info
between 0.999999 "$(python3 -c '
import csv, json
threads, most = json.load(open("info"))["threads"], {}
for t in threads:
    key = (t["tid"] or t["thread"], t["name"])
    most[key] = max(most.get(key, 0), t["cpu_s"])
own = sum(cpu for (_, name), cpu in most.items() if name in ("Finalizer", "Reference Handl", "Common-Cleaner"))
share = [float(r["share"]) for r in csv.DictReader(open("table")) if r["component"] == "finalizer"][0]
print("%.9f" % (share / (own / sum(most.values()))))')" 1.000001 'the CPU time of a finalizer thread counts once'
is "$(python3 -c '
import json
print(*(t["name"] for t in json.load(open("info"))["threads"] if t["name"] == "Finalizer"))')" Finalizer \
    '  and the thread is listed once'

# The trace tells what recording itself took: rewriting and writing, each a part of the CPU time of the process.
"$build/libexec/assay/assay-phases" --format json out/*.trace >table
of_summary() {
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" table
}
all=$(python3 -c '
import json
took = json.load(open("info"))["metadata"]["exit"]
print((took["user_ns"] + took["system_ns"]) / 1e9)')
between 0.001 "$(of_summary rewriting_s)" "$all" 'the trace tells what rewriting classes took'
between 0.000001 "$(of_summary writer_s)" "$all" '  and what writing the trace took'

# What methods use. The JVM's own allocations in a thread, for classes that it loads, are added to that.
compile_java -d . "$root/tests/victims/java/Counters.java" || exit 1
recorded --counters allocated,context-switches,wall-time,page-faults -- java -cp . Counters
is $? 0 'four counters at once: status 0'
"$build/libexec/assay/assay-info" out/*.trace >info
like info 'counters +\["allocated-bytes","context-switches","wall-ns","page-faults"\]' '  the trace names them'
for bytes in $(used allocate counter_0); do
    between 1016000 "$bytes" 1081536 '  a thousand arrays of 1016 bytes are counted'
done
is "$(used nothing counter_0 | tail -1)" 0 '  and none where nothing is allocated'
between 5 "$(used sleep counter_1)" 1000 '  five waits are five context switches or more'
between 10000000 "$(used sleep counter_2)" 60000000000 '  and take 10 ms or more'
"$dump" --kind event --format csv out/*.trace | awk -F, 'NR > 1 && $2 != $7' >differ
is "$(wc -l <differ)" 0 '  the wall time counter equals the time of the event'

# Threads, exceptions through a hundred frames, and methods near the JVM's limit of 65,535 bytes, in a signed jar. A
# statement takes 7 bytes, so one method has 56,000 and the other 63,000, to which no probes can be added.
awk 'BEGIN {
    print "final class Large {"
    for (m = 0; m < 2; m++) {
        printf "static int %s(int x) {\n", m ? "above" : "below"
        for (i = 0; i < (m ? 9000 : 8000); i++) print "x += x ^ 7;"
        print "return x; }"
    }
    print "}"
}' >Large.java
mkdir many
compile_java -d many Large.java "$root/tests/victims/java/Many.java" || exit 1
jar cf many.jar -C many .
keytool -genkeypair -keystore keys -storepass secret -keyalg EC -dname CN=nobody -alias own >/dev/null 2>&1 &&
    jarsigner -keystore keys -storepass secret many.jar own >/dev/null 2>&1 || exit 1
like "$(jar tf many.jar >names && echo names)" 'META-INF/OWN.SF' 'the jar is signed'
recorded --min-bytes 10 --include 'Many.*' --include 'Large.*' -- java -Xverify:all -cp many.jar Many
is $? 0 '  and its program runs with probes'
is "$(counted | grep -E 'deep|run|Large|broken')" 'Large.below enter 1
Large.below exit 1
Many.deep enter 6400
Many.deep exit-by-exception 6400
Many.run enter 64
Many.run exit 64' '  64 threads, each with an exception through 100 frames: every call is recorded'
like err 'without probes: 1 too large for probes .Large.above' '  a message names the method that is too large'

# Every class of these jars passes the verifier with probes in all its methods.
mkdir all
compile_java -cp "$jar" -d all "$root/tests/methods/LinkAll.java" || exit 1
for other in sablecc asm-all commons-lang3 guava guice; do
    path=/usr/share/java/$other.jar
    if [ -e "$path" ]; then
        java -Xverify:all -cp "$jar:all" assay.methods.LinkAll "$path" >linked 2>&1
        like linked '^[1-9][0-9]* classes with probes, .* 0 failures' "$other: $(tail -1 linked)"
    else
        skip "there is no $path here"
    fi
done
done_testing
