#!/bin/sh
# assay inspect computes as the JVM does: the elements that a loop loads, which it computes in every way that bytecode has, are
# those that the program says it has loaded; and what the interpreter stores the program does not see.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/Arithmetic.java" || exit 1
java Arithmetic 100000 >plain

# elements: which of its array the last load of Arithmetic.probe in the code has loaded, in order
elements() {
    awk -F, '
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { wanted[$at["id"]] = $at["name"] == "probe" }
        file == 2 && wanted[$at["method"]] { position[$at["id"]] = $at["position"] }
        file == 3 && $at["frame"] in position { in_context[$at["id"]] = position[$at["frame"]] }
        file == 4 && $at["context"] in in_context && in_context[$at["context"]] >= most {
            if (in_context[$at["context"]] > most) { element = $at["id"]; most = in_context[$at["context"]] }
            else check = $at["id"] # of the length, which is loaded before
        }
        file == 5 && $at["site"] == check { header = $at["address"] + 4 }
        file == 5 && $at["site"] == element { line = line " " ($at["address"] - header) / 4 }
        END { print line }' method.csv frame.csv context.csv site.csv access.csv
}

for jvm in $(jvms); do
    JAVA=$jvm
    inspected -XX:+UseSerialGC Arithmetic 100000
    is "$status/$(cat out)" "0/$(cat plain)" "$jvm: the program gives its own result, and nothing that was stored is seen"
    is "$(elements)" "$(cut -d ' ' -f 2- plain | sed 's/^/ /')" "  the interpreter has loaded the same 20 elements"
done
done_testing
