#!/bin/sh
# Which engine records the wasted accesses of a JVM: by itself, and on request.
. "$(dirname "$0")/lib.sh"
cat >Loads.java <<'EOT'
public class Loads {
    static int x;
    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += x;
        }
        System.out.println(sum);
    }
}
EOT
compile_java Loads.java || exit 1
${CC:-cc} -o deny_perf "$root/tests/record/deny_perf.c" || exit 1

# engine TRACE: its engine, as the trace says
engine() {
    "$build/libexec/assay/assay-info" "$@" | sed -n 's/^ *engine  *//p'
}

"$record" -m waste --no-profile -o waste -- java Loads >out 2>err
is "$(engine waste/*.trace)" rewrite 'mode waste of java takes engine rewrite'
like err 'engine rewrite .*also those that the JIT compilers would have removed' '  and says what that is'
"$waste" waste/*.trace >table
like table 'also those that the JIT compilers remove.*; not those of native code' '  as the result does'

./deny_perf 1 "$record" -m silent-load -o denied -- java Loads >out 2>err
is "$?/$(cat out)" 0/0 'a sampled mode where accesses do not trap: the program runs'
is "$(engine denied/*.trace)" rewrite '  with engine rewrite'
like err 'engine rewrite .in bursts .*: no watchpoints: perf events are not permitted' '  in bursts, and a line says why'
"$waste" --pairs 50 --format csv denied/*.trace 2>err | grep 'silent-load.*,Loads.main(String\[\]):6,' | cut -d , -f 11,12 >own
is "$(cat own)" 999,999 '  and a program too short for two has all its accesses in one'
./deny_perf 1 "$record" -m silent-load -p 5ms -o asked -- java Loads >out 2>err
is $? 1 '  but not if samples were requested'
like err 'engines exact and rewrite need none' '    and the line says what needs no watchpoints'

for wanted in dead-store silent-store silent-load; do
    counted $wanted Loads
    cut -d ' ' -f 2 pairs | sort -u >kinds
    is "$(cat kinds)" $wanted "mode $wanted records pairs of its kind alone"
done
like pairs '^Loads.main silent-load 999 999$' '  and all of them'

# the CPU profile that goes with it
"$record" -m waste -o profiled -- java Loads >out 2>err </dev/null
is "$?/$(cat out)" 0/0 'mode waste of java with a CPU profile: the output comes once'
is "$(grep -c 'Picked up' err)" 1 '  and so does what the JVM says'
like err 'CPU profile: [0-9]+ samples.* in profiled/profile' '  a line says what came of it'
is "$("$build/libexec/assay/assay-info" profiled/profile/*.trace 2>/dev/null | sed -n 's/^ *mode  *//p; s/^ *collector  *//p' | sort -u | xargs)" 'cpu jvm' \
    '  it is of the JVM'
"$waste" --hot --lines 0 --format csv profiled >table 2>err
is $? 0 '  assay waste --hot takes it'
like table 'Loads.main\(String\[\]\):6,' '  and ranks lines of Java code'

# a wrapper script, and a JVM that starts another one
cat >Outer.java <<'EOT'
public class Outer {
    public static void main(String[] arguments) throws Exception {
        System.exit(new ProcessBuilder("java", "Loads").inheritIO().start().waitFor());
    }
}
EOT
compile_java Outer.java || exit 1
printf '#!/bin/sh\njava Outer\n' >wrapper
chmod +x wrapper
"$record" -q -m waste --no-profile -E rewrite -o both -- ./wrapper >out 2>err
is "$?/$(cat out)" 0/0 'a script that starts a JVM that starts a JVM'
set -- both/*.trace
is $# 2 '  each has a trace'

# a cache that can't be written
: >file
HOME=$scratch/file XDG_CACHE_HOME=$scratch/file "$record" -q -m waste --no-profile -o cacheless -- java Loads >out 2>err
is "$?/$(cat out)" 0/0 'without a cache the prepared classes go to the output directory'
done_testing
