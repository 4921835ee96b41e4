#!/bin/sh
# What users of other tools type into the programs on tables, and what they expect to see.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
command -v python3 >/dev/null || skip_all 'no python3 here'
for verb in ci compare; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done

# says MESSAGE WHAT: the last standard error, in err, contains it
says() {
    grep -qF -- "$1" err
    ok $? "$2" || sed 's/^/# /' err
}

# --- is the first line a header or data? ---
printf 'A,2.01\nA,2.03\nB,1.9\nB,1.95\n' >bare.csv
ci --by 1 --format csv bare.csv >out 2>err
is "$(cut -d, -f 1,2,3 out | tr '\n' ' ')" '1,n,mean A,2,2.02 B,2,1.925 ' \
    'a first line whose texts the rows repeat is data'
says 'bare.csv: line 1 is read as data' '  a message reports it'
ci --by A --header --format csv bare.csv >out 2>err
is "$? $(cut -d, -f 1,2 out | tr '\n' ' ') $(grep -c 'line 1' err)" '0 A,n A,1 B,2  0' \
    '--header makes it the header, without a message'
printf 'name,10\na,1\na,2\n' >numbers.csv
ci --by name --format csv numbers.csv >out 2>err
is "$(cut -d, -f 1,2 out | tr '\n' ' ')" 'name,n a,2 ' 'a first line with a number above texts is the header'
says "numbers.csv: line 1 is read as the header, though '10' in it is a number" '  a warning names the number'
printf '10,20\n1,2\n' >only.csv
ci --value 1 --no-header --format csv only.csv >out 2>err
is "$(cut -d, -f 1 out | tr '\n' ' ')$(grep -c line err)" 'n 2 0' \
    '--no-header: numbers alone are data, without a message'
ci --value 10 --header --format csv only.csv >out 2>err
is "$(cut -d, -f 1,2 out | tr '\n' ' ')" 'n,mean 1,1 ' '--header: numbers are names of columns'

printf 'run1,10\nrun2,11\n' >placed1.csv
printf 'run1,12\nrun2,13\n' >placed2.csv
ci --value 2 --format csv placed1.csv placed2.csv >out 2>err
is "$? $(cut -d, -f 1,2 out | tr '\n' ' ')" '0 n,mean 4,11.5 ' \
    'a column given by position with a number in line 1: line 1 is data'
says 'line 1 is read as data, since it holds the number 10 and columns are given by position' '  a message reports it'

# near WHAT EXPECTED TOLERANCE EXPRESSION: of the JSON in `out`; results are r
near() {
    python3 - "$2" "$3" "$4" 2>near.err <<'PYTHON'
import json, sys
r = json.load(open("out"))["results"]
got, expected = eval(sys.argv[3]), float(sys.argv[1])
if abs(got - expected) > float(sys.argv[2]) * (abs(expected) or 1):
    sys.exit("%s is %.17g, not %s" % (sys.argv[3], got, sys.argv[1]))
PYTHON
    ok $? "$1" || sed 's/^/# /' near.err
}
# json EXPRESSION: of the JSON in `out`
json() {
    python3 -c 'import json, sys; r = json.load(open("out"))["results"]; print(eval(sys.argv[1]))' "$1"
}

# --- compare OLD NEW: two lists of numbers, as ministat takes them ---
printf '10.1\n9.8\n10.4\n10.0\n9.7\n' >old.txt
printf '11.3\n11.9\n10.8\n11.5\n12.0\n11.1\n' >new.txt
compare --format json old.txt new.txt >out
is "$(json '[(x["name"], x["baseline"], x["verdict"], x["ratio"] > 1) for x in r]')" "[('new.txt', 'old.txt', 'slower', True)]" \
    'the first file is the baseline'
compare --format json new.txt old.txt >out
is "$(json '[(x["name"], x["baseline"], x["verdict"]) for x in r]')" "[('old.txt', 'new.txt', 'faster')]" \
    '  whatever its name'
