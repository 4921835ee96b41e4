#!/bin/sh
# The page of the papers' tables beside ours, from imitated results: verdicts by hand, and what datasets/published says of each table.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
papers=$root/datasets/papers
published=$root/datasets/published
scratch
for wrong in SCALE=0 SCALE=2 SCALE=x; do
    env "$wrong" OUT="$scratch/none" "$papers/reproduce" 2>err
    is "$?/$(wc -l <err)/$([ -e none ]; echo $?)" 2/1/1 "$wrong: status 2 and one line, and nothing is started"
done
OUT=$scratch/none "$papers/reproduce" phases nothing 2>err
is "$?/$(cat err)" '2/reproduce: nothing: there is no such part; choose from profilers phases waste variance strides' 'an unknown part: status 2, and a line says so'
mkdir -p other
echo 0.5 >other/scale
SCALE=0.1 OUT=$scratch/other "$papers/reproduce" phases 2>err
is "$?/$(wc -l <err)" 2/1 'a series of another scale: status 2 and one line'

"$papers/page" "$scratch/none" 2>err
is "$?/$(cat err)" "2/page: $scratch/none: there is no such directory; make reproduce makes one" 'a page of a missing directory: status 2 and one line'
"$papers/page" 2>err
is "$?/$(wc -l <err)" 2/1 '  and without one: the usage'

