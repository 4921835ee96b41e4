#!/bin/sh
# Engine rewrite: programs whose pairs are known on paper, access by access.
. "$(dirname "$0")/lib.sh"
n=500

# Every type, as a field, a static field and an element: loads of the same value, stores of the same and of different
# values, and stores that are loaded.
{
    echo 'public class Types {'
    echo '    static void consume(boolean same) { if (!same) throw new IllegalStateException(); }'
    while read -r type name a b; do
        echo "    $type f$name = $a; static $type s$name = $a;"
        for place in "Field:o.f$name" "Static:s$name" "Element:a[3]"; do
            at=${place#*:}
            place=$name${place%%:*}
            head="Types o, $type[] a, int n) { for (int i = 0; i < n; i++) {"
            echo "    static void load$place($head consume($at == $at || true); } }"
            echo "    static void same$place($head $at = $b; } }"
            echo "    static void other$place($head $at = (i & 1) == 0 ? $a : $b; } }"
            echo "    static void used$place($head $at = (i & 1) == 0 ? $a : $b; consume($at == $a || true); } }"
        done
    done <<EOT
boolean Boolean false true
byte Byte (byte)1 (byte)-1
char Char 'a' 'b'
short Short (short)1 (short)300
int Int 1 70000
long Long 1L (1L<<40)
float Float 1f 2f
double Double 1.0 1.02
Object Object null Types.class
EOT
    echo '    public static void main(String[] arguments) {'
    echo '        int n = Integer.parseInt(arguments[0]);'
    for name in Boolean Byte Char Short Int Long Float Double Object; do
        type=$(echo $name | tr '[:upper:]' '[:lower:]')
        [ $name != Object ] || type=Object
        for how in load same other used; do
            for place in Field Static Element; do
                echo "        $how$name$place(new Types(), new $type[5], n);"
            done
        done
    done
    echo '        System.out.println("done"); } }'
} >Types.java
compile_java Types.java "$root/tests/victims/java/Accesses.java" -d . || exit 1

# For each method: all its pairs. The field was stored by the constructor, the static field by the methods before: so
# these have one more. Doubles are 2 % apart.
expect_types() {
    for name in Boolean Byte Char Short Int Long Float Double Object; do
        for place in Field Static Element; do
            all=$n
            [ $place != Element ] || all=$((n - 1))
            same=1 # other and used begin with the value of the constructor
            [ $place = Field ] || same=0
            unread=0 # the last store of `other` is not loaded before `used` stores
            [ $place = Element ] || unread=1
            loaded=$((n - 1))
            [ $place != Static ] || loaded=$n # `load` has loaded it, and what it got is there again
            echo "Types.load$name$place silent-load $((2 * n - 1)) $((2 * n - 1))"
            # a static field was loaded after the store in <clinit>
            dead=$all
            [ $place != Static ] || dead=$((n - 1))
            echo "Types.same$name$place dead-store $all $dead"
            echo "Types.same$name$place silent-store $all $((n - 1))"
            echo "Types.other$name$place dead-store $all $all"
            echo "Types.other$name$place silent-store $all $same"
            echo "Types.used$name$place dead-store $all $unread"
            echo "Types.used$name$place silent-store $all $same"
            echo "Types.used$name$place silent-load $loaded $((loaded - n + 1))"
        done
    done
}

# As the comments in Accesses.java say. What the copies in `shifts` find equal is below the diagonal that moves up: in
# round r the first r - 1 of 99 elements.
expect_accesses() {
    equal=$((99 * 50 + (n - 100) * 99))
    cat <<EOT
Accesses.inherited silent-load $((n - 1)) $((n - 1))
Accesses.common silent-load $((2 * n - 1)) $((2 * n - 1))
Accesses.constant silent-load $((n - 1)) $((n - 1))
Accesses.returning silent-load $((n - 1)) $((n - 1))
Accesses.returning silent-store $((2 * n)) 0
Accesses.returning dead-store $((2 * n)) $n
Accesses.changing silent-load $((n - 1)) 0
Accesses.changing silent-store $((n - 1)) 0
Accesses.changing dead-store $((n - 1)) 0
Accesses.collected silent-load 10 10
Accesses.collected silent-store 4 0
Accesses.collected dead-store 4 4
Accesses.copies silent-load $((100 * n - 100)) $((100 * n - 100))
Accesses.copies silent-store $((100 * n - 100)) $((100 * n - 100))
Accesses.copies dead-store $((100 * n - 100)) $((100 * n - 100))
Accesses.shifts silent-load $((99 * n - 99)) $equal
Accesses.shifts silent-store $((99 * n)) $equal
Accesses.shifts dead-store $((99 * n)) $n
Accesses.clones silent-load $((100 * n - 100)) $((100 * n - 100))
Accesses.failing silent-load $((n - 1)) $((n - 1))
Accesses.after silent-load $((n - 1)) $((n - 1))
EOT
}

# paths METHOD: both paths of each pair whose second access is in the method, from the tables of the last recording
paths() {
    awk -F, -v method="$1" '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { own[$at["id"]] = name[$at["method"]]; call[$at["id"]] = own[$at["id"]] ":" $at["line"] }
        file == 3 { parent[$at["id"]] = $at["parent"]; frame[$at["id"]] = $at["frame"] }
        file == 4 && own[frame[$at["second"]]] == method { print path($at["first"]); print path($at["second"]) }
        function path(context, text) {
            for (; context in frame; context = parent[context])
                text = call[frame[context]] (text ? " > " : "") text
            return text
        }' method.csv frame.csv context.csv pair.csv
}

# types WHAT JVM_OPTION...
types() {
    what=$1
    shift
    counted waste "$@" Types $n
    is "$status/$(cat out)" 0/done "every type, $what: the program gives its own result"
    expect_types >types
    pairs_are types '  its pairs are those on paper'
}

# accesses WHAT JVM_OPTION...
accesses() {
    what=$1
    shift
    counted waste "$@" Accesses $n
    is "$status/$(cat out)" '0/done 3' "other accesses, $what: the program gives its own result"
    expect_accesses >accesses
    pairs_are accesses '  its pairs are those on paper'
    grep '^Accesses' pairs >own
    unlike own '^Accesses[.](young|first|second) ' '  objects that die young have none, nor has what two threads store'
    paths Accesses.after >contexts
    like contexts 'Accesses[.]main[^:]*:[0-9]+ > Accesses[.]caught[^:]*:[0-9]+ > Accesses[.]after' \
        '  after an exception the path is right'
    unlike contexts 'thrower.* > Accesses[.]after' '    and no call is left over'
}

types interpreted -Xint
types compiled -XX:+UseG1GC
accesses 'interpreted, collector Serial' -Xint -XX:+UseSerialGC
accesses compiled -XX:+UseG1GC
for collector in Parallel Z Shenandoah; do
    java -XX:+Use${collector}GC -version >version 2>&1 || continue
    accesses "collector $collector" -XX:+Use${collector}GC -Xmx256m
done
system=$(readlink -f "$(command -v java)")
for JAVA in /usr/lib/jvm/*/bin/java; do
    version=$("$JAVA" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.vm.specification.version = //p')
    [ "$(readlink -f "$JAVA")" != "$system" ] && [ ! -L "${JAVA%/bin/java}" ] && [ "${version:-0}" -ge 17 ] || continue
    types "Java $version" -Xverify:all
    for collector in Z; do
        "$JAVA" -XX:+Use${collector}GC -version >version 2>&1 || continue
        accesses "Java $version, collector $collector" -XX:+Use${collector}GC
    done
done
done_testing
