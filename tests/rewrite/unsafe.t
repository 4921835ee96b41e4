#!/bin/sh
# Engine rewrite: accesses through Unsafe, and what stands on it (VarHandle, atomics), whose pairs are known on paper.
. "$(dirname "$0")/lib.sh"
n=300
exports='--add-exports java.base/jdk.internal.misc=ALL-UNNAMED'

# Classes for all types: the name in Unsafe, the type, two values, what Unsafe does with it, the name of its box.
while read -r name type zero one hows box; do
    for how in $(echo "$hows" | tr , ' '); do
        sed "s/@type@/$type/g; s/@Name@/$name/g; s/@zero@/$zero/g; s/@one@/$one/g; s/@Box@/$box/g" \
            "$root/tests/rewrite/unsafe/$how.template" >"$how$name.java"
        echo "$how$name" >>classes
    done
done <<EOT
Boolean boolean false true All,Bits Boolean
Byte byte (byte)0 (byte)1 All,Add,Bits Byte
Char char (char)0 (char)7 All,Add,Bits,Order Character
Short short (short)0 (short)300 All,Add,Bits,Order Short
Int int 0 70000 All,Add,Bits,Order Integer
Long long 0L (1L<<40) All,Add,Bits,Order Long
Float float 0f 2f All Float
Double double 0.0 2.0 All Double
Reference Object null "text" All Object
EOT
{
    echo 'public class Unsafes { public static void main(String[] arguments) throws Exception {'
    sed 's/.*/&.run(jdk.internal.misc.Unsafe.getUnsafe(), Integer.parseInt(arguments[0]));/' classes
    echo 'System.out.println("done"); } }'
} >Unsafes.java
compile_java -XDignore.symbol.file -d . "$root/tests/victims/java/Atomics.java" 2>warnings || exit 1

# pair METHOD KIND PLACES EVENTS WASTED: what is expected where each of so many places has these
pair() {
    echo "$1 $2 $(($3 * $4)) $(($3 * $5))"
}

# As the comments in the templates say: in three places (`same` in two, `order` in one), the first access of each in no
# pair.
expect() {
    while read -r class; do
        case $class in
        All*)
            pair "$class.get" silent-load 3 $((4 * n - 1)) $((4 * n - 1))
            pair "$class.put" silent-store 3 $((4 * n - 1)) $((4 * n - 1))
            pair "$class.put" dead-store 3 $((4 * n - 1)) $((4 * n - 1))
            pair "$class.swap" silent-load 3 $((8 * n - 1)) 0
            pair "$class.swap" silent-store 3 $((8 * n - 1)) 0
            pair "$class.swap" dead-store 3 $((8 * n - 1)) 0
            pair "$class.fail" silent-load 3 $((8 * n - 1)) $((8 * n - 1))
            pair "$class.set" silent-load 3 $((3 * n - 1)) $((3 * n - 2))
            pair "$class.set" silent-store 3 $((3 * n - 1)) $((3 * n - 1))
            pair "$class.set" dead-store 3 $((3 * n - 1)) 0
            ;;
        Add*)
            pair "$class.add" silent-load 3 $((3 * n - 1)) 0
            pair "$class.add" silent-store 3 $((3 * n - 1)) 0
            pair "$class.add" dead-store 3 $((3 * n - 1)) 0
            pair "$class.same" silent-load 2 $((3 * n - 1)) $((3 * n - 1))
            pair "$class.same" silent-store 2 $((3 * n - 1)) $((3 * n - 1))
            pair "$class.same" dead-store 2 $((3 * n - 1)) 0
            ;;
        Bits*)
            pair "$class.bits" silent-load 3 $((9 * n - 1)) $((5 * n))
            pair "$class.bits" silent-store 3 $((9 * n - 1)) $((5 * n))
            pair "$class.bits" dead-store 3 $((9 * n - 1)) 0
            ;;
        Order*)
            pair "$class.order" silent-load 1 $((3 * n - 1)) $((3 * n - 1))
            pair "$class.order" silent-store 1 $((3 * n - 1)) $((3 * n - 1))
            pair "$class.order" dead-store 1 $((3 * n - 1)) $((2 * n))
            ;;
        esac
    done <classes
}

# unsafe WHAT JVM_OPTION...
unsafe() {
    what=$1
    shift
    # shellcheck disable=SC2086
    counted waste "$@" $exports -cp unsafes Unsafes $n
    is "$status/$(cat out)" 0/done "every method of Unsafe, $what: the program gives its own result"
    expect >paper
    pairs_are paper '  its pairs are those on paper'
}