# --- notes: each names columns that its table has, and each table has a note ---
for table in "$published"/*-*.csv; do
    name=$(basename "$table" .csv)
    paper=${name%-*}
    awk -v section="${name##*-}" '/^## / { inside = $2 == section ":" } inside' "$published/$paper.md" >section
    missing=$(sed -n 's/^- \(rows\|compared\): //p' section | tr ' ' '\n' |
        while read -r column; do grep -v '^#' "$table" | sed -n 1p | tr , '\n' | grep -qx "$column" || echo "$column"; done)
    is "$([ -s section ]; echo $?) $missing" '0 ' "$name has a section in $paper.md, whose columns are those of the table"
done

# --- verdicts ---
mkdir -p out/profilers out/strides
cat >out/profilers/values.csv <<'END_OF_VALUES'
table,row,column,ours,value,lo,hi
profiler-accuracy-table1,antlr,hprof_slowdown,"antlr, ours",1.2,1.15,1.25
profiler-accuracy-table1,bloat,hprof_slowdown,sablecc,1.2,1.16,1.25
profiler-accuracy-table1,chart,hprof_slowdown,jfreechart,1.2,0.5,2
profiler-accuracy-table1,fop,hprof_slowdown,fop,1.5,,
profiler-accuracy-table1,fop,time_s,fop,2,1,3
profiler-accuracy-table1,fop,jfr,"<jfr> & ""more""",1.1,1.0,1.2
profiler-accuracy-table1,h2,jfr,h2,1.1,1.0,1.2
profiler-accuracy-table3,antlr CharBuffer.fill,tprof_slope,antlr,0.996,0.995,0.997
profiler-accuracy-text,2 antlr union_1,value,antlr,4,3,5
profiler-accuracy-text,2 pmd union_1,value,ecj,1.5,0.5,2.5
profiler-accuracy-text,pmd share_percent_xprof,value,ecj,0.2,0,0.4
END_OF_VALUES
cat >out/strides/values.csv <<'END_OF_VALUES'
table,row,column,ours,value,lo,hi
stride-prefetching-text,8 db Pentium 4 INTER+INTRA l1_load_misses_per_instruction,value,db,-35,-35,-35
stride-prefetching-text,8 db Pentium 4 INTER+INTRA l1_load_misses_per_instruction,value,Db,-25,-25,-25
END_OF_VALUES
printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >out/profilers/figure1.svg
echo 'a <machine>' >out/machine.txt
"$papers/page" "$scratch/out" >counts 2>err
is $? 0 'a page of imitated results: status 0'
verdict() {
    awk -F, -v key="$1" 'index($0, key ",") == 1 { print $NF }' out/comparisons.csv | paste -s -d ' ' -
}
# 1.1 stands for 1.05 to 1.15.
is "$(verdict profiler-accuracy-table1,antlr,hprof_slowdown)" agrees '1.1, ours from 1.15: agrees'
is "$(verdict profiler-accuracy-table1,bloat,hprof_slowdown)" differs '1.1, ours from 1.16: differs'
is "$(verdict profiler-accuracy-table1,chart,hprof_slowdown)" undecided '1.1, ours from 0.5 to 2: undecided'
is "$(verdict profiler-accuracy-table1,fop,hprof_slowdown)" 'without interval' 'ours without an interval'
is "$(verdict profiler-accuracy-table1,fop,time_s)" 'not compared' 'a column that is another quantity'
is "$(verdict profiler-accuracy-table1,fop,jfr)" 'ours alone' 'a column of ours'
is "$(verdict profiler-accuracy-table1,h2,jfr)" 'ours alone' 'a row of ours'
is "$(verdict profiler-accuracy-table1,pmd,hprof_slowdown)" 'not measured' 'a published value without ours'
is "$(verdict 'stride-prefetching-text,8 db Pentium 4 INTER+INTRA l1_load_misses_per_instruction')" 'agrees differs' \
    'greatly decreased, by 35 %: agrees; by 25 %: differs'
is "$(verdict 'profiler-accuracy-table3,antlr CharBuffer.fill,tprof_slope')" agrees '1.00, ours from 0.995: agrees'
is "$(verdict 'profiler-accuracy-text,2 antlr union_1,value')" agrees '>1, ours from 3 to 5: agrees, though it is wider than 1'
is "$(verdict 'profiler-accuracy-text,2 pmd union_1,value')" undecided '>1, ours from 0.5 to 2.5: undecided'
is "$(verdict 'profiler-accuracy-text,pmd share_percent_xprof,value')" agrees '0, ours from 0 to 0.4: agrees'
like counts '^5 values agree, 2 differ, 2 are undecided, [0-9]+ are not measured, 4 of ours have no verdict$' 'the counts are printed'
is "$(grep -c '^[^,]*,[^,]*,[^,]*,[^,]*,.*,' out/comparisons.csv)" "$(wc -l <out/comparisons.csv)" 'no row of comparisons is cut'

# --- the page ---
# on_page PATTERN WHAT: a line of the page matches
on_page() {
    grep -Eq -- "$1" out/index.html
    ok $? "$2"
}
if command -v xmllint >/dev/null; then
    xmllint --html --noout out/index.html 2>&1 | grep -v 'Tag \(main\|section\|figure\|figcaption\) invalid' | grep error >errors
    is "$(cat errors)" '' 'the page is HTML'
else
    skip 'no xmllint'
fi
on_page '1\.1<span class="ours agrees" title="antlr, ours: agrees">= 1\.2 \[1\.15, 1\.25\]' 'ours below the published value, with its mark'
on_page 'title="&lt;jfr&gt; &amp; &quot;more&quot;: ours alone"' '  names are inert'
on_page 'a &lt;machine&gt;' '  the machine'
on_page '<td>h2 <small>ours alone</small></td>' '  a row of ours'
on_page "src=\"data:image/svg[+]xml;base64,$(base64 -w 0 out/profilers/figure1.svg)\"" '  the figure is in the page'
on_page 'xprof slope: printed 0[.]28, the data give 0[.]2964' '  a published value that contradicts its table'
on_page '<tr><td><a href="#profiler-accuracy">profiler-accuracy</a><td>4<td>1<td>2<td>[0-9]+<td>4</tr>' '  the counts of a paper'
is "$(grep -oE '(src|href)="(https?:|//|[a-z]+/)' out/index.html)" '' '  no reference outside of the page'
mkdir 'a=b c'
cp -r out/. 'a=b c'
(cd "$root" && datasets/papers/page "$scratch/a=b c") >again 2>err
is "$?/$(cat again)" "0/$(cat counts)" 'a directory with a blank and an equals sign'
rm -r out/profilers out/strides
"$papers/page" "$scratch/out" >counts 2>/dev/null
like counts '^0 values agree, 0 differ, 0 are undecided' 'a part that is not there: its values are not measured'
# --- sizes: the full size has everything, and the smallest has something ---
# size PART SCALE VARIABLE: its words, sorted
size() {
    (cd "$root" && SCALE=$2 && . datasets/papers/sizes.sh && "size_$1" && eval "printf '%s\n' \$$3") | sort | paste -s -d ' ' -
}
# names FILE...: first columns
names() {
    (cd "$root/datasets" && cat "$@") | grep -v '^#' | cut -f 1 | sort | paste -s -d ' ' -
}
is "$(size waste 1 CASES)" "$(names waste/native/CASES waste/planted/CASES waste/CASES)" 'SCALE=1: all cases of waste'
is "$(size waste 1 BUGS)" "$(names waste/toddler/BUGS)" '  all bugs'
is "$(size variance 1 CASES)" "$(names variance/CASES)" '  all cases of variance'
is "$(size variance 1 PROGRAMS)" "$(names variance/PROGRAMS)" '  and programs'
is "$(size strides 1 PROGRAMS)" "$(names strides/PROGRAMS strides/REAL)" '  all programs of strides'
is "$(size phases 1 WORKLOADS)" "$(sed -n 's/^workloads=${WORKLOADS:-\(.*\)}$/\1/p' "$root/datasets/phases/reproduce" | tr ' ' '\n' | sort | paste -s -d ' ' -)" \
    '  all programs of phases'
is "$(size profilers 1 PROGRAMS)" 'antlr:500 ecj:26 fop:13 jfreechart:75 jython:35 luindex:9 sablecc:14' '  all of profilers, at their full length'
is "$(size profilers 0.001 PROGRAMS) $(size profilers 0.001 RUNS) $(size strides 0.25 LENGTH)" 'antlr:1 2 0.5' 'a small scale: at least one program and two runs; the length'
is "$(PAIRS=17 && export PAIRS && size variance 0.1 PAIRS)" 17 'the environment takes precedence'
# copy FILE ROUNDS NAME...: its plan at a tenth of the size
copy() {
    (cd "$root" && SCALE=0.1 && . datasets/papers/sizes.sh && file=datasets/papers/$1 && shift && experiment "$file" "$scratch/copy.yaml" "$@")
    "$build/libexec/assay/assay-experiment" -n copy.yaml >plan 2>err
    echo "$? $(awk '$1 == "all" { print $2, $3 }' plan)"
}
# One program under three clocks, a cell, and twice under the safepoint clock, with JFR and without; Listing 1 likewise.
is "$(copy clocks.yaml 4 listing1 antlr)" '0 6 24' 'the experiment of the clocks at its size'
is "$(grep -c 'run antlr 50$' copy.yaml)" 1 '  a tenth of the iterations'
# set before and after, and before with calls; sqlite3, whose command has a line of its own, twice.
is "$(copy variance.yaml 3 set sqlite3)" '0 5 15' 'the experiment of variance at its size'
is "$(cd "$root" && SCALE=1 && . datasets/papers/sizes.sh && programs_of datasets/papers/variance.yaml | sort | paste -s -d ' ' -)" "$(names variance/PROGRAMS)" \
    '  it has all programs of variance'

# --- values of each part, from imitated results ---
mkdir -p v/clocks/results
printf 'program\tname\tratio\tratio_lo\tratio_hi\nsablecc\tassay-safepoint\t1.5\t1.4\t1.6\nsablecc\tjfr\t1.2\t1.1\t1.3\n' >v/cost.tsv
printf 'program\tprofiler\tmethod\tslope\tlo\thi\tverdict\nsablecc\tassay-random\ta.B.f(int,int)\t0.9\t0.8\t1\tx\nsablecc\tassay-random\ta.B.g()\t\t\t\tx\n' >v/slopes-no-inlining.tsv
printf 'n,union,lo,hi\n1,2,1,3\n2,4,3,5\n' >v/clocks/results/union-ecj.csv
printf 'clock,rank,method,share,lo,hi,samples\nrandom,1,"L.hot(int)",0.9,0.8,1,5\nsafepoint,1,"L.cold(int,int)",0.75,0.5,1,5\n' >v/clocks/results/hot-listing1.csv
"$papers/values/profilers" "$scratch/v" >values 2>err
is "$? $(wc -l <err)" '0 0' 'values of profilers: status 0'
like values '^profiler-accuracy-table1,bloat,hprof_slowdown,"sablecc, assay-safepoint",1.5,1.4,1.6$' '  the safepoint clock stands for hprof, SableCC for bloat'
like values '^profiler-accuracy-table1,bloat,jfr,"sablecc, jfr",1.2,1.1,1.3$' '  JFR for itself'
like values '^profiler-accuracy-table3,bloat PrintWriter.print,tprof_slope,"sablecc f, assay-random",0.9,0.8,1$' '  the random clock for tprof'
like values '^profiler-accuracy-table3,mean across methods,tprof_slope,"mean of 1, assay-random",0.9,,$' '  a mean of one, without an interval'
like values '^profiler-accuracy-text,2 pmd union_1,value,"ecj, three clocks",2,1,3$' '  the union of the hottest methods'
like values '^profiler-accuracy-text,Listing 1 cold_percent_xprof,value,assay-safepoint,75,50,100$' '  Listing 1'
rm -r v

mkdir -p v/ecj
printf '{\n  "summary": {"theta_weight": 0.001, "estimated_overhead": 0.005, "phases": 7, "methods": 90}\n}\n' >v/ecj/chosen.json
printf 'program,of,metric,n,mean,lo,hi\necj,all,wall,3,5,4,6\necj,probes,wall,3,1,0,2\n' >v/overhead.csv
printf '{"max_p_metric": "b"}\n' >v/ecj/anova.json
printf 'metric,f,dof_between,dof_within,p\na,9,1,2,0\nb,3,6,80,0.01\n' >v/ecj/anova.csv
printf 'component,metric,share,lo,hi\napplication,thread-cpu-ns,0.5,0.25,0.75\ngarbage collector,thread-cpu-ns,0.125,,\napplication,time_ns,1,1,1\n' >v/ecj/components.csv
"$papers/values/phases" "$scratch/v" >values 2>err
is "$? $(wc -l <err)" '0 0' 'values of phases: status 0'
like values '^method-level-phases-table3,javac,estimated_overhead_percent,ecj,0.5,,$' '  ecj stands for javac; percent'
like values '^method-level-phases-table3,javac,static_phases,ecj,7,,$' '  a count'
like values '^method-level-phases-table3,javac,measured_overhead_percent,ecj,5,4,6$' '  the measured overhead is that of all, in wall time'
like values '^method-level-phases-table4,javac,p,ecj b,0.01,0.01,0.01$' '  the largest p'
like values '^method-level-phases-table5,javac,application_percent,ecj application,50,25,75$' '  a component'
like values '^method-level-phases-table6,javac garbage collector,time_percent,ecj garbage collector,12.5,,$' '  the collector also in Table 6'
is "$(wc -l <values)" 13 '  and nothing else'
rm -r v

mkdir -p v/cases/native v/rates v/toddler
printf 'case\tprogram\tmeasured\tmeasured_lo\tmeasured_hi\nlavamd\tlavaMD\t0.5\t0.2\t0.75\n' >v/cases/native/native.tsv
printf 'name,ratio,ratio_lo,ratio_hi\nbefore,2,1.5,3\n' >v/cases/union-speedup.csv
printf 'kind,period,metric,geomean,lo,hi\nsilent-load,10ms,slowdown_median,1.1,1,1.2\n' >v/rates/cost.csv
printf '| application | published, Toddler / Glider | rebuilt | as either |\n|---|---|---|---|\n| Apache Ant | 5 / 6 | 2 | 1 |\n| JDK | 1 / 0 | 0 | 0 |\n| sum | 33 / 46 | 2 | 1 |\n\n| other | x | 2 | 1 |\n' >v/toddler/table.md
"$papers/values/waste" "$scratch/v" >values 2>err
is "$? $(wc -l <err)" '0 0' 'values of waste: status 0'
like values '^dissertation-table3.2,lavaMD,speedup,lavamd,2,1.25,4$' '  a gain of a half is a speedup of 2'
like values '^dissertation-table4.3,Dacapo 2006 bloat,speedup,union,2,1.5,3$' '  a Java case'
like values '^jxperf-table1,SL Slowdown 5M,median_ratio,silent-load 10ms,1.1,1,1.2$' '  the third period stands for the third'
like values '^jxperf-table2,Apache Ant,toddler_reproduced_bugs,"found, of those rebuilt",1 of 2,,$' '  bugs'
like values '^jxperf-table2,Sum,toddler_reproduced_bugs,"found, of those rebuilt",1 of 2,,$' '  and their sum'
is "$(wc -l <values)" 6 '  and nothing else'
rm -r v

mkdir -p v/results
printf 'name\tbaseline\tratio\tratio_lo\tratio_hi\nset, before\tset, after\t2\t1.5\t3\ngeomean\tgeomean\t2\t\t\n' >v/results/speedups.tsv
printf 'name\tbaseline\tratio\tratio_lo\tratio_hi\nset, calls\tset, time\t1.5\t1.25\t1.75\nxz, calls\txz, time\t1\t1\t1\ngeomean\tgeomean\t1.25\t1\t1.5\n' >v/results/cost.tsv
"$papers/values/variance" "$scratch/v" >values 2>err
is "$? $(wc -l <err)" '0 0' 'values of variance: status 0'
like values '^dissertation-table5.4,NERSC-8 MiniFE,speedup,set,2,1.5,3$' '  before over after'
like values '^dissertation-table5.2,MiniFE,runtime_slowdown,set,1.5,1.25,1.75$' '  recorded over plain'
like values '^dissertation-table5.2,xz,runtime_slowdown,xz,1,1,1$' '  a program that the paper has not'
like values '^dissertation-table5.2,GeoMean,runtime_slowdown,geomean,1.25,1,1.5$' '  the geometric mean'
is "$(wc -l <values)" 5 '  and nothing else'
rm -r v

mkdir v
{ echo program,how,user_s && for round in 1 2 3; do echo db,plain,3 && echo db,pasted,2; done; } >v/times.csv
printf 'program,algorithm,level,misses,misses_with_plan,added\ndb,inter,D1,100,90,\ndb,inter+intra,D1,100,25,0.5\ngzip,inter+intra,D1,100,25,0.5\n' >v/pentium4.csv
printf 'program,of_compilers,of_process,compilers_of_process\nDb,0.02,0.01,0.5\n' >v/inspection.csv
printf '# Table 1 and Figure 5: loads of find_in_memory, and\n\n| load | kind | partner | stride | majority, %% |\n|---|---|---|---|---|\n| L10 | intra | L9 | 72 | 99.0 |\n| L9 | none | - | 0 | 1.0 |\n# Figures\n| L3 | x | - | 1 | 1 |\n' >v/report.md
"$papers/values/strides" "$scratch/v" >values 2>err
is "$? $(wc -l <err)" '0 0' 'values of strides: status 0'
like values '^stride-prefetching-text,6 db Pentium 4 INTER[+]INTRA speedup_percent,value,db in C,50,' '  two thirds of the time are a speedup of 50 %'
like values '^stride-prefetching-text,8 db Pentium 4 INTER[+]INTRA l1_load_misses_per_instruction,value,db,-75,-75,-75$' '  a quarter of the misses'
like values '^stride-prefetching-text,db Pentium 4 INTER[+]INTRA instructions_added_percent,value,db,50,50,50$' '  added instructions'
like values '^stride-prefetching-text,11 all Pentium 4 INTER[+]INTRA runtime_overhead_percent,value,Db,1,,$' '  inspection'
like values '^stride-prefetching-table1,L10,address,find_in_memory,"intra of L9, stride 72",,$' '  a load'
is "$(wc -l <values)" 9 '  and nothing else'
done_testing
