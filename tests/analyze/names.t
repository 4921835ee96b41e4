#!/bin/sh
# One name for one method: the same profile in several formats, each with its own notation, has the same hot list, and
# assay agree finds no distance. tests/trace/names/normal_name_test.c has the names one by one.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay
import() {
    "$programs/assay-import" -q "$@" 2>err
}
hot() {
    "$programs/assay-hot" --format csv "$1" 2>/dev/null | cut -d, -f2- | sed 's/^"\([^"]*\)"/\1/' | sed 's/,[^)]*$//' | tail -n +2 | paste -s -d ' ' -
}
# distance ARGUMENTS...: of all pairs, each once, and how many there are
distance() {
    "$programs/assay-agree" --by file --format csv "$@" 2>err | tail -n +2 | awk -F, '{ n++; d[$9] = 1 } END { printf "%d pairs:", n; for (i in d) printf " %s", i }'
}

# 30 samples of HashMap.put, 20 of a lambda's class, 10 of a generated accessor, 40 of read()
cat >collapsed <<'END'
java/lang/Thread.run_[j];a/Main.lambda$main$0_[i];java/util/HashMap.put_[j] 30
java/lang/Thread.run_[j];a/Main$$Lambda$12/0x0000000800b85840.run_[0] 20
java/lang/Thread.run_[j];jdk/internal/reflect/GeneratedMethodAccessor7.invoke_[1] 10
java/lang/Thread.run_[j];__libc_start;libc.so.6.read 40
END
cat >dotted <<'END'
java.lang.Thread.run;a.Main.lambda$main$0;java.util.HashMap.put 30
java.lang.Thread.run;a.Main$$Lambda$99+0x00000000aabb.run 20
java.lang.Thread.run;jdk.internal.reflect.GeneratedMethodAccessor12.invoke 10
java.lang.Thread.run;__libc_start;read 40
END
python3 - "$root/tests/analyze" <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import profiles
from profiles import varint, pprof_of

COUNTS = [30, 20, 10, 40]
source = [["java.lang.Thread.run()", "a.Main.lambda$main$0(int)", "java.util.HashMap.put(java.lang.Object, java.lang.Object)"],
          ["java.lang.Thread.run()", "a.Main$$Lambda/0x00007f0012345678.run()"],
          ["java.lang.Thread.run()", "jdk.internal.reflect.GeneratedMethodAccessor99.invoke(java.lang.Object, java.lang.Object[])"],
          ["java.lang.Thread.run()", "__libc_start", "libc.so.6`read"]]
with open("pprof", "wb") as file:
    file.write(pprof_of([("samples", "count")], [(";".join(stack), [count], {}) for stack, count in zip(source, COUNTS)]))

typed = [["Ljava/lang/Thread;.run", "La/Main;.lambda$main$0", "Ljava/util/HashMap;.put"],
         ["Ljava/lang/Thread;.run", "La/Main$$Lambda$3;.run"],
         ["Ljava/lang/Thread;.run", "Ljdk/internal/reflect/GeneratedMethodAccessor1;.invoke"],
         ["Ljava/lang/Thread;.run", "__libc_start", "read"]]
frames = sorted({frame for stack in typed for frame in stack})
with open("speedscope", "w") as file:
    json.dump({"$schema": "https://www.speedscope.app/file-format-schema.json",
               "shared": {"frames": [{"name": frame} for frame in frames]},
               "profiles": [{"type": "sampled", "name": "main", "unit": "none", "startValue": 0, "endValue": 100,
                             "samples": [[frames.index(f) for f in stack] for stack in typed], "weights": COUNTS}]}, file)

