# lib.sh - for the tests of mode methods: what the traces of a recording hold. Sourced; changes to an empty directory
# that is removed at exit.
. "$(dirname "$0")/../tap.sh"
# On a host that is slow or stands still, probes can cost any share of the time. So no calls are lost to a limit of that
# share unless a test sets one.
record="$build/libexec/assay/assay-record -q -m methods --max-cost 100% -o out"
dump=$build/libexec/assay/assay-dump
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD DEBUGINFOD_URLS
scratch

# recorded ARGUMENT...: makes a new recording in out; the command's output is in said, messages are in err
recorded() {
    rm -rf out
    timeout -k 5 300 $record "$@" >said 2>err
}

# inside COMMAND...: the same without a recorder: the command's own processes write the traces, as they do where no other
# process can
inside() {
    rm -rf out
    mkdir out
    ASSAY_RECORD="{\"directory\":\"$PWD/out\",\"prefix\":\"run\",\"mode\":\"methods\",\"source\":\"external\",\"max_cost\":1}" \
        LD_PRELOAD=$build/lib/assay/libassay-native.so timeout -k 5 300 "$@" >said 2>err
    status=$?
    for trace in out/*.trace; do
        "$build/libexec/assay/assay-resolve" "$trace"
    done >log 2>&1
    return $status
}

# counted: "METHOD WHAT COUNT", summed over the events of all traces of out; "broken: …" where events do not nest, go
# back in time, or lack an end
counted() {
    for trace in out/*.trace; do
        {
            "$dump" --kind method --format csv "$trace" | sed 's/^/m,/'
            "$dump" --kind event --format csv "$trace" | sed 's/^/e,/'
        } | sed 's/([^)]*)//' | awk -F, -v trace="$trace" '
            $2 == "thread" { for (i = 1; i <= NF; i++) column[$1 $i] = i; next }
            $1 == "m" {
                class = $column["mclass"]
                name[$column["mid"]] = (class == "" ? "" : class ".") $column["mname"]
                next
            }
            {
                t = $column["ethread"]; m = $column["emethod"]; what = $column["ewhat"]
                if ($column["etime_ns"] < time[t] || $column["ecounter_0"] < cpu[t]) print "broken: back in time", trace
                time[t] = $column["etime_ns"]; cpu[t] = $column["ecounter_0"]
                count[name[m] " " what]++
                if (what == "enter") { open[t, depth[t]++] = m; next }
                if (depth[t] == 0 || open[t, --depth[t]] != m) print "broken: does not nest", trace
            }
            END {
                for (t in depth) if (depth[t] > 0) print "broken: not ended", trace
                for (key in count) print key, count[key]
            }'
    done | awk '/^broken/ { print; next } { sum[$1 " " $2] += $3 } END { for (key in sum) print key, sum[key] }' | sort
}

# used METHOD COLUMN: how much a counter (counter_0, …) rose in each call of a method, one line per call, for all traces
# of out; only for methods that are not recursive
used() {
    for trace in out/*.trace; do
        {
            "$dump" --kind method --format csv "$trace" | sed 's/^/m,/'
            "$dump" --kind event --format csv "$trace" | sed 's/^/e,/'
        } | sed 's/([^)]*)//' | awk -F, -v method="$1" -v counter="$2" '
            $2 == "thread" { for (i = 1; i <= NF; i++) column[$1 $i] = i; next }
            $1 == "m" { name[$column["mid"]] = $column["mname"]; next }
            name[$column["emethod"]] != method { next }
            $column["ewhat"] == "enter" { from[$column["ethread"]] = $column["e" counter]; next }
            { printf "%d\n", $column["e" counter] - from[$column["ethread"]] }'
    done
}

# What counted prints for victims/methods.c, without the calls of leaf(), which depend on its argument.
without_leaf='deep enter 100
deep exit-by-exception 100
ender enter 4
ender unfinished 4
jumper enter 10
jumper exit 10
main enter 2
main exit 1
main unfinished 1
run enter 4
run unfinished 4
work enter 6
work exit 6'
