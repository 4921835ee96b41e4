#!/bin/sh
# Mode memory of JVMs: programs whose accesses, places and values are known on paper. In the environment:
#   ASSAY_COLLECTORS  of each JVM (default: Z; there are Serial, Parallel, Z and Shenandoah)
. "$(dirname "$0")/lib.sh"
n=1000

# Every type, as a field, a static field and an element: a store, then a load of what it has stored.
types='boolean Boolean true 1 1
byte Byte (byte)-1 1 255
char Char (char)98 2 98
short Short (short)-2 2 65534
int Int -3 4 4294967293
long Long -4L 8 18446744073709551612
float Float 2f 4 1073741824
double Double 2.0 8 4611686018427387904
Object Object null R 0'
{
    echo 'public class Kinds {'
    echo '    static void consume(boolean same) { if (!same) throw new IllegalStateException(); }'
    echo "$types" | while read -r type name value size bits; do
        echo "    $type f$name; static $type s$name;"
        for place in "Field:o.f$name" "Static:s$name" "Element:a[3]"; do
            at=${place#*:}
            echo "    static void ${place%%:*}$name(Kinds o, ${type}[] a, int n) {"
            echo "        for (int i = 0; i < n; i++) { $at = $value; consume($at == $value); } }"
        done
    done
    echo '    public static void main(String[] arguments) {'
    echo '        int n = Integer.parseInt(arguments[0]);'
    echo "$types" | while read -r type name value size bits; do
        for place in Field Static Element; do
            echo "        $place$name(new Kinds(), new ${type}[5], n);"
        done
    done
    echo '        System.out.println("done"); } }'
} >Kinds.java
cat >Both.java <<'END'
public class Both {
    public static void main(String[] arguments) throws Exception {
        Places.main(arguments);
        Kinds.main(arguments);
    }
}
END
compile_java Kinds.java Both.java "$root/tests/victims/java/Places.java" -d . || exit 1

# recorded JAVA_ARGUMENT...: records a JVM ($JAVA) in mode memory; its output is in out and err, its exit status in $status
recorded() {
    rm -rf traces
    timeout -s INT 600 "$record" -q -m memory ${values-"--values"} ${burst:+--burst "$burst"} -E rewrite -o traces -- "${JAVA:-java}" "$@" >out 2>err
    status=$?
}

# memory JAVA_ARGUMENT...: likewise. Its accesses are then in `rows`, in order: method, access, bytes, thread, address, value,
# path (methods, the outermost first).
memory() {
    recorded "$@"
    for kind in method frame context access; do
        "$dump" --kind $kind traces/*.trace >$kind.csv 2>/dev/null
    done
    awk -F, '
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { own[$at["id"]] = name[$at["method"]] }
        file == 3 {
            method[$at["id"]] = own[$at["frame"]]
            path[$at["id"]] = ($at["parent"] in path ? path[$at["parent"]] ">" : "") own[$at["frame"]]
        }
        file == 4 && path[$at["context"]] ~ /(Places|Kinds|Ends)[.]/ {
            value = "value" in at ? $at["value"] : "-"
            print method[$at["context"]], $at["access"], $at["bytes"], $at["of_thread"], $at["address"], value, path[$at["context"]]
        }' method.csv frame.csv context.csv access.csv >rows
    rm -rf of && mkdir of
    awk '/^Places[.]/ { print >("of/" substr($1, 8)) }' rows
}

# of METHOD: its rows
of() {
    [ ! -e "of/$1" ] || cat "of/$1"
}

# strides METHOD [ACCESS]: how far apart the addresses of its neighbouring accesses in thread $thread (the first) are, each
# with how often
strides() {
    of "$1" | awk -v access="${2:-load}" -v thread="${thread:-1}" '
        $2 == access && $4 == thread { if (seen++) count[$5 - last]++; last = $5 }
        END { for (each in count) print each ":" count[each] }' | sort -t : -k 2nr | xargs
}

# values METHOD ACCESS: what they load or store: how many, the first, by how much each is more than the one before, the last
values() {
    of "$1" | awk -v access="$2" -v thread="${thread:-1}" '
        $2 == access && $4 == thread { if (!seen++) first = $6; else step[$6 - last]++; last = $6 }
        END { printf "%d %s..%s by", seen, first, last; for (each in step) printf " %s", each; print "" }'
}

# counts METHOD: its loads and stores
counts() {
    of "$1" | awk '{ count[$2]++ } END { print count["load"] + 0, count["store"] + 0 }'
}

# kinds WHAT JVM_OPTION...
kinds() {
    what=$1
    shift
    memory "$@" Kinds $n
    is "$status/$(cat out)" 0/done "every type, $what: the program gives its own result"
    kinds_are
}

# kinds_are: checks the accesses of Kinds
kinds_are() {
    awk '$1 ~ /^Kinds[.](Field|Static|Element)/ {
            key = $1 " " $2 " " $3 " " $6
            count[key]++
            places[$1] += !(($1, $5) in seen)
            seen[$1, $5] = 1
        }
        END {
            for (key in count) print key, count[key]
            for (method in places) print method, "places", (places[method] > 2 ? places[method] : 1) # it may have been moved
        }' rows | LC_ALL=C sort >got
    echo "$types" | while read -r type name value size bits; do
        [ "$size" != R ] || size=$reference
        for place in Field Static Element; do
            for access in load store; do
                echo "Kinds.$place$name $access $size $bits $n"
            done
            echo "Kinds.$place$name places 1"
        done
    done | LC_ALL=C sort >expected
    diff expected got >differences
    ok $? '  its accesses, and their values, are those on paper, each at one place' || sed 's/^/# /' differences
}

# walked: how many of the loads of `next` are where the one before found the next node. Each list begins anew.
walked() {
    of walk | awk '
        last > 0 && !known { offset = $5 - last; known = 1 }
        last > 0 { good += $5 - offset == last; all++ }
        { last = $6 }
        END { print (good > 0.99 * all ? "all" : good + 0), all + 0 }'
}

# places WHAT JVM_OPTION...
places() {
    what=$1
    shift
    memory "$@" Places $n
    is "$status/$(cat out)" "0/done $((n - 1))" "places, $what: the program gives its own result"
    places_are
}

# places_are: checks the accesses of Places
places_are() {
    is "$(strides ints)/$(values ints load)" "4:$((n - 1))/$n 0..$((n - 1)) by 1" '  loads of int[] are 4 bytes apart'
    is "$(strides longs store)" "8:$((n - 1))" '  stores into long[] are 8 bytes apart'
    is "$(strides bytes store)/$(values bytes store)" "1:$((n - 1))/$n 255..255 by 0" '  stores into byte[] are 1 byte apart'
    is "$(strides references store)/$(strides references)" "$reference:$((n - 1))/$reference:$((n - 1))" \
        "  elements of Object[] are $reference bytes apart"
    is "$(of references | cut -d ' ' -f 3,6 | sort -u | wc -l)" 1 '    and all have the same object'
    is "$(counts fields)/$(of fields | awk '{ print $5 }' | sort -u | wc -l)" "$((2 * n)) 0/2" '  two fields of an object'
    is "$(walked)" "all $((10 * (n - 1)))" '  the next node of a list is where its reference says'
    is "$(values count store)/$(strides count store)" "$n 0..$((n - 1)) by 1/0:$((n - 1))" '  a static field: stores in order'
    is "$(counts copies)/$(strides copies | cut -d ' ' -f 1)/$(counts clones)" '19 19/4:17/10 10' '  copies and clones of arrays'
    is "$(values clones store)" '10 9..0 by -1' '    with their values'
    is "$(counts partly)" '2 2' '    and as far as a copy can go'
    is "$(counts failing)" '0 0' '  accesses that throw exceptions have not happened'
    grep -n -e '^Places[$]Lazy.<clinit> store 4 1 [0-9]* 5 ' -e '^Places.lazy load 4 1 [0-9]* 5 ' rows | cut -d ' ' -f 1,2 |
        sed 's/^[0-9]*://' | xargs >lazy
    is "$(cat lazy)" 'Places$Lazy.<clinit> store Places.lazy load' '  a static field is loaded after its class was initialized'
    is "$(of 'inner' | wc -l) $(grep -c '^Places[$]Inner.<init> store' rows)" '0 2' '  a store before super() is not lost'
    like rows '^Places[$]Inner.<init> store [48] 1 [0-9]+ [1-9][0-9]+ (Both.main>)?Places.main>Places.inner>' '    and has its path'
    grep 'Places.atomic>' rows | awk '{ n[$2, $5]++ } $2 == "store" { at[$5] = 1 }
        END { for (a in at) print n["load", a], n["store", a] }' >atomic
    is "$(cat atomic)" "$n $n" '  atomic operations load and store'
    grep 'Places.direct>' rows | awk '$2 == "store" && $3 == 4 { if (seen++) count[$5 - last]++; last = $5 }
        END { for (each in count) print each ":" count[each] }' >direct
    is "$(xargs <direct)" "4:$((n - 1))" '  stores into a direct buffer have their addresses, outside of the heap'
    of ints | cut -d ' ' -f 4 | uniq -c | awk '{ n[$2] += $1 } END { for (t in n) print n[t] }' | sort -u >threads
    is "$(cat threads)/$(of ints | wc -l)" "$n/$((3 * n))" '  three threads have their accesses'
    for other in $(of ints | cut -d ' ' -f 4 | sort -un | sed 1d); do
        is "$(thread=$other strides ints)" "4:$((n - 1))" '    each in its order'
    done
}

# with JVM_OPTION...: sets how many bytes a reference has
with() {
    reference=8
    "${JAVA:-java}" "$@" -XX:+PrintFlagsFinal -version 2>&1 | grep -q 'UseCompressedOops *= true' && reference=4
}

# both WHAT JVM_OPTION...: every type and all places, in one JVM
both() {
    what=$1
    shift
    with "$@"
    memory "$@" Both $n
    is "$status/$(xargs <out)" "0/done $((n - 1)) done" "every type and all places, $what: the program gives its own result"
    kinds_are
    places_are
}

# trips JVM_OPTION...: every iteration and access of two nested loops, in order: O and I are the headers, the others the
# load of a static field, and a load and a store of an element in a method that is called from the inner loop.
cat >Trips.java <<'END'
public class Trips {
    static int[] counts = new int[1];

    static void touch(int[] counts) {
        counts[0]++;
    }

    static void nest(int n) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                touch(counts);
            }
        }
    }

    public static void main(String[] arguments) {
        nest(Integer.parseInt(arguments[0]));
        System.out.println(counts[0]);
    }
}
END
compile_java Trips.java || exit 1
awk 'BEGIN { for (i = 0; i < 60; i++) { print "O"; for (j = 0; j < i; j++) printf "%s", "I\ng\nl\ns\n"; print "I" } print "O" }' >trips
trips() {
    memory "$@" Trips 60
    is "$status/$(cat out)" 0/1770 "two loops, $*: the program gives its own result"
    for kind in loop iteration site; do
        "$dump" --kind $kind traces/*.trace >$kind.csv
    done
    awk -F, '
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { own[$at["id"]] = name[$at["method"]] }
        file == 3 { method[$at["id"]] = own[$at["frame"]] }
        file == 4 && method[$at["context"]] == "Trips.nest" { is[$at["id"]] = $at["outer"] in is ? "I" : "O" }
        file == 5 { loop[$at["id"]] = $at["loop"] }
        file == 6 { # the last but this file: kept by the number of accesses before them
            for (i = 0; $at["loop"] in is && i < $at["count"]; i++)
                passes[$at["accesses"]] = passes[$at["accesses"]] is[$at["loop"]] "\n"
        }
        file == 7 {
            printf "%s", passes[FNR - 2]
            delete passes[FNR - 2]
            where = method[$at["context"]]
            if (where == "Trips.nest" || where == "Trips.touch")
                print is[loop[$at["site"]]] == "I" ? where == "Trips.nest" ? "g" : $at["access"] == "load" ? "l" : "s" : "?"
            last = FNR - 1
        }
        END { printf "%s", passes[last] }' method.csv frame.csv context.csv loop.csv site.csv iteration.csv access.csv >got
    diff trips got >differences
    ok $? '  every iteration is there, and every access in the inner loop' || head -20 differences | sed 's/^/# /'
}

# walked_bursts JVM_OPTION...: an array is walked again and again. In each burst its elements are loaded in order, each once, and
# stored into, in an iteration of its own.
cat >Walk.java <<'END'
public class Walk {
    static int[] numbers = new int[1000];

    static double walk(int[] numbers, int rounds) {
        double x = rounds; // which takes the time between accesses, so that a burst has not too many
        for (int r = 0; r < rounds; r++) {
            for (int i = 0; i < numbers.length; i++) {
                x = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(x + 1e99))))))));
                numbers[i]++;
            }
        }
        return x;
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + 1_000_000_000L * Integer.parseInt(arguments[0]);
        int rounds = 0;
        for (; System.nanoTime() < end && walk(numbers, 100) > 0; rounds += 100) { }
        System.out.println(rounds == numbers[7]);
    }
}
END
compile_java Walk.java || exit 1
walked_bursts() {
    for seconds in 2 4 16; do # until there are enough bursts in walk, on a slow machine
        burst=5K:100M values='' memory "$@" Walk $seconds
        "$dump" --kind iteration traces/*.trace >iteration.csv
        "$dump" --kind access traces/*.trace >access.csv
        awk -F, '
            FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
            { gsub(/"/, "") }
            file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
            file == 2 { own[$at["id"]] = name[$at["method"]] }
            file == 3 { method[$at["id"]] = own[$at["frame"]] }
            file == 4 && !$at["loop"] { gap[$at["accesses"]] = 1 }
            file == 4 && method[$at["context"]] == "Walk.walk" { passes[$at["accesses"]] += $at["count"] }
            file == 5 {
                if ((FNR - 2) in gap)
                    first = 1
                passed += passes[FNR - 2]
                delete passes[FNR - 2]
                if (method[$at["context"]] != "Walk.walk")
                    next
                bursts += first
                if ($at["access"] == "store") { # where the load was, in its iteration
                    stores++
                    bad += known && !first && ($at["address"] != last || passed != 0)
                    known = known && !first
                    first = 0
                    next
                }
                step = $at["address"] - last
                if (known && !first)
                    bad += !(step == 4 && passed == 1 || step == -3996 && (passed == 3 || passed == 4)) # 4: the next call
                loads++
                last = $at["address"]
                first = passed = 0
                known = 1
            }
            END { print (bursts > 3 && loads > 1000 * (bursts - 1) && loads - stores < bursts && stores - loads < bursts), bad + 0
                print "# bursts in walk: " bursts + 0 ", loads: " loads + 0 ", stores: " stores + 0 >"/dev/stderr" }' \
            method.csv frame.csv context.csv iteration.csv access.csv >got
        [ "$(cut -d' ' -f1 got)" = 0 ] || break
    done
    is "$status/$(cat out)" 0/true "bursts, $*: the program gives its own result"
    is "$(cat got)" '1 0' '  each burst has the accesses and iterations of a stretch of the program'
}
walked_bursts -XX:+UseG1GC

with -Xint
trips -Xint
trips -XX:+UseG1GC
kinds interpreted -Xint
both compiled -XX:+UseG1GC
both 'references of 8 bytes' -XX:-UseCompressedOops
both 'references above an address' -XX:+UseSerialGC -XX:HeapBaseMinAddress=40g
for collector in ${ASSAY_COLLECTORS:-Z}; do
    java -XX:+Use${collector}GC -version >version 2>&1 || continue
    with -XX:+Use${collector}GC
    places "collector $collector" -XX:+Use${collector}GC -Xmx256m
done
system=$(readlink -f "$(command -v java)")
for JAVA in /usr/lib/jvm/*/bin/java; do
    version=$("$JAVA" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.vm.specification.version = //p')
    [ "$(readlink -f "$JAVA")" != "$system" ] && [ ! -L "${JAVA%/bin/java}" ] && [ "${version:-0}" -ge 17 ] || continue
    both "Java $version" -Xverify:all
    for collector in ${ASSAY_COLLECTORS:-Z}; do
        "$JAVA" -XX:+Use${collector}GC -version >version 2>&1 || continue
        with -XX:+Use${collector}GC
        places "Java $version, collector $collector" -XX:+Use${collector}GC
    done
done
unset JAVA

# Other threads that store n times each, and then end, wait, or go on without accesses, when the program ends.
cat >Ends.java <<'EOT'
public class Ends {
    static int ended, waiting, running, own, depth;
    static volatile int ready;
    static Object lock = new Object();
    static void ended(int n) { for (int i = 0; i < n; i++) ended = i; }
    static void waiting(int n) { for (int i = 0; i < n; i++) waiting = i; }
    static void running(int n) { for (int i = 0; i < n; i++) running = i; }
    static void own(int n) { for (int i = 0; i < n; i++) own = i; }
    static void recurse() { depth++; recurse(); }
    static synchronized void ready() { ready++; }
    static void sleep(int ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { throw new Error(e); } }
    static Thread start(Runnable what) { Thread t = new Thread(what); t.setDaemon(true); t.start(); return t; }
    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        start(() -> ended(n)).join();
        start(() -> { waiting(n); ready(); sleep(600000); });
        start(() -> { running(n); ready(); for (long i = 0, end = n; i < end; end++, i++) { } });
        while (ready < 2) sleep(1);
        own(n);
        switch (arguments[0]) {
        case "exit": System.exit(7);
        case "halt": Runtime.getRuntime().halt(8);
        case "exception": throw new IllegalStateException();
        case "overflow": try { recurse(); } catch (StackOverflowError e) { System.out.println(depth > 100); } break;
        case "kill": new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
            sleep(60000);
        default: break;
        }
    }
}
EOT
compile_java Ends.java || exit 1
values=
rounds=20000
for how in return exit halt exception overflow; do
    java Ends $how $rounds >plain 2>&1
    expected=$?
    memory Ends $how $rounds
    is $status $expected "ends by $how: the status is the program's"
    for what in ended waiting running own; do
        awk -v method="Ends.$what" '$1 == method && $2 == "store" { n++ } END { print n + 0 }' rows
    done | xargs >counts
    is "$(cat counts)" "$rounds $rounds $rounds $rounds" '  all that its threads did is there'
done
like out true '  after a stack overflow the program goes on'
# Each call loads and stores, but the last ones, where there is no stack for the probes.
awk '$1 == "Ends.recurse" { n[$2]++ } END { d = n["load"] - n["store"]; print (n["load"] > 100 && d >= 0 && d < 10) }' rows >deep
is "$(cat deep)" 1 '  and has the accesses before it'

memory Ends kill $rounds
is $status 137 'a program that is killed: its status'
for what in ended waiting running own; do
    awk -v method="Ends.$what" -v all=$rounds '$1 == method { n++ } END { print (n >= all - 512 && n <= all) }' rows
done | xargs >counts
is "$(cat counts)" '1 1 1 1' '  each of its threads loses at most 512 accesses'
like err 'its last accesses are missing|not complete|unfinished|incomplete|killed' '  and a line says so'

# without values; chosen without --engine
"$record" -o chosen -m memory -- java Ends return 10 >out 2>err
like err 'engine rewrite .every load and store of Java code' 'mode memory of java takes engine rewrite'
"$build/libexec/assay/assay-info" chosen/*.trace >info
like info 'values *false' '  without values unless they are asked for'
like info 'access_order *thread' '  the trace says that the order is that of each thread'

# same WHAT JAVA_ARGUMENT...: output and status are those without the recorder
same_program() {
    what=$1
    shift
    java "$@" >plain 2>plain.err
    expected=$?/$(cat plain)
    recorded "$@"
    is "$status/$(cat out)" "$expected" "$what: output and status are the program's own"
}
compile_java -d . "$root"/tests/victims/java/Methods.java "$root"/tests/victims/java/Lambdas.java \
    "$root"/tests/victims/java/Unload.java "$root"/tests/victims/java/Deep.java "$root"/tests/victims/java/Shapes.java || exit 1
same_program 'a stack overflow' Deep 1
same_program 'lambdas and streams' -Xcheck:jni Lambdas 1
same_program 'classes that are unloaded' Unload 30
same_program 'methods of every shape' -Xverify:all Shapes
same_program 'calls of every kind' Methods
done_testing
