#!/bin/sh
# assay inject: methods of every kind behave the same with work as without, and their calls are counted; a method that
# the compilers treat differently because of the work is found; the table, resuming it, and all errors.
. "$(dirname "$0")/../jvm/lib.sh"
[ -e "$build/lib/assay/libassay-inject.so" ] || skip_all 'no agent for work in this build'
inject() {
    "$build/libexec/assay/assay-inject" "$@" 2>err
}
# field COLUMN ROW: of table.csv, whose quoted cells have a comma only in the last column here
field() {
    awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print $at }' table.csv
}
# says MESSAGE: the only line of assay inject contains it
says() {
    grep -v '^Picked up' err >own
    [ "$(wc -l <own)" -eq 1 ] && grep -qF -- "$1" own
}
awk 'BEGIN { print "public class Wide { static long wide("
    for (i = 0; i < 127; i++) printf "%slong a%d", i ? ", " : "", i
    print ") { long s = 0; for (long i = a0; i < a126; i++) s += i + a64; return s; }"
    print "public static void main(String[] x) { long t = 0; for (int i = 0; i < 1000; i++) t += wide("
    for (i = 0; i < 127; i++) printf "%si + %d", i ? ", " : "", i
    print "); System.out.println(t); } }" }' >Wide.java
awk 'BEGIN { print "public class Large { static int large(int x) { int s = x;"
    for (i = 0; i < 24; i++) printf "s = s * 31 + x; s ^= %d;\n", 20 + i
    print "return s; } static synchronized int small(int x) { int s = x;"
    for (i = 0; i < 10; i++) printf "s = s * 31 + x; s ^= %d;\n", 20 + i
    print "return s; } static int call(int n) { int s = 0; for (int i = 0; i < n; i++) s += large(i) + small(i); return s; }"
    print "public static void main(String[] a) { int s = 0; for (int i = 0; i < 3000; i++) s += call(100); System.out.println(s); } }" }' >Large.java
# Does in Java what --work array has done in three calls, and compares the field that it leaves. A call allocates an
# int[1024], which takes 4112 bytes.
cat >Additions.java <<'END'
public class Additions {
    static void worked() {}
    public static void main(String[] a) throws Exception {
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long bytes = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 3; i++) worked();
        bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
        int x = 0;
        for (int i = 0; i < 3; i++) {
            int[] array = new int[1024];
            for (int k = 0; k < 5000; k++) {
                x = x * 1664525 + 1013904223;
                array[x >>> 22] += array[x << 10 >>> 22] + 1;
            }
            x += array[x >>> 22];
        }
        try {
            System.out.println((Additions.class.getDeclaredField("assay$sink").getInt(null) == x) + " " + bytes / 3 / 4112);
        } catch (NoSuchFieldException e) {
            System.out.println("no work");
        }
    }
}
END
compile_java -g -d . Additions.java Wide.java Large.java "$root/tests/victims/java/Shapes.java" || exit 1
javap -c -cp . Large >code
truth=$(java -cp . Shapes)

# --- every kind of method ---
for method in 'Shapes$Built.<init>' Shapes.begins Shapes.table Shapes.arguments Shapes.guarded Shapes.nothing \
    'Shapes.overloaded(J)I' java.lang.Integer.compareTo; do
    rm -f table.csv
    inject -q --method "$method" --amount 50 --runs 1 -o table.csv -- java -cp . Shapes >out
    is "$? $(tr '\n' ' ' <out)$(field status 2)" "0 $truth $truth ok" "$method behaves as without work"
    case $method in
    java.*) between 1000 "$(field calls 2)" 100000 '  its calls are counted, in a class of the JDK' ;;
    *) is "$(field calls 1)|$(field calls 2)" '|1000' '  its calls are counted' ;;
    esac
done
rm -f table.csv
inject -q --method Shapes.overloaded --work alloc --amount 5 --runs 1 -o table.csv -- java -Xcomp -cp . Shapes >out
is "$? $(tail -n 1 out) $(field calls 2) $(field work 2) $(field injected_ms 2)" "0 $truth 2000 alloc " \
    'all methods of one name; with --work alloc the injected time is not known'