compare --baseline old --format json new.txt old.txt >out
is "$(json 'r[0]["baseline"]')" 'old.txt' '--baseline old finds old.txt'
cp old.txt old.csv
compare --baseline old new.txt old.txt old.csv >out 2>err
is $? 2 '--baseline old with old.txt and old.csv: status 2'
says 'several texts may be meant by --baseline old; there are: new.txt, old.csv, old.txt' '  a line lists the groups'
compare --baseline older new.txt old.txt >out 2>err
is $? 2 'an unknown baseline: status 2'
says "no group 'older' for --baseline; there are: new.txt, old.txt" '  a line lists the groups'

# R 4.2.2: t.test(b, a, alternative = …), wilcox.test(…), and the greater p of two one-sided tests against 1.19·a and a/1.19
compare --alternative less --format json old.txt new.txt >out
near "--alternative less: Welch's p" 0.99990474599273171 1e-12 'r[0]["p"]'
compare --alternative greater --format json old.txt new.txt >out
near "--alternative greater: Welch's p" 9.5254007268224766e-05 1e-10 'r[0]["p"]'
is "$(json 'r[0]["verdict"], r[0]["method"]')" "('slower', 'Welch t (greater), Fieller')" '  the verdict and its method'
compare --alternative greater --method mann-whitney --format json old.txt new.txt >out
near '--alternative greater: the Mann-Whitney p' 0.0021645021645021645 1e-14 'r[0]["p"]'
compare --margin 19% --format json old.txt new.txt >out
near "--margin 19%: Welch's p of equivalence" 0.041533166366164935 1e-10 'r[0]["p"]'
is "$(json 'r[0]["verdict"]')" equivalent '  the verdict'
compare --margin 19 --method mann-whitney --format json old.txt new.txt >out
near '--margin 19: the Mann-Whitney p of equivalence' 0.062770562770562768 1e-12 'r[0]["p"]'
# R: t.test(b, 1.05 * a, alternative = "greater") has p = 0.00158, wilcox.test 0.0043; with 1.12 * a 0.17
compare --margin 5% --format json old.txt new.txt >out
is "$(json 'r[0]["verdict"]')" slower '--margin 5%: slower beyond the margin'
compare --margin 5% --format json new.txt old.txt >out
is "$(json 'r[0]["verdict"]')" faster '  faster beyond the margin'
compare --margin 5% --method mann-whitney --format json old.txt new.txt >out
is "$(json 'r[0]["verdict"]')" slower '  by ranks'
compare --margin 12% --format json old.txt new.txt >out
is "$(json 'r[0]["verdict"]')" undecided '--margin 12%: neither within nor beyond the margin'
compare --margin 5% --confidence 99.99 --format json old.txt new.txt >out
is "$(json 'r[0]["verdict"]')" undecided '  nor beyond 5 % at a confidence of 99.99 %'
compare --margin 5% --alternative less old.txt new.txt >out 2>err
is $? 2 '--margin with --alternative: status 2'
says 'leave --alternative out' '  a line says which to leave out'

# --- medians, as benchstat shows them ---
compare --method mann-whitney --format json old.txt new.txt >out
near '--method mann-whitney: the ratio of the medians' 1.14 1e-15 'r[0]["ratio"]' # 11.4 / 10
near \
    '  its lower bound is exp(wilcox.test(log(b), log(a), conf.int = TRUE)$conf.int) of R' 1.08 1e-13 'r[0]["ratio_lo"]'
near '  and so is its upper bound' 1.2142857142857142 1e-13 'r[0]["ratio_hi"]'
near '  the median' 11.4 1e-15 'r[0]["median"]'
near '  the median of the baseline' 10 1e-15 'r[0]["median_baseline"]'
near '  the change' 0.14 1e-13 'r[0]["change"]'
is "$(json 'r[0]["method"]')" 'Mann-Whitney (exact)' '  the method states that p is exact'
compare --method mann-whitney old.txt new.txt >out
is "$(sed -n 2p out | grep -o '+14%')" '+14%' 'the text table shows the change in percent'
printf 'name,time\na,10\na,11\na,12\nb,11\nb,12\nb,10\n' >same.csv
compare same.csv >out
is "$(sed -n 2p out | grep -o ' ~ .*no difference shown' | tr -s ' ')" ' ~ 1.0000 no difference shown' \
    'the text table shows ~ for a difference that is not shown'
