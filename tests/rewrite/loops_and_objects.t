#!/bin/sh
# Engine rewrite: where the pairs of a program are, which is known on paper: the loop that iterates between two loads, and
# the allocation of the object that they load from.
. "$(dirname "$0")/lib.sh"
compile_java -g "$root/tests/victims/java/LoopsAndObjects.java" -d . || exit 1

# Of each pair of silent loads in a method of LoopsAndObjects: its method, the object's path, the loop's line, events.
placed() {
    for kind in method frame context object pair; do
        "$dump" --kind $kind traces/*.trace >$kind.csv 2>/dev/null
    done
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { class[$at["id"]] = $at["class"]; name[$at["id"]] = $at["name"] }
        file == 2 { method[$at["id"]] = $at["method"]; line[$at["id"]] = $at["line"] }
        file == 3 { parent[$at["id"]] = $at["parent"]; frame[$at["id"]] = $at["frame"] }
        file == 4 { made[$at["id"]] = path($at["context"]); storage[$at["id"]] = $at["object_kind"] }
        file == 5 && class[method[frame[$at["second"]]]] == "LoopsAndObjects" {
            loop = $at["scope"] > 0 ? own($at["scope"]) ":" line[frame[$at["scope"]]] : "-"
            key = own($at["second"]) " " loop " " ($at["object"] > 0 ? made[$at["object"]] : "-")
            events[key] += $at["events"]
        }
        END { for (key in events) print key, events[key] }
        function own(context) { return name[method[frame[context]]] }
        function path(context, text, at) {
            for (; context in frame; context = parent[context]) {
                at = method[frame[context]]
                if (class[at] ~ /^(LoopsAndObjects|int)/)
                    text = class[at] "." name[at] (line[frame[context]] > 0 ? ":" line[frame[context]] : "") (text ? " > " : "") text
            }
            return text
        }' method.csv frame.csv context.csv object.csv pair.csv | sed 's/LoopsAndObjects\.main:[0-9]* > //' | LC_ALL=C sort
}

cat >expected <<'E2'
arrays - LoopsAndObjects.arrays:147 > int[].<init> 1
caught caught:74 int[].<init> 9
copies - LoopsAndObjects.copies:187 > LoopsAndObjects$Copied.<init> 1
copies - LoopsAndObjects.copies:189 > LoopsAndObjects$Copied.copy:171 > LoopsAndObjects$Copied.<init> 1
copies - LoopsAndObjects.copies:193 > LoopsAndObjects$Further.clone:180 > LoopsAndObjects$Further.<init> 1
copies - LoopsAndObjects.copies:195 > LoopsAndObjects$Further.clone:180 > LoopsAndObjects$Further.<init> 1
deep deep:100 int[].<init> 10
doLoop doLoop:52 int[].<init> 9
endless endless:56 int[].<init> 9
inner inner:29 int[].<init> 9
labelled labelled:65 int[].<init> 40
load - int[].<init> 1
load caller:89 int[].<init> 9
objects - LoopsAndObjects.objects:141 > LoopsAndObjects$Derived.<init> 1
outer outer:34 int[].<init> 40
switched switched:111 int[].<init> 3
twice - LoopsAndObjects.lambda$threads$0:161 > LoopsAndObjects$Base.<init> 1
twice - LoopsAndObjects.objects:136 > LoopsAndObjects$Base.<init> 1
twice - LoopsAndObjects.objects:137 > LoopsAndObjects$Derived.<init> 1
twice - LoopsAndObjects.objects:139 > LoopsAndObjects.here:132 > LoopsAndObjects$Base.<init> 10
twice - LoopsAndObjects.objects:140 > LoopsAndObjects$Base.<init> 1
two - LoopsAndObjects.arrays:147 > int[].<init> 1
two - LoopsAndObjects.arrays:149 > int[].<init> 1
two - LoopsAndObjects.arrays:150 > int[][].<init> 3
whileLoop whileLoop:41 int[].<init> 9
E2

counted silent-load -cp . LoopsAndObjects
placed >got
grep -v 'LoopsAndObjects\.sink' got | diff expected - >differences
ok $? 'loops and allocations are those of the program' || sed 's/^/# /' differences
awk '/^inner .*LoopsAndObjects.sink/ { print $2, $NF }' got >sink
is "$(cat sink)" 'inner:29 9' 'a static field is an object'
done_testing