for method in 'Shapes$Built.<init>' Shapes.table Shapes.guarded Shapes.overloaded; do
    rm -f table.csv
    inject -q --method "$method" --work array --amount 50 --runs 1 -o table.csv -- java -Xcomp -Xverify:all -cp . Shapes >out
    calls=1000
    [ $method != Shapes.overloaded ] || calls=2000
    is "$? $(tr '\n' ' ' <out)$(field calls 2) $(field work 2) $(field injected_ms 2)" "0 $truth $truth $calls array " \
        "$method behaves as without work if each call allocates an array and adds its elements"
done
ok "$(awk -v java="$(field java_cpu_ms 2)" -v jvm="$(field jvm_cpu_ms 2)" 'BEGIN { print !(java > 0 && java < jvm) }')" \
    'CPU time of Java threads is less than that of the JVM, which compiles'
ok "$(awk -v java="$(field java_cpu_ms 2)" -v start="$(field start_java_ms 2)" 'BEGIN { print !(start > 0 && start < java) }')" \
    '  part of it passed before the program began'
rm -f table.csv
inject -q --method Additions.worked --work array --amount 5000 --runs 1 -o table.csv -- java -cp . Additions >out
is "$? $(tr '\n' ' ' <out)" '0 no work true 1 ' '--work array adds 5000 pairs of random elements of one new int[1024] in each call'
# Local variables beyond 255 need other instructions
truth=$(java -cp . Wide)
rm -f table.csv
inject -q --method Wide.wide --amount 50 --runs 1 -o table.csv -- java -cp . Wide >out
is "$? $(tail -n 1 out) $(field calls 2)" "0 $truth 1000" 'a method with 254 slots of arguments behaves as without work'
rm -f table.csv
inject -q --method Wide.wide --work array --amount 50 --runs 1 -o table.csv -- java -cp . Wide >out
is "$? $(tail -n 1 out) $(field calls 2)" "0 $truth 1000" '  also with an array in the last of its variables'

# --- the guard ---
# HotSpot inlines hot methods of up to 325 bytes of bytecode (FreqInlineSize). The method has about 290 bytes, and about
# 340 with work.
for method in large small; do
    rm -f table.csv
    inject --method Large.$method --amount 20 --runs 1 -o table.csv -- java -Xbatch -cp . Large >out
    status=$?
    bytes=$(awk -v m="int $method(" 'index($0, m) { on = 1 } on && /ireturn/ { sub(/:.*/, ""); print $1 + 1; exit }' code)
    is "$status $(field bytes 1)" "0 $bytes" "$method: its size in bytes is that of javap"
    if [ $method = large ]; then
        between 278 "$bytes" 325 '  the size is just below the limit'
        is "$(field inlined 1) $(field size_class 1) $(field guard 1)" 'yes <=325 ok' '  it is inlined'
        is "$(field size_class 2) $(field guard 2)" '<=8000 invalid: inlined no (without work: yes)' \
            '  but not with work, so the point is invalid'
        grep -q '1 of 1 points are invalid: .*; they give no slope: choose another method' err
        ok $? '  a line reports it'
    else
        is "$(field guard 2) $(field inlined 2)" 'ok yes' '  a small method is inlined with work as without'
    fi
done
# The hottest method is the one that is no longer inlined.
needs tests/make_trace
awk 'BEGIN { for (i = 1; i <= 100; i++) printf "main@java %d %.0f %.0f Large.main;Large.%s\n", i, i * 1e7, i * 1e7, i <= 60 ? "large" : "small" }' |
    "$build/tests/make_trace" hot.trace clock=random period_ns=10000000
inject --hot 1 --from hot.trace --amount 20 --runs 1 -o hot.csv -- java -Xbatch -cp . Large >out
is "$? $(tail -n 1 hot.csv | cut -d, -f1,3)" '0 Large.small,20' \
    '--hot: a method that is no longer inlined with work is passed over'
like err 'Large.large is passed over: with work of 20 a call: invalid: inlined no .without work: yes.' \
    '  a line says why'
is "$(field amount 1)" 0 'the run without work comes first'
is "$(tail -n 1 table.csv | sed 's/.*,//')" 'java -Xbatch -cp . Large' 'the table has the command'

