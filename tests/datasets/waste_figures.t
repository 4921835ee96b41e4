#!/bin/sh
# The figures of the papers about waste: two small programs have tables, published values and figures, a series continues, and
# the tables are calculated correctly from rows made up here.
. "$(dirname "$0")/../tap.sh"
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED
scratch
waste=$root/datasets/waste
published=$root/datasets/published

# The five worst pairs. The reference has a to f with 40 to 2 bytes of 100 (b in two loops); the run lacks d, has e before c, and z.
row() {
    printf '%s\tsilent-load\t%s\t%s\t%s\n' 1 "$1" "$1" "$2"
}
{
    printf 'rank\tkind\tfirst_context\tsecond_context\twasted_bytes\n'
    row a 40 && row b 10 && row b 10 && row c 16 && row d 12 && row e 10 && row f 2
    printf '7\tdead-store\tz\tz\t1000\n'
} >reference
{
    printf 'kind\trank\tfirst_context\tsecond_context\twasted_bytes\n'
    row a 40 | awk -F '\t' -v OFS='\t' '{ print $2, $1, $3, $4, $5 }'
    for pair in b/20 e/15 c/10 z/9 f/6; do
        printf 'silent-load\t1\t%s\t%s\t%s\n' "${pair%/*}" "${pair%/*}" "${pair#*/}"
    done
} >run
# Couples of a b c d e: e before c and e before d are reversed, 8 of 10 are in order: (8 - 2) / 10. Shares change most for d: 12 %.
is "$(awk -F '\t' -v key=k -v kind=silent-load -f "$waste/top-pairs.awk" mark=reference reference mark=run run)" \
    'k,4,5,0.600000,0.980000,12.000000' 'the five worst pairs: how many recur, their order, and the largest change'
is "$(awk -F '\t' -v key=k -v kind=silent-load -f "$waste/top-pairs.awk" mark=reference reference mark=run reference)" \
    'k,5,5,1.000000,0.980000,0.000000' '  of a table with itself: all, in order'

# Redundancy and bursts: a geometric mean of .16 and .64 is .32; one of two intervals contains the full value.
{
    echo program,kind,way,fraction,lo,hi,precise_part,approx_part,bytes,bursts,unseen
    echo p,silent-load,full,.16,,,.12,.04,100,0,
    echo p,silent-load,1M:99M,.25,.2,.3,.2,.05,10,5,0
    echo q,silent-load,full,.64,,,.64,0,100,0,
    echo q,silent-load,1M:99M,.64,.6,.7,.64,0,10,5,0
} >redundancy.csv
printf 'program,kind,percent\np,silent-load,91\n' >published.csv
awk -F, -v table=redundancy -f "$waste/figures-native.awk" published.csv redundancy.csv >table
like table '^\| p \| 16\.0 \(12\.0 \+ 4\.0\) \| - \| 91 \| - \| - \| - \|$' 'redundancy: a program with its parts and the published value'
like table '^\| geometric mean \| 32\.0, of 2 \| - \| 82, of SPEC CPU2006 \|' '  the geometric mean beside the published one'
awk -F, -v table=bursts -v bursts=1M:99M -f "$waste/figures-native.awk" published.csv redundancy.csv >table
like table '^\| p \| silent-load \| 16\.0 \| 25\.0 \[20\.0, 30\.0\] \| \+9\.0 \|$' 'bursts: a program with its interval and the difference'
like table '^\| silent-load \| 1M:99M \| 32\.0, of 2 \| 40\.0, of 2 \| 4\.5 \| 9\.0, p \| 1 of 2 \| 82, 76 \|$' \
    '  geometric means, median and largest difference, and intervals that contain the full value'
# Costs: in round 1 the times are 4 / 0.5 and in round 2 they are 6 / 0.5, so 10; memory 3 both times.
printf '%s\n' round,program,way,cpu_s,peak_kib 1,lbm,none,.5,100 1,lbm,silent-load,4,300 2,lbm,none,.5,100 2,lbm,silent-load,6,300 \
    3,lbm,none,.5 >cost.csv
