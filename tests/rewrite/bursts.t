#!/bin/sh
# Engine rewrite in bursts: shares that are known on paper, whole paths although bursts begin anywhere, and programs that do
# what they do without it.
. "$(dirname "$0")/lib.sh"

# Each step stores 24 bytes, of which 8 are dead (`twice`, both times) and 4 are silent (the first `twice` has the value
# of the last step's second one). It loads 528 bytes, of which 512 are silent: 64 elements, and the array as often. New
# objects waste nothing, as their fields are loaded once; `read` and `sink` are loaded once in a step.
cat >Steady.java <<'EOT'
public class Steady {
    static final int[] row = new int[64];
    static int sink;
    int twice, read;
    static final class Pair {
        final int a, b;
        Pair(int x) {
            a = x;
            b = x;
        }
        int sum() {
            return a + b;
        }
    }
    void step(int i) {
        twice = i;
        twice = i + 1;
        read = i;
        sink += read + new Pair(i).sum();
    }
    int rows() {
        int sum = 0;
        for (int i = 0; i < 64; i++) {
            sum += Rows.at(i);
        }
        return sum;
    }
    static final class Rows {
        static int at(int i) {
            return row[i];
        }
    }
    public static void main(String[] arguments) {
        Steady o = new Steady();
        int n = Integer.parseInt(arguments[0]), sum = 0;
        for (int i = 0; i < n; i++) {
            o.step(i);
            sum += o.rows();
        }
        System.out.println(sum);
    }
}
EOT
compile_java Steady.java || exit 1
compile_java -d . "$root"/tests/victims/java/Leave.java "$root"/tests/victims/java/Methods.java "$root"/tests/victims/java/Lambdas.java \
    "$root"/tests/victims/java/Unload.java "$root"/tests/victims/java/Deep.java "$root"/tests/victims/java/Shapes.java || exit 1

# shares KIND LOW HIGH: whether the fraction is within LOW and HIGH %, and its interval, if there is one, contains some of that
shares() {
    awk -F, -v kind="$1" -v low="$2" -v high="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == kind { f = 100 * $at["fraction"]; lo = 100 * $at["lo"]; hi = 100 * $at["hi"]; bursts = $at["bursts"]; unseen = $at["unseen"] }
        END { print kind, f, "of", lo, "to", hi, "in", bursts, "unseen", unseen
              exit !(f >= low && f <= high && bursts >= 1 && (bursts == 1 || lo <= high && hi >= low)) }' table.csv >judged
    ok $? "$1 in bursts: $2 to $3 % of the bytes are wasted" || sed 's/^/# /' judged
}

burst=100k:400k
counted waste Steady 12000000
is "$status/$(cat out)" 0/0 'a program in bursts: its output and status'
"$waste" --format csv traces/*.trace >table.csv 2>warnings
shares dead-store 32.8 33.9
shares silent-store 16.2 17.2
shares silent-load 96.5 97.5

# Whole paths: each context of a run in bursts, which begin anywhere, is one of the run in full.
cat >Paths.java <<'EOT'
import java.util.ArrayList;
import java.util.function.IntUnaryOperator;
public class Paths {
    static int count, last;
    interface Work {
        int run(int x);
    }
    static int touch(int x) {
        count++;
        return last = x;
    }
    static int deep(int x) {
        return x == 0 ? touch(1) : deep(x - 1) + touch(x);
    }
    static int thrown(int x) {
        try {
            if (touch(x) > 0) {
                throw new IllegalStateException();
            }
            return 0;
        } catch (IllegalStateException e) {
            return touch(-x);
        } finally {
            touch(0);
        }
    }
    static void raise(int x) {
        if (x % 3 == 0) {
            throw new IllegalArgumentException();
        }
        touch(x);
    }
    static synchronized int loops(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 3; j++) {
                sum += touch(j);
            }
            do {
                sum += touch(1);
            } while (sum % 2 == 1);
        }
        return sum;
    }
    final int[] kept = {touch(3), touch(4)};
    Paths(int n) {
        this((long) touch(n));
        for (int i = 0; i < 2; i++) {
            kept[i] = touch(i);
        }
    }
    private Paths(long m) {
        kept[0] = touch((int) m);
    }
    public static void main(String[] arguments) {
        Work work = new Work() {
            public int run(int x) {
                return touch(x) + loops(2);
            }
        };
        for (int i = 0, n = Integer.parseInt(arguments[0]); i < n; i++) {
            work.run(i);
            deep(2);
            thrown(i & 1);
            try {
                raise(i % 6);
            } catch (IllegalArgumentException e) {
                touch(i);
            }
            new Paths(i).kept[0]++;
            touch(i);
        }
        System.out.println(count);
    }
}
EOT
compile_java Paths.java || exit 1
# contexts: those of the program's own accesses, from its beginning
contexts() {
    "$waste" --pairs 0 --format csv traces/*.trace 2>>err | tr -d '"' | tr ',' '\n' | grep '\(^\|> \)Paths[^ >]*:[0-9]*$' | LC_ALL=C sort -u
}
burst=
counted waste Paths 40
contexts >full
burst=2000:8000
same 'calls, loops, exceptions and constructors' Paths 1000000
contexts >seen
LC_ALL=C comm -13 full seen >wrong
is "$(cat wrong)" '' '  each context is one of the run in full'
is "$(($(wc -l <seen) * 2 > $(wc -l <full)))" 1 '  and most of them are seen'

# The JIT compilers take methods with two bodies, also those with monitors and handlers.
cat >Locked.java <<'EOT'
public class Locked {
    static int count;
    static final Object lock = new Object();
    static int block(int n) {
        synchronized (lock) {
            for (int i = 0; i < 3; i++) {
                count += n;
            }
            return count;
        }
    }
    static int caught(int n) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            try {
                synchronized (lock) {
                    sum += Integer.parseInt(n % 7 == 0 ? "x" : "7");
                }
            } catch (NumberFormatException e) {
                sum -= count;
            } finally {
                count++;
            }
        }
        return sum;
    }
    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0, n = Integer.parseInt(arguments[0]); i < n; i++) {
            sum += block(i) + caught(i);
        }
        System.out.println(sum);
    }
}
EOT
compile_java Locked.java || exit 1
burst=2000:8000
same 'monitors and handlers' Locked 300000
counted waste -Xbatch -XX:+PrintCompilation Locked 300000 # they compile at once, however busy the machine is
grep 'COMPILE SKIPPED\|not compilable' out >skipped
is "$(cat skipped)" '' '  the compilers leave no method out'
like out ' 4 .*Locked::block' '  and take those of the program'
like out ' 4 .*Locked::caught' '  all of them'

burst=1000:5000
same 'a stack overflow' Deep 1
same 'lambdas and streams' Lambdas 1
same 'classes that are unloaded' Unload 30
same 'methods of every shape' Shapes
same 'calls of every kind' Methods
for how in return exit exception; do
    same "ends by $how" Leave $how
done
same 'JNI is used as it should be, and classes are verified' -Xcheck:jni -Xverify:all Lambdas 1
done_testing