# compile_unsafes: for the JVM ($JAVA); the types of some methods of Unsafe differ between versions
compile_unsafes() {
    # shellcheck disable=SC2086
    JAVAC=${JAVA:+${JAVA%java}}javac compile_java $exports -d unsafes ./*.java || exit 1
}

# As the comments in Atomics.java say: by case the stores, those that are silent and dead, and the loads that are not
# silent. Beside them are silent loads of constants, such as the offsets of fields.
expect_cases() {
    one=$((n - 1))
    cat <<EOT
addNothing $one $one 0 0
elements $((10 * one)) 0 0 $((10 * one))
exchanging $n 0 0 $one
failing $one 0 0 $one
getField $((4 * one)) 0 0 $((4 * one))
handleElement $one 0 0 $one
handleField $one 0 0 $one
handleShared $n 0 $n 0
increment $one 0 0 $one
mixed $one 0 0 $one
outside 0 0 0 0
putElement $one $one $one 0
putField $((4 * one)) $((3 * one)) $((4 * one)) 0
putWide 0 0 0 0
setSame $((2 * n - 1)) $((2 * n - 1)) $((2 * n - 1)) 0
succeeding $one 0 0 $one
updater $one 0 0 $one
EOT
}

# Finds what each case has below Atomics.measured(), wherever the access is.
cases() {
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { method[$at["id"]] = name[$at["method"]] }
        file == 3 { parent[$at["id"]] = $at["parent"]; of[$at["id"]] = method[$at["frame"]] }
        file == 4 {
            found = ""
            for (c = $at["second"]; c + 0 > 0 && of[c] != "Atomics.measured"; c = parent[c])
                if (of[c] ~ /^Atomics[.]/ && of[c] != "Atomics.all")
                    found = substr(of[c], 9)
            if (of[c] != "Atomics.measured" || found == "")
                next
            seen[found] = 1
            kind = $at["waste"]
            events[found, kind] += $at["events"]
            wasted[found, kind] += $at["wasted_events"]
        }
        END {
            for (f in seen)
                print f, events[f, "dead-store"] + 0, wasted[f, "silent-store"] + 0, wasted[f, "dead-store"] + 0,
                    events[f, "silent-load"] - wasted[f, "silent-load"]
        }' method.csv frame.csv context.csv pair.csv | LC_ALL=C sort
}

# atomics WHAT JVM_OPTION...
atomics() {
    what=$1
    shift
    counted waste "$@" Atomics $n
    is "$status/$(cat out)" '0/done 1' "atomics and handles, $what: the program gives its own result"
    expect_cases >expected
    cases >got
    diff expected got >differences
    ok $? '  its pairs are those on paper' || sed 's/^/# /' differences
    "$waste" traces/*.trace >table
    elsewhere=$(sed -n 's/^\([0-9]*\) bytes were accessed through Unsafe outside of .*/\1/p' table)
    [ $((${elsewhere:-0} - 24 * (n + 2) - 2 * 100)) -ge 0 ] && [ "$elsewhere" -lt $((24 * (n + 2) + 2000)) ]
    ok $? "  the bytes elsewhere are counted, few of them the JDK's: ${elsewhere:-none}"
    like table '^[1-9][0-9]* hidden classes' '  as are hidden classes'
}

compile_unsafes
unsafe 'interpreted, references of 8 bytes' -Xint -Xverify:all -XX:-UseCompressedOops
unsafe compiled -XX:+UseG1GC
atomics 'interpreted, collector Serial' -Xint -Xverify:all -XX:+UseSerialGC
atomics 'compiled, and JNI is checked' -Xcheck:jni
for collector in Parallel Z Shenandoah; do
    java -XX:+Use${collector}GC -version >version 2>&1 || continue
    atomics "collector $collector" -XX:+Use${collector}GC -Xmx256m
done
system=$(readlink -f "$(command -v java)")
for JAVA in /usr/lib/jvm/*/bin/java; do
    version=$("$JAVA" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.vm.specification.version = //p')
    [ "$(readlink -f "$JAVA")" != "$system" ] && [ ! -L "${JAVA%/bin/java}" ] && [ "${version:-0}" -ge 17 ] || continue
    compile_unsafes
    unsafe "Java $version" -Xverify:all
    atomics "Java $version" -Xverify:all
done
done_testing
