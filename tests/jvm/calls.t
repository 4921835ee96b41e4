#!/bin/sh
# Half of the time of these programs is spent entering and leaving methods, where frames are not set up. No stack may
# have a call that the program does not make.
. "$(dirname "$0")/lib.sh"
victim Calls

# tree: for each node of the calling-context tree whose method is one of Calls, "call CALLER>CALLEE"; then "rootless
# PERCENT", of the samples in such methods, whose stack does not reach main
tree() {
    for kind in method frame context sample; do "$dump" --format json --kind $kind out.trace; done | tr -d '",:{}' | awk '
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
        END { print "rootless", all ? 100 * rootless / all : 100 }' | sort -u
}

for java in $(javas); do
    JAVA=$java
    what="Java $(version "$(dirname "$(dirname "$java")")")"
    for options in -XX:-Inline '-XX:-Inline -XX:TieredStopAtLevel=1' '-XX:+Inline' -Xint; do
        rounds=3000000
        [ "$options" != -Xint ] || rounds=150000
        # shellcheck disable=SC2086 # options are words
        trace random 500000 $options -cp . Calls $rounds
        is "$status" 0 "$what $options: runs"
        between 100 "$(samples Calls)" 1000000 '  with samples'
        tree >tree
        is "$(sed -n 's/^call //p' tree | grep -vxE '(nobody|unknown)>.*|main>a|a>b|b>c' | tr '\n' ' ')" '' \
            '  every call is one that is made'
        between 0 "$(sed -n 's/^rootless //p' tree)" 2 '  few stacks have no beginning'
        between 0 "$(percent '"state": "unwalkable"' .)" 2 '  few stacks are not walkable'
        between 0 "$(percent 'method entry or exit' .)" 2 '  few methods are not identified'
    done
done
done_testing