is "$(grep -c "grouped by 'name', the only column of texts" out)" 1 \
    '  a note says that the only column of texts makes the groups'
compare --by-file same.csv >out 2>err
is $? 1 '  with --by-file it does not: status 1'

# Three benchmarks with ratios of 2, ½ and 4. R: r <- c(2, .5, 4); exp(mean(log(r)) + c(-1, 1) * qt(.975, 2) * sd(log(r)) / sqrt(3))
printf 'name,time\na,1\na,1\nb,2\nb,2\nc,1\nc,1\n' >before.csv
printf 'name,time\na,2\na,2\nb,1\nb,1\nc,4\nc,4\n' >after.csv
compare -q --method mann-whitney --format json before.csv after.csv >out
near 'the last row is the geometric mean' 1.5874010519681994 1e-14 'r[3]["ratio"]'
near '  its interval over benchmarks: the lower bound' 0.1143940272485862 1e-12 'r[3]["ratio_lo"]'
near '  the upper bound' 22.027741835803656 1e-12 'r[3]["ratio_hi"]'
is "$(json 'r[3]["name"], r[3]["n"], r[3]["p"]')" "('geomean', 3, None)" '  it is of three benchmarks and has no p'

# --- one run of each ---
printf 'name,time\na,1\nb,2\n' >one.csv
compare --format json one.csv >out 2>err
is "$(json '[(x["ratio"], x["ratio_lo"], x["p"], x["n"]) for x in r]')" '[(2, None, None, 1)]' \
    'single values have a ratio, but neither an interval nor p'
says 'b: no interval: too few values (1 value, and 1 of the baseline)' '  a warning reports it'

# --- ci: the median and percentiles. R: qbinom(0.025, 10, 0.5) is 2, quantile(1:10, c(.05, .9)) ---
seq 10 >ten.txt
ci --method median --percentiles 5,90 --format json ten.txt >out
is "$(json '[r[0][k] for k in ("method", "median", "lo", "hi", "p5", "p90")]')" "['median', 5.5, 2, 9, 1.45, 9.1]" \
    'the median between the second and the ninth of ten values, and percentiles'
ci --percentiles 50,50 ten.txt >out 2>err
is $? 2 'the same percentile twice: status 2'
ci --percentiles 101 ten.txt >out 2>err
is $? 2 'a percentile above 100: status 2'

# --- warnings are rare without a cause, and absent without a series ---
# 400 series of ten values from 1 to 4, drawn by a Lehmer generator: each warning may name at most 1 % of them.
awk 'BEGIN { seed = 7; print "s,x"; for (i = 0; i < 4000; i++) { seed = (seed * 16807) % 2147483647
    printf "s%d,%d\n", i / 10, 1 + seed % 4 } }' >quiet.csv
ci --by s --format csv quiet.csv 2>&1 >out | awk '/warm-up/ { a++ } /level of/ { b++ } /autocorrelated|alternate/ { c++ }
    END { print (a + 0 <= 4) (b + 0 <= 4) (c + 0 <= 4) }' >err
is "$(cat err) $(grep -c , out)" '111 401' 'of 400 random series each warning names at most 1 %'
awk 'BEGIN { for (i = 0; i < 30; i++) print (i < 8 ? 20 : 10) + i * 7 % 5 }' >warm.txt
ci warm.txt >out 2>err
says 'the first 8 of 30 values look like warm-up' 'a warm-up is reported'
sort -n warm.txt | ci - >out 2>err
is "$(wc -l <err) $(grep -c 'sorted values were not searched' out)" '0 1' \
    'sorted values get no warnings, and a note says why'