METHODS = [("java/lang/Thread", "run", "()V"), ("a/Main", "lambda$main$0", "(I)V"),
           ("java/util/HashMap", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
           ("a/Main$$Lambda.0x00007f0012345678", "run", "()V"),
           ("jdk/internal/reflect/GeneratedMethodAccessor3", "invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;"),
           ("", "__libc_start", "()L;"), ("libc.so.6", "read", "()L;")]
TREES = [[0, 1, 2], [0, 3], [0, 4], [0, 5, 6]]


class Recording(profiles.Jfr):
    def pools(self):
        def pool(type_id, entries):
            return varint(type_id) + varint(len(entries)) + b"".join(varint(key) + value for key, value in entries)

        symbols = sorted({text for method in METHODS for text in method})
        number = {text: varint(i + 1) for i, text in enumerate(symbols)}
        methods = [(i + 1, number[c] + number[m] + number[s]) for i, (c, m, s) in enumerate(METHODS)]
        stacks = [(i + 1, b"\x00" + varint(len(tree)) + b"".join(varint(m + 1) + varint(1) + varint(0) + varint(1) for m in reversed(tree)))
                  for i, tree in enumerate(TREES)]
        some = [pool(16, [(1, self.text("JIT compiled"))]), pool(14, stacks), pool(12, methods),
                pool(10, [(i + 1, number[c]) for i, c in enumerate(symbols)]),
                pool(11, [(i + 1, self.text(s)) for i, s in enumerate(symbols)]),
                pool(15, [(1, self.text("os") + varint(77) + self.text("worker") + varint(5))])]
        return self.event(1, varint(0) * 3 + b"\x01" + varint(len(some)) + b"".join(some))

    def samples(self):
        return b"".join(self.event(100, varint(2000 + i) + varint(1) + varint(i + 1)) * count for i, count in enumerate(COUNTS))


with open("jfr", "wb") as file:
    file.write(Recording().chunk())
END
bare='read java.util.HashMap.put a.Main$$Lambda.run jdk.internal.reflect.GeneratedMethodAccessor.invoke'
full='read java.util.HashMap.put(Object,Object) a.Main$$Lambda.run() jdk.internal.reflect.GeneratedMethodAccessor.invoke(Object,Object[])'
for format in collapsed dotted pprof speedscope jfr; do
    import "$format"
    case $format in pprof | jfr) wanted=$full ;; *) wanted=$bare ;; esac
    is "$? $(hot "$format.trace")" "0 $wanted" "$format: the hot list has normal names"
done
is "$(distance ./*.trace)" '10 pairs: 0' 'five formats, ten pairs: no distance between any two'
is "$(distance collapsed.trace dotted.trace)" '1 pairs: 0' '  nor between two without parameters'
"$programs/assay-agree" --by file collapsed.trace jfr.trace >said 2>err
like said 'methods are compared without parameters, which not every profiler knows' '  a line tells that parameters are left out'
"$programs/assay-agree" --by file pprof.trace jfr.trace >said 2>err
unlike said 'without parameters' '  not if both have them'

# Two methods of one name stay apart where both profilers know their parameters, and not where one doesn't
printf 'A.f(int) 3\nA.f(long) 1\n' >one
printf 'A.f(int) 1\nA.f(long) 3\n' >other
printf 'A.f 4\n' >third
import one other third
is "$(distance one.trace other.trace)" '1 pairs: 0.5' 'overloaded methods are told apart: 3 : 1 and 1 : 3 are 0.5 from each other'
is "$(distance one.trace third.trace)" '1 pairs: 0' '  but not if one of both does not know parameters'

# As the file has them
mkdir raw
"$programs/assay-import" -q --raw-names -o raw/ collapsed jfr 2>err
is "$? $(hot raw/collapsed.trace)" '0 libc.so.6.read java/util/HashMap.put_[j] a/Main$$Lambda$12/0x0000000800b85840.run_[0] jdk/internal/reflect/GeneratedMethodAccessor7.invoke_[1]' \
    '--raw-names: as the file has them'
is "$(distance --raw-names raw/*.trace)" '1 pairs: 1' '  with assay agree --raw-names they have nothing in common'
is "$(distance raw/*.trace)" '1 pairs: 0' '  without it they are the same'
is "$(distance raw/collapsed.trace dotted.trace)" '1 pairs: 0' '  as are raw and normal names'

# Names that are not Java's stay what they are
cat >others <<'END'
net/http.HandlerFunc.ServeHTTP;main.(*T).F 1
std::vector<int>::push_back(int const&);operator new(unsigned long);(anonymous namespace)::f() 2
[libc.so.6];f.constprop.0;x_[z] 3
END
import others
is "$("$programs/assay-export" --to folded others.trace 2>/dev/null | sort)" "$(sort others)" 'names of Go and C++ stay what they are'

done_testing