awk -F, -v rounds=3 -v programs=lbm -v burst=1M:99M -f "$waste/figures-cost.awk" "$published/dissertation-table3.1.csv" cost.csv >table
like table '^\| lbm \| 10\.0 \| 3\.0 \| - \| - \| 4 \| 14 \| 3 \| 1\.15 \|$' 'cost: the medians over rounds beside the published row'
like table '^\| geometric mean \| 10\.0 \| 3\.0 \| - \| - \| 13 \| 17 \| 13 \| 5 \|$' '  geometric means beside the published ones'
# Java: fractions of .5 and .4 are 10 points apart; 20 collections per 1000 samples; 5M / 10M of 20 are 10.
printf '%s\n' program,kind,way,fraction,lo,hi,runs j,silent-load,full,.5,,,1 j,silent-load,1M:19M,.4,.3,.5,2 >java.csv
printf '%s\n' program,kind,way,common,five,tau,covered,largest_change j,silent-load,1M:19M,4,5,.5,.98,12 \
    j,silent-load,1M:19M,5,5,1,.98,3 >top-pairs.csv
printf '%s\n' program,collections,samples,accesses,sampled,collected 'j,20,1000,5000000 10000000,,' >collections.csv
for table in java stability collections; do
    awk -F, -v table=$table -v engine=rewrite -v reference=full -f "$waste/figures-java.awk" java.csv top-pairs.csv collections.csv
done >table
like table '^\| j \| silent-load \| 50\.0 \| 40\.0 \[30\.0, 50\.0\] \| 10\.0 \|$' 'Java: fractions, and their range over ways'
like table '^\| j \| silent-load \| 98\.0 \| - \| 4 5 of 5; 0\.75; 12\.0 \|$' '  the five worst pairs of each run'
like table '^\| j \| 20 \| 1000 \| 2\.0e-02 \| 1\.0e\+01 \| 2\.0e\+01 \|$' '  collections per sample'

for wrong in PROGRAMS=nothing JAVA=nothing SCALE=0 RUNS=0 ROUNDS=x ENGINE=exact BURSTS=1M PERIODS=1ms; do
    env OUT="$scratch/none" "$wrong" "$waste/figures" >tables 2>err
    is "$?/$(wc -l <err)/$([ -e none ]; echo $?)" 2/1/1 "$wrong: status 2 and one line, and nothing is started"
done
if [ ! -e "$build/lib/assay/valgrind" ] || ! command -v valgrind >/dev/null; then
    skip 'no exact tool in this build, or no Valgrind'
    done_testing
    exit
fi
series() {
    ASSAY_BUILD=$build OUT=$scratch/out PROGRAMS=$2 JAVA='' SCALE=0.002 BURSTS=10K:30K ROUNDS=$1 "$waste/figures" >tables 2>err
    status=$?
    is $status 0 "$3"
    [ $status -eq 0 ] || sed 's/^/# /' err
}
series 0 'hoard sha256sum' 'a series of two small programs: status 0'
# An allocation loads the thread's heap twice, which never changes, the free block and three return addresses, 8 bytes each: a
# third is silent.
like tables '^\| hoard \| 3[2-4][.][0-9] \([0-9. +]*\) \| [0-9.]+ .* \| 58 \| - \| [0-9.]+ ' '  redundancy, with the published fraction'
is "$(grep -cE '^\| (hoard|sha256sum) \| (silent-load|spatial-load|dead-store|silent-store) \| [0-9.]+ \| [0-9.]+ \[[0-9., -]*\] \| [-+0-9.]+ \|$' tables)" 8 \
    '  a row for each program and kind in bursts'
is "$(find out -name '*.svg' -size +0 | wc -l)" 3 '  the figures'
touch -r out/native/hoard/waste/series.json stamp
rm -r out/native/hoard/spatial-load
series 1 hoard 'a continued series: status 0'
is "$(find out/native/hoard/waste -newer stamp -name series.json)/$(ls -d out/native/hoard/spatial-load)" /out/native/hoard/spatial-load \
    '  only what is missing is recorded'
is "$(grep -cE '^1,hoard,(none|silent-load|spatial-load),[0-9.]+,[0-9]+$' out/cost.csv)" 3 '  the costs are measured'
ASSAY_BUILD=$build OUT=$scratch/out PROGRAMS=hoard JAVA='' SCALE=0.5 "$waste/figures" >tables 2>err
is "$?/$(cut -d ' ' -f 1-7 err)" "2/figures: $scratch/out holds a series of SCALE=0.002" 'another scale: status 2, and a line says why'
done_testing