# --- resuming ---
cp table.csv before.csv
inject --method Large.small --amount 20,40 --runs 1 -o table.csv -- java -Xbatch -cp . Large >out
is "$? $(wc -l <out) $(head -n 3 table.csv | cmp - before.csv)" '0 1 ' 'existing rows are not run again'
grep -qF 'has 2 of 3 runs; 1 to go' err
ok $? '  a line reports it'
inject -q --method Large.small --amount 20 --runs 2 -o table.csv -- java -cp . Large >out
is "$? $(wc -c <out)" '1 0' 'a table of another command is refused'
says 'another command'
ok $? '  one line reports it'
echo 'a,b' >other.csv
inject -q --method Large.small --amount 20 -o other.csv -- java -cp . Large >out
is "$? $(cat other.csv) $(wc -c <out)" '1 a,b 0' 'a file that is not such a table is refused and stays as it is'
inject -q --method Large.small --amount 20 --runs 1 -- java -cp . Large >out
is "$? $(wc -l <out) $(head -n 1 out | cut -d, -f1-4)" '0 3 method,work,amount,run' \
    'without -o only the table goes to standard output'
JAVA_TOOL_OPTIONS=-Duser.option=kept
export JAVA_TOOL_OPTIONS
# shellcheck disable=SC2016
inject -q --method Large.small --amount 20 --runs 1 -o table-2.csv -- sh -c 'echo "$1 $JAVA_TOOL_OPTIONS" >seen-{amount}; java -cp . Large' - '{method}/{run}' >out
is "$? $(cut -d' ' -f1 seen-20)" '0 Large.small/1' 'placeholders in the command are replaced'
grep -q ' -Duser.option=kept -agentpath:' seen-20
ok $? "the user's JAVA_TOOL_OPTIONS stay"
unset JAVA_TOOL_OPTIONS

# --- errors ---
# refused MESSAGE WHAT METHOD COMMAND...
refused() {
    message=$1 what=$2 method=$3
    shift 3
    rm -f refused.csv
    inject -q --method "$method" --amount 20 --runs 1 -o refused.csv -- "$@" >out
    is $? 1 "$what"
    says "$message"
    ok $? "  $message" || sed 's/^/# /' err
}
refused 'Shapes.none: its class has no method of that name' 'an unknown method: status 1' Shapes.none java -cp . Shapes
refused 'No.method: its class is in none of the command' 'an unknown class: status 1' No.method java -cp . Shapes
refused 'Shapes.never: the method is not called in this command' \
    'a method that is never called: status 1' Shapes.never java -cp . Shapes
refused 'is abstract or native' 'a method without bytecode: status 1' java.lang.System.nanoTime java -cp . Shapes
refused 'belongs to an interface' 'a method of an interface: status 1' 'Shapes$Named.named' java -cp . Shapes
refused 'starts no JVM that exits normally' 'a command that starts no JVM: status 1' Shapes.table true
refused 'No such file or directory' 'a missing command: status 1' Shapes.table ./none
inject -q --method Shapes.table --amount 20 --runs 1 -o failed.csv -- java -cp . Shapes 3 >out
is "$? $(grep -c 'exit 3' failed.csv) $(grep -c '^assay-inject: amount 0, run 1: .*exit 3; nothing is injected' err) $(grep -c '^assay-inject: ' err)" '1 1 1 1' \
    'a command that fails ends the series, and its row has the status'
refused 'methods of Java are named package.Class.method' 'a class alone is not a method: status 1' Shapes true
inject --method .begins --amount 20 -- true >out
is $? 2 'a method without a class: status 2'
inject --method Shapes.table -- true >out
is $? 2 'no amount: status 2'
inject --method Shapes.table --sweep 10:0:20 -- true >out
is $? 2 'a sweep with step 0: status 2'
inject --method Shapes.table --amount 5 --work sleep -- true >out
is $? 2 'an unknown kind of work: status 2'

# --- with a recorder ---
inject -q --method Shapes.begins --amount 20 --runs 1 -o recorded.csv -- "$build/libexec/assay/assay-record" -q -o 'out-{amount}' -- java -cp . Shapes >out
is "$? $(tail -n 1 recorded.csv | cut -d, -f7)" '0 1000' 'work and a recorder run in the same JVM'
"$build/libexec/assay/assay-info" --format json out-20/*.trace 2>/dev/null | tr -d ' \n' |
    grep -qF '"inject":{"method":"Shapes.begins","work":"fib","amount":20,"run":1}'
ok $? '  the trace says what was injected'
done_testing
