# lib.sh - for the tests of assay inspect, sourced. Enters an empty directory that is removed at exit.
. "$(dirname "$0")/../tap.sh"
inspect=$build/libexec/assay/assay-inspect
dump=$build/libexec/assay/assay-dump
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD

command -v javac >/dev/null && command -v java >/dev/null || skip_all 'no JDK here'
[ -e "$build/lib/assay/libassay-inspect.so" ] || skip_all 'no agent that inspects JVMs in this build'

scratch

# jvms: the JVMs of this machine, each once
jvms() {
    for each in "$(command -v java)" /usr/lib/jvm/*/bin/java; do
        [ ! -x "$each" ] || readlink -f "$each"
    done | sort -u
}

# inspected JAVA_ARGUMENT...: inspects a JVM (java, or $JAVA), with more $options. Its output is in out and err, its exit status
# in $status, and what was found of the methods of its classes in
#   inter: METHOD LOAD BYTES STRIDE:COUNT..., the strides from one access of a load to the next in an inspection, the most
#          frequent first. A method's loads are L1, L2, ... in the order of its code
#   intra: METHOD FROM>TO HOW STRIDE:COUNT..., from the address of one load to that of one that uses its value
inspected() {
    rm -rf traces
    # shellcheck disable=SC2086
    timeout -s INT 600 "$inspect" -q ${options:-} -o traces -- "${JAVA:-java}" "$@" >out 2>err
    status=$?
    tabulate
}

# dumped FILE CLASSES: the same of a heap dump
dumped() {
    rm -rf traces
    # shellcheck disable=SC2086
    "$inspect" ${options:-} -o traces --heap-dump "$1" --classes "$2" >out 2>err
    status=$?
    tabulate
}

tabulate() {
    for kind in method frame context site dependence iteration access; do
        "$dump" --kind $kind traces/*.trace >$kind.csv 2>/dev/null
    done
    LC_ALL=C awk -F, '
        function name(site) { return method_of[site] " L" rank[site] }
        function add(table, key, stride) {
            if (!((table, key) in first)) { first[table, key] = ++keys[table]; key_at[table, keys[table]] = key }
            count[table, key, stride]++
            if (count[table, key, stride] == 1) strides[table, key] = strides[table, key] " " stride
        }
        function show(table, file,   i, key, n, parts, p, q, best, line) {
            printf "" >file
            for (i = 1; i <= keys[table]; i++) {
                key = key_at[table, i]
                line = key
                n = split(strides[table, key], parts, " ")
                for (p = 1; p <= n; p++) {
                    best = 0
                    for (q = 1; q <= n; q++)
                        if (parts[q] != "" && (!best || count[table, key, parts[q]] > count[table, key, parts[best]])) best = q
                    line = line " " parts[best] ":" count[table, key, parts[best]]
                    parts[best] = ""
                }
                print line >file
            }
            close(file)
        }
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { class[$at["id"]] = $at["class"]; method[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { own[$at["id"]] = $at["method"]; position[$at["id"]] = $at["position"] }
        file == 3 { frame[$at["id"]] = $at["frame"] }
        file == 4 {
            id = $at["id"]; f = frame[$at["context"]]
            method_of[id] = method[own[f]]
            place[id] = position[f] * 1000000 - id # the site of a length follows that of the element
            bytes[id] = $at["bytes"]
            sites = id
        }
        file == 5 { to = $at["to"]; uses[to] = uses[to] " " $at["from"] ":" $at["how"] }
        file == 6 && $at["loop"] == 0 { gap[++gaps] = $at["accesses"] }
        file == 7 {
            if (!ranked) {
                ranked = 1
                for (i = 1; i <= sites; i++) {
                    rank[i] = 1
                    for (j = 1; j <= sites; j++) rank[i] += method_of[j] == method_of[i] && place[j] < place[i]
                }
            }
            while (reached < gaps && gap[reached + 1] <= accesses) { reached++; split("", last) }
            accesses++
            site = $at["site"]
            if (site in last) add("inter", name(site) " " bytes[site], $at["address"] - last[site])
            n = split(uses[site], used, " ")
            for (i = 1; i <= n; i++) {
                split(used[i], parts, ":")
                if (parts[1] in last)
                    add("intra", method_of[site] " L" rank[parts[1]] ">L" rank[site] " " parts[2], $at["address"] - last[parts[1]])
            }
            last[site] = $at["address"]
        }
        END { show("inter", "inter"); show("intra", "intra") }
    ' method.csv frame.csv context.csv site.csv dependence.csv iteration.csv access.csv
}

# inter METHOD LOAD: its bytes and strides
inter() {
    sed -n "s/^$1 $2 //p" inter
}

# intra METHOD FROM TO: how, and the strides
intra() {
    sed -n "s/^$1 $2>$3 //p" intra
}
