#!/bin/sh
# Engine rewrite with --between-threads: pairs whose first access is another thread's, in a program whose pairs are known on
# paper.
. "$(dirname "$0")/lib.sh"
compile_java -d . "$root/tests/victims/java/Between.java" || exit 1

# Each turn accesses 100 elements, a field and a static field; `change` stores into 50 elements, which were loaded before,
# and the first `changed` finds these changed, the second none.
cat >between <<'EOT'
Between.over silent-store 102 0
Between.over dead-store 102 102
Between.same silent-store 102 102
Between.same dead-store 102 102
Between.again silent-load 102 102
Between.change silent-store 50 0
Between.change dead-store 50 0
Between.changed silent-load 200 150
EOT
echo 'Between.changed silent-load 100 100' >within

# turns FILE TITLE: the pairs of the turns are those of FILE, and no others
turns() {
    pairs_are "$1" "$2"
    grep -E '^Between[.](first|over|same|look|again|changed?) ' pairs >got
    is "$(wc -l <got)" "$(wc -l <"$1")" '  and no others'
}

# paths METHOD: both paths of each pair whose second access is in the method
paths() {
    awk -F, -v method="$1" '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { name[$at["id"]] = $at["class"] "." $at["name"] }
        file == 2 { own[$at["id"]] = name[$at["method"]] }
        file == 3 { parent[$at["id"]] = $at["parent"]; frame[$at["id"]] = $at["frame"] }
        file == 4 && own[frame[$at["second"]]] == method { print "first", path($at["first"]); print "second", path($at["second"]) }
        function path(context, text) {
            for (; context in frame; context = parent[context])
                text = own[frame[context]] (text ? " > " : "") text
            return text
        }' method.csv frame.csv context.csv pair.csv
}

# bursts_match: the only burst has counted the wasted bytes that the pairs have
bursts_match() {
    "$dump" --kind burst traces/*.trace >burst.csv
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { sum[file, $at["waste"]] += $at["wasted_bytes"]; kinds[$at["waste"]] = 1 }
        END { for (kind in kinds) { print kind, sum[1, kind], sum[2, kind]; bad += sum[1, kind] != sum[2, kind] } exit bad > 0 }
        ' pair.csv burst.csv >sums
    ok $? '  the burst has the wasted bytes of its pairs' || sed 's/^/# /' sums
}

options=
counted waste Between join 0
turns within 'without the option a pair has accesses of one thread'
"$waste" traces/*.trace >notes
like notes '[0-9]{3} bytes had last been accessed by another thread: they are in no pair' '  the others are counted'

options=--between-threads
counted waste Between join 2500
turns between 'with it, also of two, and the first one may have ended long ago'
paths Between.over >contexts
like contexts '^first .*Thread.run > .* > Between.turn > Between.first$' '  the first access has the path of its thread'
like contexts '^second Between.main > Between.over$' '  and the second one that of its own'
"$build/libexec/assay/assay-info" traces/*.trace >info
like info 'between_threads +true' '  assay info shows it'
"$waste" traces/*.trace >notes
between='1 of 1 traces have pairs between threads, .*: [0-9]{3,} bytes had last been accessed by another thread'
like notes "$between" '  assay waste says so'
"$waste" --threads --pairs 5000 --kind dead-store --format csv traces/*.trace >table
like table ',main,.*Between.over' '  with --threads, a pair is in the row of its second thread'
like table ',other,.*Between.same' '  which may be any'
"$waste" --save-state state traces/*.trace
"$waste" --threads --pairs 5000 --kind dead-store --format csv state >merged
is "$(cat merged)" "$(cat table)" '  a saved state gives the same'
"$waste" state >notes
like notes "$between" '    and says so'

counted waste Between hand 0
turns between 'a thread that waits for its turns'
counted waste -Xint -XX:+UseSerialGC Between hand 0
turns between '  interpreted'

burst=10M:90M
counted waste Between join 0
turns between 'in bursts'
bursts_match
counted silent-load Between hand 0
grep silent-load between >loads
turns loads '  mode silent-load'
bursts_match

"$record" -q -m waste -E exact --between-threads -o none -- true 2>err
is $? 2 'no other engine takes the option'
like err 'between-threads is for engine rewrite' '  one line says so'
done_testing