awk 'BEGIN { print "program,slowdown" } { printf "p%d,%s\n", NR, $1 }' warm.txt >programs.csv
ci programs.csv >out 2>err
is "$(wc -l <err) $(grep -c 'each row has its own name' out)" '0 1' '  nor do rows that each have their own name'
ci --method geomean warm.txt >out 2>err
is "$(wc -l <err)" 0 '  nor do values for a geometric mean'

# --- options as other tools spell them ---
printf 'y\n1\n2\n4\n' >plain.csv
ci --format json plain.csv >wanted
for confidence in 95 95% 95.0 '95 %'; do
    ci --format json --confidence "$confidence" plain.csv >out
    cmp -s wanted out
    ok $? "--confidence $confidence is 0.95"
done
for confidence in 0 1 30 100 100% 0% nan 95x; do
    ci --confidence "$confidence" plain.csv >out 2>err
    is "$?" 2 "--confidence $confidence is neither a share nor a percentage"
done
for pair in tex:latex md:markdown txt:text; do
    ci --format "${pair#*:}" plain.csv >wanted
    ci --format "${pair%:*}" plain.csv >out
    cmp -s wanted out
    ok $? "--format ${pair%:*} is ${pair#*:}"
done
mkdir dir.csv
for pair in out.csv:csv out.tsv:tsv out.json:json out.tex:latex out.md:markdown out:text out.dat:text dir.csv/out:text; do
    ci --format "${pair#*:}" plain.csv >wanted
    ci -o "${pair%:*}" plain.csv
    cmp -s wanted "${pair%:*}"
    ok $? "-o ${pair%:*} writes ${pair#*:}"
done
ci --format csv plain.csv >wanted
ci --format csv -o named.json plain.csv
cmp -s wanted named.json
ok $? '  unless --format says otherwise'

# --- unknown verbs ---
for pair in comapre:compare ttest:compare wilcoxon:compare kruskal:anova lm:fit plto:plot ci2:ci recrod:record; do
    "$root/assay" "${pair%:*}" x >out 2>err
    is "$? $(wc -c <out)$(cat err)" "2 0assay: no verb '${pair%:*}' (did you mean ${pair#*:}?); assay help lists them" \
        "assay ${pair%:*}: the line suggests ${pair#*:}"
done
"$root/assay" xyzzy >out 2>err
is "$? $(cat err)" "2 assay: no verb 'xyzzy'; assay help lists them" 'a word like no verb: no suggestion'

# --- misspelt names ---
# nearly MESSAGE COMMAND...: status 2, that line on standard error, nothing on standard output
nearly() {
    message=$1
    shift
    "$@" >out 2>err
    is "$? $(wc -c <out) $(head -1 err)" "2 0 $message" "$message"
}
nearly "assay-ci: no option '--metod' (did you mean --method?); see --help" ci --metod t plain.csv
nearly "assay-ci: no option '--valeu' (did you mean --value?); see --help" ci --valeu=y plain.csv
nearly "assay-compare: no option '--base-line' (did you mean --baseline?); see --help" compare --base-line old plain.csv
nearly "assay-ci: no option '--xyzzy'; see --help" ci --xyzzy plain.csv
nearly 'assay-ci: --method gomean: must be one of t, z, ess, geomean, median (did you mean geomean?)' ci --method gomean plain.csv
nearly "assay-hot: no option '--formt' (did you mean --format?); see --help" "$build/libexec/assay/assay-hot" --formt csv x.trace
nearly "assay-info: no option '--formt' (did you mean --format?); see --help" "$build/libexec/assay/assay-info" --formt csv x.trace
nearly "assay-record: no option '--perod' (did you mean --period?); see --help" "$build/libexec/assay/assay-record" --perod 1ms -- true
nearly "assay-inject: no option '--amont' (did you mean --amount?); see --help" "$build/libexec/assay/assay-inject" --amont 3 -- true
nearly "assay-resolve: no option '--quit' (did you mean --quiet?); see --help" "$build/libexec/assay/assay-resolve" --quit x.trace
nearly "assay-plot: no option '--lst' (did you mean --list?); see --help" "$build/libexec/assay/assay-plot" --lst
ci --conf 90 -o --oddly plain.csv
is "$? $(grep -c 'n *mean' ./--oddly)" '0 1' \
    'an abbreviated option, and a file named like an option'

