#!/bin/bash
# docs/coming-from.md: every command runs in a folder with the files that it names; those of other tools if the tools
# are installed.
export LC_ALL=C
. "$(dirname "$0")/../tap.sh"
scratch
assay() { "$root/assay" "$@"; }

mkdir benchstat hyperfine ministat R datamash
for version in old new; do
    for i in 1 2 3 4 5 6; do
        [ $version = old ] && base=100 || base=80
        printf 'BenchmarkEncode/format=json-8  100  %d ns/op\nBenchmarkEncode/format=gob-8  100  %d ns/op\n' $((base + i)) $((base + 7 * i % 5))
    done >benchstat/$version.txt
    awk -v base=$base 'BEGIN { for (i = 0; i < 8; i++) print base + i * 3 % 7 }' >ministat/$version
    awk '{ print "run" NR, $1 }' ministat/$version >ministat/table$([ $version = old ] && echo 1 || echo 2)
    tr ' ' , <ministat/table$([ $version = old ] && echo 1 || echo 2) >ministat/$version.csv
done
cat >hyperfine/times.json <<'END'
{"results": [{"command": "sleep 0.001", "times": [0.0011, 0.0012, 0.0011, 0.0013]}, {"command": "sleep 0.002", "times": [0.0021, 0.0022, 0.0021, 0.0023]}]}
END
printf 'command,mean,stddev,median,user,system,min,max\ntrue,0.001,0.0001,0.001,0,0,0.001,0.002\nsleep 0.001,0.002,0.0001,0.002,0,0,0.001,0.003\n' >hyperfine/means.csv
awk 'BEGIN { print "version,run,half,size,time"; for (i = 0; i < 12; i++) print (i % 2 ? "new" : "old") ",run" int(i / 2) "," (i < 6 ? "first" : "second") "," i "," 10 + i % 2 + i * 5 % 7 + i }' >R/d.csv
cp R/d.csv datamash/d.csv
seq 10 30 >datamash/numbers
awk 'BEGIN { for (i = 0; i < 10; i++) print (i % 2 ? "a" : "b"), i * 3 % 7 }' >datamash/table

# theirs COMMAND: runs it as on the page; 77 if the tool is not installed, or is a script from hyperfine's sources
theirs() {
    case $section in
    R) command -v Rscript >/dev/null || return 77
        Rscript -e 'pdf(NULL); d <- read.csv("d.csv")' -e "$1" ;;
    *) case $1 in python3*) return 77 ;; esac
        command -v "${1%% *}" >/dev/null || return 77
        eval "$1" ;;
    esac
}

rows=0
while IFS= read -r line; do
    case $line in
    '## '*) section=${line#'## '} ;;
    '| `'*)
        rows=$((rows + 1))
        their=${line#'| `'} their=${their%%'` | `'*}
        our=${line#*'` | `'} our=${our%%'` |'*}
        (cd "$section" && eval "$our" >"$scratch/out" 2>"$scratch/err" </dev/null)
        is "$? $(grep -c . out | awk '{ print ($1 > 1) }') $(grep -v ': warning\|warm-up\|holds\|no interval\|level\|correlated' err | head -1)" '0 1 ' "runs: $our" ||
            sed 's/^/# /' err
        (cd "$section" && theirs "$their" >"$scratch/out" 2>"$scratch/err" </dev/null)
        status=$?
        if [ $status -eq 77 ]; then skip "$their: not here"; else is $status 0 "runs: $their" || sed 's/^/# /' err; fi
        ;;
    esac
done <"$root/docs/coming-from.md"
between 30 "$rows" 100 "the page's lines were found"
done_testing
