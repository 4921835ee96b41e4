#!/bin/sh
# Tables and figures of the profiler accuracy paper, from existing audits of planted profilers.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
planted=$root/tests/analyze/audit/planted
mkdir -p paper/antlr
"$build/libexec/assay/assay-audit" profiler -q --runs 2 -o paper/antlr/inlining --profiler=assay-safepoint="$planted moved {out} {command}" --profiler=jfr="$planted fair {out} {command}" \
    --profiler=perf="$planted fair {out} {command}" -- true >out 2>err
head='profiler\twork\tlook\tmore_runs_text\tmethod\tslope\tlo\thi\tr2\tpoints\truns\tinvalid_points\tverdict\n'
printf "${head}jfr\tfib\t1\t\ta.B.f\t0.95\t0.9\t1.0\t1\t6\t2\t0\tactionable\n" >paper/antlr/inlining/causality.tsv
mkdir paper/antlr/no-inlining
{
    printf "${head}jfr\tfib\t1\t\ta.B.f\t0.85\t0.8\t0.9\t1\t6\t2\t0\tactionable\n"
    printf 'jfr\tarray\t1\t\ta.B.f\t0.25\t0.2\t0.3\t1\t6\t2\t0\tnot actionable\n'
} >paper/antlr/no-inlining/causality.tsv
"$root/datasets/profilers/paper" paper antlr ecj >out
is $? 0 'tables of the paper: status 0'
like out '^. antlr . [0-9.]* . .* . antlr . 21.02 . 1.1 . 1.2 . 1.2 . 1.2 .$' \
    '  Table 1 has the published row beside the audited one'
like out '^. antlr . a.B.f . 0.95 .0.90, 1.00. . CharBuffer.fill . 0.45 . 0.24 . -0.05 .$' '  so does Table 2'
like out '^. antlr . a.B.f . 0.85 .0.80, 0.90. . CharBuffer.fill . 1.00 . 0.78 . 0.78 . 0.78 .$' \
    '  Table 3 has the slopes of Fibonacci alone'
is "$(sed -n '/^. antlr/p; /^. mean/p; /^paper/p' paper/section7.2.md)" '| antlr | a.B.f | 0.25 [0.20, 0.30] |
| mean across methods | | 0.25 (1) |
paper: tprof 1.02, hprof, xprof and jprofile from 0.18 to 0.37' \
    '  section 7.2 has the slopes of additions in an array, with the published means'
like out "^  ecj: no cost.tsv of the audit 'inlining'$" '  a missing audit is named'
is "$(cd paper && ls figure[1-5]*.svg | paste -s -d ' ' -)" 'figure1.svg figure2.svg figure3.svg figure4-antlr.svg figure5.svg' \
    '  the figures are drawn'
is "$(tail -n +2 paper/figure1.csv | cut -d, -f2 | sort -u | paste -s -d ' ' -)" 'hot leaf' \
    '  Figure 1 has the hottest method of each profiler'

# --- the programs that become faster ---
speedups() {
    OUT=$scratch/faster "$root/datasets/profilers/speedups" >out 2>err
}
RUNS=1 speedups
is "$? $(cat err)" '2 speedups: RUNS=1: an interval needs at least two' 'speedups of one run: status 2 and why'
CASES=none speedups
is "$? $(cat err)" '2 speedups: none: there is no such case; choose from growing and asserting' '  as of an unknown case'
if ! command -v javac >/dev/null || [ ! -e "$build/lib/assay/libassay-jvm.so" ]; then
    skip 'no javac, or no JVM agent in this build'
else
    unset LD_PRELOAD ASSAY_RECORD JAVA_TOOL_OPTIONS
    RUNS=2 SCALE=0.1 CASES=growing PROFILERS='assay-random jfr' speedups
    is $? 0 'speedups: status 0' || sed 's/^/# /' err
    # Growing spends a third of its time in the method to blame, and names it with both profilers.
    is "$(awk -F ' [|] ' '$1 == "| Growing" && $4 + 0 >= 1 && $5 + 0 > 5 && $6 + 0 >= $5 + 0 { print $2, $3 }' out | paste -s -d ,)" \
        'yes assay-random,yes jfr,no assay-random,no jfr' '  each profiler has a share and a rank of the method to blame'
    is "$(grep '^| paper: pmd | no' out)" "$(printf '| paper: pmd | no | tprof | 1 | 20 | - | 47 |\n| paper: pmd | no | xprof | - | 0 | - | 47 |')" \
        '  the published values stand beside'
    for class in Growing Asserting; do
        for version in before after; do java -cp "$scratch/faster/classes" $class $version 20; done | sort -u
    done >results
    is "$(wc -l <results)" 2 '  both versions of each program have the same result'
fi

done_testing
