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

done_testing
