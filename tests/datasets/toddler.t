#!/bin/sh
# The rebuilt bugs of Toddler's and Glider's data sets: both forms of each give the same result, and the tables say where the
# waste is found.
. "$(dirname "$0")/../tap.sh"
if ! command -v javac >/dev/null || [ ! -e "$build/lib/assay/assay-accesses.jar" ]; then
    echo '1..0 # SKIP no javac, or no rewriter of accesses in this build'
    exit 0
fi
scratch
here=$root/datasets/waste/toddler
export XDG_CACHE_HOME="$build/tests/cache"
mkdir -p "$XDG_CACHE_HOME"
grep -v '^#' "$here/BUGS" >rows
is "$(awk -F '\t' 'NF != 8' rows)" '' 'every bug has its fields'
is "$(cut -f 1 rows | sort | uniq -d)" '' '  and a name of its own'
is "$(cut -f 5 rows | grep -vxE 'silent-load|adjacent-load')" '' '  and a kind of loads'
grep -v '^#' "$here/PUBLISHED" >published
is "$(awk -F '\t' '{ for (i = 2; i <= 5; i++) sum[i] += $i } END { print sum[2], sum[3], sum[4], sum[5] }' published)" '33 46 31 44' \
    'the published counts add up to those that the paper prints'
cut -f 2 rows | sort -u >applications
cut -f 1 published | sort >known
is "$(comm -23 applications known)" '' '  and every application of a bug is in them'

# Both forms of the bugs whose jars are here.
# paths JARS: of those that are installed, each with a colon before it
paths() {
    [ "$1" = - ] || for jar in $(echo "$1" | tr ',' ' '); do
        [ ! -e "/usr/share/java/$jar.jar" ] || printf ':%s' "/usr/share/java/$jar.jar"
    done
}
count() {
    tr -cd "$1" | wc -c
}
all=
: >ready
while IFS='	' read -r name application origin jars kind culprit method what; do
    path=$(paths "$jars")
    if [ "$jars" != - ] && [ "$(echo "$path" | count :)" -le "$(echo "$jars" | count ,)" ]; then
        skip "$name: not installed: $jars"
        continue
    fi
    all=$all$path
    echo "${method%.*} ${method#*.}" >>ready
done <rows
# shellcheck disable=SC2046 # file names
compile_java --release 17 -nowarn -Xlint:none -d classes -sourcepath "$here/java:$root/datasets/workloads/java" -cp "classes$all" \
    "$here/java/Bugs.java" $(cut -d ' ' -f 1 ready | sort -u | sed "s|.*|$here/java/&.java|")
is $? 0 'the bugs compile'
# shellcheck disable=SC2046 # words
java -XX:TieredStopAtLevel=1 -Djava.awt.headless=true -cp "classes$all" Bugs check $(cat ready) >checked 2>err
is "$(cat checked)" "$(sed 's/ /./; s/$/ same/' ready)" 'both forms of every bug give the same result'

BUGS=nothing OUT=$scratch/none "$here/reproduce" 2>err
is $? 2 'an unknown bug: status 2'
is "$(cut -d ';' -f 1 err)" 'reproduce: nothing: there is no such bug' '  one line on stderr reports it'

# 600 elements of a set, each searched for in a list of 600 numbers, of which a third are found: more than half of all loads.
# And 400 insertions at the front of 600 elements, each of which moves all of these: a quarter of a million adjacent loads, but
# only a few silent ones of each field of the list in each insertion.
ASSAY_BUILD=$build OUT=$scratch/out BUGS='jdk-remove ant-53637' STEPS=1 "$here/reproduce" >table 2>err
is $? 0 'a series of two bugs: status 0'
like table '^\| JDK \| 1 / 0 \| 1 / 0 \| 1 \| 0 \| 1 \| 1 \| 0 \| 1 \|$' '  the search is found as silent loads'
like table '^\| Apache Ant \| 5 / 6 \| 4 / 5 \| 1 \| 1 \| 0 \| 0 \| 1 \| 1 \|$' '  the insertions are found as adjacent loads only'
like table '^\| sum \| 33 / 46 \| 31 / 44 \| 2 \| 1 \| 1 \| 1 \| 1 \| 2 \|$' '  beside the published counts'
like table '^\| ant-53637 \| adjacent-load \| .* \| (9[0-9][.][0-9]|100[.]0), rank 1 \| [0-9.]+, none \| [0-9.]+ \|$' \
    '  at their method, before the fix only'
like table '^\| jdk-remove \| silent-load \| [5-9][0-9][.][0-9], rank 1 \| ' '  at its method'
awk -F '\t' -v OFS='\t' '$2 == "before" { $5 = 6 } 1' out/places.tsv >sixth
awk -F '\t' -v top=5 -f "$here/tables.awk" "$here/PUBLISHED" "$here/BUGS" sixth >table
like table '^\| JDK \| 1 / 0 \| 1 / 0 \| 1 \| 0 \| 1 \| 0 \| 0 \| 0 \|$' '  a bug whose first pair has rank 6 is not'
awk -F '\t' -v OFS='\t' '$2 == "before" { $6 = 0.9 } 1' out/places.tsv >rare
awk -F '\t' -v top=5 -f "$here/tables.awk" "$here/PUBLISHED" "$here/BUGS" rare >table
like table '^\| JDK \| 1 / 0 \| 1 / 0 \| 1 \| 0 \| 1 \| 0 \| 0 \| 0 \|$' '  nor one that wastes less than 1 % of all loads'
done_testing
