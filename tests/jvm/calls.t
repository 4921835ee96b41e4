#!/bin/sh
# These programs spend half of their time entering and leaving methods, where frames are incomplete. No stack may
# contain a call that the program does not make.
. "$(dirname "$0")/lib.sh"
victim Calls

# tree: for each node of the calling-context tree with a method of Calls, "call CALLER>CALLEE"; then "rootless N of M":
# of M samples in such methods, the stacks of N do not reach main
tree() {
    for kind in method frame context sample; do "$dump" --format json --kind $kind out.trace 2>dump.err; done | tr -d '",:{}' | awk '
        function value(key,   i) { for (i = 1; i < NF; i++) if ($i == key) return $(i + 1) }
        $2 == "method" { name[value("id")] = value("class") == "Calls" ? value("name") : "other" }
        $2 == "method" && / class +name \[/ { name[value("id")] = "unknown" }
        $2 == "frame" { method[value("id")] = value("method") }
        $2 == "context" {
            id = value("id"); own[id] = name[method[value("frame")]]; parent[id] = value("parent")
            if (own[id] ~ /^(main|a|b|c)$/) print "call " (parent[id] ? own[parent[id]] : "nobody") ">" own[id]
        }
        $2 == "sample" {
            id = value("context"); if (own[id] !~ /^(a|b|c)$/) next
            all++; while (id && own[id] != "main") id = parent[id]
            if (!id) rootless++
        }
        END { print "rootless", rootless + 0, "of", all + 0 }' | sort -u
}

for java in $(javas); do
    JAVA=$java
    what="Java $(version "$(dirname "$(dirname "$java")")")"
    for options in -XX:-Inline '-XX:-Inline -XX:TieredStopAtLevel=1' '-XX:+Inline' -Xint; do
        rounds=3000000
        case $options in
        -Xint) rounds=150000 ;;
        -XX:+Inline) rounds=12000000 ;;
        esac
        # shellcheck disable=SC2086 # options are words
        trace random 500000 $options -cp . Calls $rounds
        is "$status" 0 "$what $options: status 0"
        between 100 "$(samples Calls)" 1000000 '  the trace has samples of the program'
        tree >tree
        is "$(sed -n 's/^call //p' tree | grep -vxE '(nobody|unknown)>.*|main>a|a>b|b>c' | tr '\n' ' ')" '' \
            '  every call in the tree is one that the program makes'
        rootless=$(sed -n 's/^rootless //p' tree)
        between 50 "${rootless#* of }" 1000000 '  many samples are in a, b and c'
        few 0.2 "${rootless% of *}" "${rootless#* of }" '  nearly all stacks reach main'
        few 1 "$(samples '"state": "unwalkable"')" "$(samples)" '  few stacks are unwalkable'
        few 1 "$(samples 'method entry or exit')" "$(samples)" '  few methods are not identified'
    done
done
done_testing
