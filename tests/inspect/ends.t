#!/bin/sh
# assay inspect does not change the program: output, exceptions, exit status and signals are as without it, with many threads and
# garbage collections, too. What can't be inspected is said in one line.
. "$(dirname "$0")/lib.sh"
cat >Ends.java <<'END'
public class Ends {
    static class Node { Node next; int value; }
    static volatile int total;
    static int walk(Node at) { int sum = 0; for (; at != null; at = at.next) sum += at.value; return sum; }
    static int touch(Object[] all) {
        int sum = 0;
        for (int i = 0; i < all.length; i++) { Node node = (Node) all[i]; node.value++; sum += node.value; }
        return sum;
    }
    static int churn(int rounds) {
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            Node first = null;
            Object[] all = new Object[200];
            for (int i = 0; i < all.length; i++) {
                Node node = new Node();
                node.value = i;
                node.next = first;
                all[i] = first = node;
            }
            sum += walk(first) + touch(all);
        }
        return sum;
    }
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> { int sum = churn(5000); synchronized (Ends.class) { total += sum; } });
            threads[i].start();
        }
        for (Thread each : threads)
            each.join();
        System.out.println(total);
        System.err.println("ready");
        switch (arguments[0]) {
        case "throw": throw new IllegalStateException("on purpose");
        case "exit": System.exit(3); break;
        case "kill": Thread.sleep(60000); break;
        }
    }
}
END
compile_java -d . Ends.java || exit 1

# own_lines: what the program has printed on standard error
own_lines() {
    grep -v -e '^assay' -e '^Picked up' "$1"
}

# same WHAT JAVA_ARGUMENT...
same() {
    what=$1
    shift
    "${JAVA:-java}" "$@" >plain 2>plain.err
    expected=$?
    inspected "$@"
    is "$status/$(cat out)" "$expected/$(cat plain)" "$what: output and status are the program's own"
    own_lines err >err.own
    own_lines plain.err | diff - err.own >differences
    ok $? '  and so are its errors' || sed 's/^/# /' differences
}

# counted WHAT: what metadata `inspect` has of it
counted() {
    "$build/libexec/assay/assay-info" --format json traces/*.trace | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"
}

# whole: the trace can be read to its end
whole() {
    "$dump" --kind access traces/*.trace >accesses.csv 2>damage
    is "$?/$(cat damage)" 0/ '  the trace is whole'
}

same 'an uncaught exception' Ends throw
same 'System.exit()' Ends exit
collectors='Serial Parallel G1 Z Shenandoah'
for JAVA in $(jvms); do
    for collector in $collectors; do
        "$JAVA" -XX:+Use${collector}GC -version >/dev/null 2>&1 || continue
        options='--entries 100'
        ASSAY_INSPECT_VERIFY=1
        export ASSAY_INSPECT_VERIFY
        same "$JAVA $collector, 32 MB" -XX:+Use${collector}GC -Xmx32m Ends end
        unset ASSAY_INSPECT_VERIFY options
        whole
        is "$(($(counted 'verified loads') > 100))/$(counted 'loads that differ')" 1/0 \
            '  what was loaded is where the trace says: no inspection was used in which objects have moved'
    done
    same "$JAVA -Xcomp" -Xcomp Ends end
    same "$JAVA -Xcheck:jni" -Xcheck:jni Ends end
    collectors='G1 Z' # of other JDKs those that differ most
done
unset JAVA

same '-Xint' -Xint Ends end
like err 'the JVM has compiled no method with a loop .*-Xint' '  it is said why nothing was inspected'
same 'a debugger' -agentlib:jdwp=transport=dt_socket,server=n,address=localhost:1,onuncaught=y,launch=/bin/true Ends exit
like err 'has a debugger .*not inspected' '  the JVM is left alone'
echo '-agentlib:jdwp=transport=dt_socket,server=n,address=localhost:1,onuncaught=y,launch=/bin/true' >options
same 'a debugger in a file of arguments' @options Ends exit
like err 'has a debugger .*not inspected' '  the JVM is left alone'

# A breakpoint keeps a class alive. Each class here has 4 MB, and is compiled at its last call.
cat >Unload.java <<'END'
public class Unload extends ClassLoader {
    public static class Hot {
        static byte[] large = new byte[4 << 20];
        public static long sum(int[] all) { long sum = 0; for (int i = 0; i < all.length; i++) sum += all[i]; return sum; }
    }
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.equals("Unload$Hot"))
            return super.loadClass(name, resolve);
        try (var in = Unload.class.getResourceAsStream("Unload$Hot.class")) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (java.io.IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 30; i++) {
            var sum = new Unload().loadClass("Unload$Hot").getMethod("sum", int[].class);
            for (int call = 0; call < 2; call++)
                sum.invoke(null, (Object) new int[70000]);
            Thread.sleep(50);
        }
        System.out.println("unloaded");
    }
}
END
compile_java -d . Unload.java || exit 1
same 'classes that are unloaded' -Xmx64m Unload

# Many threads, whose stacks are looked at.
cat >Many.java <<'END'
public class Many {
    static int sum(int[] all) { int sum = 0; for (int each : all) sum += each; return sum; }
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[200];
        for (int i = 0; i < threads.length; i++)
            (threads[i] = new Thread(() -> { try { Thread.sleep(1500); } catch (InterruptedException e) { } })).start();
        int total = 0;
        for (int i = 0; i < 20000; i++)
            total += sum(new int[100]);
        for (Thread each : threads)
            each.join();
        System.out.println(total);
    }
}
END
compile_java -d . Many.java || exit 1
same '-Xcheck:jni, 200 threads' -Xcheck:jni Many

# A JVM that is killed leaves a trace that can be read, without its last second.
rm -rf traces
"$inspect" -q -o traces -- java Ends kill >out 2>err &
wait_until 60 grep -q ready err
# loops: the loops in its trace, as lines below a title
loops() {
    "$dump" --kind loop traces/*.trace 2>/dev/null | sed 1d
}
has_loops() {
    loops | grep -q .
}
wait_until 60 has_loops
kill -KILL $(cat /proc/$!/task/$!/children)
wait $!
is $? 137 'killed: the status says so'
between 1 "$(loops | wc -l)" 100 '  the trace has what was inspected'

"$inspect" -q -o none -- true >out 2>err
is $? 1 'a command without a JVM: a failure'
like err 'no Java virtual machine' '  it is said why'
"$inspect" --iterations 0 -- true 2>err
is $? 2 'zero iterations: bad usage'
done_testing
