#!/bin/sh
# The student's paper: its experiment file is right, and each value of its text is one that the file makes.
. "$(dirname "$0")/../tap.sh"
scratch
student=$root/datasets/student
ln -s "$root/datasets/workloads" workloads
mkdir student && cd student && cp "$student/study.yaml" .
"$build/libexec/assay/assay-experiment" --dry-run study.yaml >out 2>err
is "$? $(cat err)" '0 ' 'the experiment file is right'
like out '^all  *7  *31 ' '  and plans 30 runs and an audit'
# \assay{time.h2.serial.mean.estimate}: "time.{program}.{gc}" is among the values
for name in $(grep -oE '\\(assay|share)\{[a-z0-9.]+' "$student/paper.tex" | sed 's/.*{//' | sort -u); do
    case $name in
    *.*.hot[123]*) grep -q '"{program}.{gc}.hot{rank}"' "$student/study.yaml" ;;
    time.*) grep -q '"time.{program}.{gc}"' "$student/study.yaml" ;;
    speed.*) grep -q '"speed.{program}"' "$student/study.yaml" ;;
    *) false ;;
    esac
    ok $? "$name is made"
done
done_testing