# --- how many runs, and how many more: sd 0.8165, half width 1 % of 2: at least (1.96 · 0.8165 / 0.02)² = 6403 runs ---
printf '1\n2\n3\n2\n' >four.txt
ci --half-width 1% --format json four.txt >out
is "$(json 'r[0]["runs_needed"] - r[0]["more_runs"]') $(json '6403 <= r[0]["runs_needed"] <= 25321')" '4 True' \
    '--half-width 1%: the runs needed, and how many more than the four'
ci --half-width 200% --format json four.txt >out
is "$(json 'r[0]["more_runs"]')" 0 '--half-width 200%: no more runs'

# --- the figures that fit a table ---
plot() { "$build/libexec/assay/assay-plot" "$@"; }
plot "$root/tests/plots/hot.csv" >out 2>err
is "$? $(grep -c '^hot  ' out) $(grep -c '^acf  ' out) $(wc -l <err)" '0 1 0 0' \
    'assay plot TABLE lists the figures that the table has the columns for'
plot - <"$root/tests/plots/acf.csv" >out
is "$(grep -o '^[a-z-]*  ' out | tr -d ' ' | grep -c acf)" 1 '  so does standard input'
plot plain.csv >out 2>err
is "$? $(cat err)" '1 assay-plot: plain.csv: no figure fits; assay plot --list shows the columns that each needs' \
    '  a table without such figures: status 1, and one line'
plot "$root/tests/plots/hot.csv" -o x.pdf >out 2>err
is "$? $(ls x.pdf 2>/dev/null)" '2 ' '  with -o alone: status 2, and nothing is drawn'

# The text of a row names a benchmark or only tells runs apart. The ratio of the means is 1.2425 / 1.0425 = 1.19185.
printf 'run,time\nr1,1.0\nr2,1.1\nr3,1.05\nr4,1.02\n' >labels1.csv
printf 'run,time\nr1,1.2\nr2,1.25\nr3,1.22\nr4,1.3\n' >labels2.csv
for by in '' '--by file'; do
    # shellcheck disable=SC2086
    "$build/libexec/assay/assay-compare" $by --format tsv labels1.csv labels2.csv >out 2>err
    is "$(tail -n +2 out | cut -f 1,3,4,5 | cut -c 1-23 | tr '\t' ' ')" 'labels2.csv 4 4 1.19184' \
        "compare: whole files, ${by:-because the column is named run}"
done
sed 1d labels1.csv >nameless1.csv
sed 1d labels2.csv >nameless2.csv
"$build/libexec/assay/assay-compare" --value 2 --format tsv nameless1.csv nameless2.csv >out 2>err
is "$(tail -n +2 out | cut -f 1,3,4,5 | cut -c 1-25 | tr '\t' ' ')" 'nameless2.csv 4 4 1.19184' \
    'compare: whole files, because the column has no name'
sed 's/run/program/' labels1.csv >names1.csv
sed 's/run/program/' labels2.csv >names2.csv
"$build/libexec/assay/assay-compare" --format tsv names1.csv names2.csv >out 2>err
is "$(tail -n +2 out | cut -f 1 | tr '\n' ';')" 'names2.csv, r1;names2.csv, r2;names2.csv, r3;names2.csv, r4;geomean;' \
    'compare: texts in a column named program are benchmarks'
grep -q 'if it only tells runs apart, --by file compares whole files' err
ok $? '  a message says what to do if they are not'
done_testing
