#!/bin/sh
# Two factors: effects against R's, and tables without an answer.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
anova() { "$build/libexec/assay/assay-anova" "$@"; }
json() {
    python3 -c 'import json, sys; d = json.load(open("out")); r, w, n = d["results"], d["warnings"], d["notes"]
print(eval(sys.argv[1]))' "$1"
}
# R: carData's Moore, fcategory by partner.status
{
    echo category,status,conformity
    for cell in 'high,high 19 9 7 11 14 13 10' 'high,low 4 8 13 9 24 7 23 13' 'low,high 21 23 15 12 16' \
        'low,low 8 7 10 6 13 12 7 6 8 12' 'medium,high 12 17 14 16 20 8 14 17 7 17 15' 'medium,low 12 4 4 9'; do
        for value in ${cell#* }; do echo "${cell%% *},$value"; done
    done
} >moore.csv
# R: anova(m), and car 3.1-1: Anova(m, type = 2), Anova(m, type = 3) with contr.sum
anova --factors category,status --format json moore.csv >out 2>err
is "$(json '[(x["effect"], x["type"], x["dof"], round(x["ss"], 8), x["p"] and round(x["p"], 10)) for x in r]')" \
    "[('category', 'II', 2, 11.61470004, 0.7595644735), ('status', 'II', 1, 212.21377778, 0.0028742299), ('category:status', 'II', 2, 175.48892785, 0.0225724418), ('within', None, 39, 817.76396104, None)]" \
    '--factors: type II by default'
is "$(json 'sum("--type makes a difference: type II" in x for x in n)')" 1 '  a note says that cells differ in size'
anova --factors category,status --type 3 --format json moore.csv >out 2>err
is "$(json '[(x["type"], round(x["ss"], 8), round(x["omega2_partial"], 9)) for x in r[1:3]]')" \
    "[('III', 239.56236979, 0.188091643), ('III', 175.48892785, 0.123989487)]" '  type III'
anova --factors category,status --type 1 --format json moore.csv >out 2>err
is "$(json '[round(x["ss"], 8) for x in r[:2]]')" '[3.73333333, 212.21377778]' '  type I'
anova --factors status,category --type 1 --format json moore.csv >out 2>err
is "$(json '[round(x["ss"], 8) for x in r[:2]]')" '[204.33241107, 11.61470004]' '  type I depends on the order'
printf 'a,b,x\n1,1,3\n1,1,5\n1,2,3\n1,2,4\n2,1,4\n2,1,7\n2,2,5\n2,2,6\n' >equal.csv
anova --factors a,b --format json equal.csv >out 2>err
is "$(json '[x["ss"] for x in r], sum("all types of sums of squares agree" in x for x in n)')" '([6.125, 0.125, 0.125, 7.5], 1)' \
    'equal numbers of values: by hand, and a note says that types agree'
grep -v '^2,2' equal.csv | anova --factors a,b >out 2>err
is "$? $(grep -c 'x: no values with a 2 and b 2 (empty cells: 1 of 4)' err)" '1 1' 'an empty cell is named'
grep -v '^2' equal.csv | anova --factors a,b >out 2>err
is "$? $(grep -c 'a has only one level, 1' err)" '1 1' 'a factor of one level is named'
awk -F, '!seen[$1 $2]++' equal.csv | anova --factors a,b >out 2>err
is "$? $(grep -c 'each cell has one value' err)" '1 1' 'one value in each cell is not enough'
for options in '--factors a' '--factors a,a' '--factors a,b --by a' '--factors a,b --pairs tukey' '--type 2' '--factors a,b --type 4'; do
    # shellcheck disable=SC2086
    anova $options equal.csv >out 2>err
    is $? 2 "$options: status 2"
done

# R: dunn.test 1.3.7, dunn.test(x, g, method = "holm", altp = TRUE): z is of first - second there; p.adjust(p, "BH")
{ echo g,x && for x in 27.5 21.0 19.0 23.6 17.0 17.9 16.9 20.1 21.9 22.6; do echo "a,$x"; done
    for x in 27.1 22.0 20.8 23.4; do echo "b,$x"; done
    for x in 23.4 23.5 25.8 22.0 24.8 20.2 21.9 22.1 22.9 40.5; do echo "c,$x"; done; } >uneven.csv
anova --by g --pairs dunn --format json uneven.csv >out 2>err
is "$(json '[[x["first"] + x["second"]] + [round(x[k], 12) for k in ("difference", "z", "p", "p_family")] for x in r]')" \
    "[['ab', 5.4, 1.291689579205, 0.196464667717, 0.392929335434], ['ac', 6.6, 2.088465743021, 0.03675584246, 0.110267527381], ['bc', 1.2, 0.287042128712, 0.77408006283, 0.77408006283]]" \
    '--pairs dunn: adjusted by Holm'
anova --by g --pairs dunn --family bh --format json uneven.csv >out 2>err
is "$(json '[round(x["p_family"], 12) for x in r], sum("Benjamini" in x for x in n)')" \
    '([0.294697001576, 0.110267527381, 0.77408006283], 1)' '  or by Benjamini and Hochberg, as a note says'
anova --by g --pairs tukey --family holm uneven.csv >out 2>err
is $? 2 '  --family with --pairs tukey: status 2'

# The p of a table are a family. R 4.3: p.adjust() of summary(aov(v ~ g)), oneway.test(v ~ g), kruskal.test(v, g)
printf '%s\n' g,x,y,z a,3,1,2 a,5,2,3 a,4,1,5 a,6,3,4 b,7,9,3 b,6,8,2 b,8,9,6 b,5,11,4 c,4,4,5 c,4,5,3 c,6,3,4 c,5,4,2 >metrics.csv
for expected in 'anova holm 0.163245327011 2.4798911e-05 0.96095925568' 'anova bh 0.122433995258 2.4798911e-05 0.96095925568' \
    'welch holm 0.29005423969 0.001112812533 0.970632124147' 'welch bh 0.217540679768 0.001112812533 0.970632124147' \
    'kruskal-wallis holm 0.224291434962 0.023679560467 0.985003691492' 'kruskal-wallis bh 0.168218576222 0.023679560467 0.985003691492'; do
    # shellcheck disable=SC2086
    set -- $expected
    anova --by g --value x,y,z --method "$1" --family "$2" --format json metrics.csv >out 2>err
    is "$(json '" ".join(str(float("%.12f" % x["p_family"])) for x in r), sum("for the 3 tests of this table" in x for x in n)' | tr -d "(,')")" "$3 $4 $5 1" \
        "--method $1 --family $2: the metrics are one family"
done
anova --by g --value x,y,z --family holm --format text metrics.csv >out 2>err
like out '^y .* 8.3e-06  2.5e-05 ' '  the table for readers has both p'
# R: p.adjust(c(0.7595644735, 0.0028742299, 0.0225724418), "holm")
anova --factors category,status --family holm --format json moore.csv >out 2>err
is "$(json '[x["p_family"] and round(x["p_family"], 8) for x in r]')" '[0.75956447, 0.00862269, 0.04514488, None]' \
    '--factors: effects are one family, without the rows of spread'
is "$(json 'sum("for the 3 tests of this table" in x for x in n)')" 1 '  a note says so'
anova --by g --groups --family holm metrics.csv >out 2>err
is $? 2 '--groups has no p to adjust: status 2'

# --- tables of pairs for readers ---
printf '%s\n' g,t a,1 a,2 a,3 b,4 b,5 b,6 c,2 c,3 c,5 >three.csv
anova --by g --pairs tukey three.csv >out
is "$(head -n 1 out | tr -s ' ')" 'metric first second difference p method' '--pairs tukey: an interval is in one column'
like out '^t +a +b +3\.0 ± 3\.1 +0\.0' '  with its half-width'
anova --by g --pairs tukey --digits 2 three.csv >out
like out ' 0\.0[0-9][0-9] +tukey' '--digits rounds p, too'
done_testing
