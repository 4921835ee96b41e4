#!/bin/bash
# assay plot: every figure in every format, its contents, and all errors.
cd "$(dirname "$0")/../.." || exit 1
plot=$PWD/${ASSAY_BUILD:-build}/libexec/assay/assay-plot
data=$PWD/tests/plots
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0

ok() { # STATUS NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
is() { # GOT EXPECTED NAME
    [ "$1" = "$2" ]
    ok $? "$3"
    [ "$1" = "$2" ] || printf '%s\n' "got: $1" "expected: $2" | sed 's/^/# /'
}
contains() { # TEXT PART NAME
    case $1 in *"$2"*) ok 0 "$3" ;; *) ok 1 "$3"; printf '%s\n' "$1" | sed 's/^/# /' ;; esac
}
fails() { # STATUS MESSAGE NAME ARGUMENTS: that status, that line alone, and no file
    local status=$1 message=$2 name=$3 got
    shift 3
    rm -f x.*
    got=$("$plot" "$@" 2>&1 >/dev/null)
    is "$? $got" "$status assay-plot: $message" "$name: status $status and one line"
    is "$(ls -A | grep -c '^x\.')" 0 "  no file is left"
}
bars() { grep -c "<polygon fill = 'rgb($2)'" "$1"; }
blue='  0, 114, 178'
orange='230, 159,   0'

# Every figure in every format, without a message.
figures=$(ls "$data/../../plots" | sed -n '/^style/d; s/\.gp$//p' | LC_ALL=C sort)
for figure in $figures; do
    for format in pdf svg png; do
        is "$("$plot" $figure "$data/$figure.csv" -o $figure.$format 2>&1; echo $?)" 0 \
            "$figure is drawn as $format, without a message"
    done
    is "$(pdfinfo $figure.pdf | awk '/^Pages/ { print $2 }')" 1 "$figure: the PDF has one page"
    is "$(pdfinfo $figure.pdf | awk '/^Page size/ { print $3 }')" 239 "$figure: the PDF fits into a column of 240.2 bp"
    is "$(file -b $figure.png | grep -cE '^PNG image data, 99[78] x ')" 1 "$figure: the PNG has 300 dots per inch"
    xmllint --noout $figure.svg 2>/dev/null || python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse('$figure.svg')"
    ok $? "$figure: the SVG is well-formed XML"
    is "$(pdfinfo $figure.pdf | grep -c CreationDate)" 0 "$figure: the PDF has no date"
    for format in pdf svg png; do
        "$plot" $figure "$data/$figure.csv" -o again.$format && cmp -s $figure.$format again.$format
        ok $? "$figure as $format: drawn again it has the same bytes"
    done
done

# Hot methods: names shortened as far as they stay distinct, and a bar for each method and clock.
text=$(pdftotext -layout hot.pdf -)
for name in JavaParser.jj_scan_token a.Parser.parse b.Parser.parse HashMap.put random safepoint 'Share of samples (%)' \
    'mean and interval of 30 runs'; do
    contains "$text" "$name" "hot: the PDF has $name"
    grep -qF ">$name<" hot.svg
    ok $? "hot: the SVG has $name"
done
is "$(bars hot.svg "$blue")" 4 "hot: three bars of the first clock, and its key"
is "$(bars hot.svg "$orange")" 3 "hot: two bars of the second clock, and its key"
is "$(grep -c '<text>–</text>' hot.svg)" 3 "hot: a dash where a clock does not list the method"
order=$(grep -oE '>(JavaParser.jj_scan_token|[ab].Parser.parse|HashMap.put)<' hot.svg | tr -d '<>' | tr '\n' ' ')
is "$order" "a.Parser.parse JavaParser.jj_scan_token HashMap.put b.Parser.parse " \
    "hot: methods are ordered by their largest share of any clock"

# One run: bars without intervals; CSV, TSV and JSON are the same figure.
for format in csv tsv json; do
    "$plot" hot "$data/hot-one-run.$format" -o one-$format.svg
    ok $? "hot: a table in $format is drawn"
done
cmp -s one-csv.svg one-tsv.svg && cmp -s one-csv.svg one-json.svg
ok $? "hot: CSV, TSV and JSON give the same figure"
is "$(bars one-csv.svg "$blue")" 2 "hot: one series has two bars and no key"
grep -q '>one run<' one-csv.svg
ok $? "hot: the figure says that it shows one run"
"$plot" hot - -o - --type svg <"$data/hot-one-run.csv" | cmp -s - one-csv.svg
ok $? "hot: from standard input to standard output"

# More methods than the figure shows: reported on standard error and in the figure.
is "$("$plot" hot "$data/hot-twenty.csv" --other 0 -o cut.svg 2>&1)" "assay-plot: the figure shows 12 of 20 methods" \
    "hot: a line says how many methods are shown"
is "$(bars cut.svg "$blue")" 12 "hot: it has twelve bars"
grep -q '>12 of 20 methods<' cut.svg
ok $? "hot: the figure says so, too"
is "$("$plot" hot "$data/hot-twenty.csv" --top 20 -o all.svg 2>&1)" "" "hot --top 20: no message"
is "$(bars all.svg "$blue")" 20 "hot --top 20: twenty bars"
is "$("$plot" hot "$data/hot-twenty.csv" --other 0 -q -o cut.svg 2>&1)" "" "hot -q: no message"

# Several tables side by side.
"$plot" hot first="$data/hot-one-run.csv" "$data/hot-one-run.tsv" --title 'Two tables' -o two.svg
ok $? "hot: two tables are drawn side by side"
for name in first hot-one-run 'Two tables' Spin.hot Spin.cold; do
    is "$(grep -cF ">$name<" two.svg)" 1 "hot of two tables: the figure has $name once"
done
is "$(bars two.svg "$blue") $(bars two.svg "$orange")" "3 3" "hot of two tables: each has two bars and a key"

# Names with a meaning to gnuplot, a shell or XML.
is "$("$plot" hot "$data/hot-odd-names.csv" -o odd.svg 2>&1; echo $?)" 0 "hot: odd names are drawn without a message"
[ ! -e injected ]
ok $? "hot: no name is run as a command"
for name in '`touch injected`.x' '"quoted".y' 'Größe.ändern' '%d%s.percent' '&lt;b>&amp;.markup'; do
    grep -qF "$name" odd.svg
    ok $? "hot: $name appears unchanged"
done

# Autocorrelation: a panel per clock, stems within and beyond the bounds, no lag 0.
text=$(pdftotext -layout acf.pdf -)
for part in random safepoint '1 of 20 beyond the bounds' '2 of 20 beyond the bounds' Lag Autocorrelation; do
    contains "$text" "$part" "acf: the PDF has $part"
done
stems() { # COLOUR PANEL
    tr '\n' ' ' <acf.svg | sed 's/<path/\n<path/g' | grep "^<path stroke='rgb($1)'  d=" | sed -n "$2p" |
        grep -oE 'M[0-9.]+,[0-9.]+ +L' | wc -l
}
is "$(stems "$blue" 1) $(stems "$blue" 2)" "19 18" "acf: stems within the bounds"
is "$(stems '213,  94,   0' 1) $(stems '213,  94,   0' 2)" "1 2" "acf: stems beyond the bounds"
is "$(grep -c "stroke='rgb(  0,   0,   0)' stroke-dasharray" acf.svg)" 4 "acf: each panel has two dashed bounds"
is "$(grep -c '<text>0.2</text>' acf.svg) $(grep -c '<text>-0.2</text>' acf.svg)" "1 1" \
    "acf: all panels have the same symmetric scale"
# Histories: a mark for each change, commits and steps.
text=$(pdftotext -layout history.pdf -)
for part in parse emit Commit '60 commits; 2 changes; bars: intervals, or the range of the runs'; do
    contains "$text" "$part" "history: the PDF has $part"
done
sed '1s/,lo,hi,level,change//; s/^\([^,]*,[^,]*,[^,]*\),.*/\1/' "$data/history.csv" >bare-history.csv
"$plot" history bare-history.csv -o bare-history.svg && grep -q '>60 commits<' bare-history.svg
ok $? "history: a table of values alone is drawn, too"

# Warm-up: strips with shaded steady states, from the eleventh iteration of 40 on, and all of them.
text=$(pdftotext -layout warmup.pdf -)
for part in 'run 1' 'run 3' warm-up flat 'no steady state' Iteration 'shaded: steady state' 'red: outliers' \
    'triangles: beyond the scale'; do
    contains "$text" "$part" "warmup: the PDF has $part"
done
is "$(tr '\n' ' ' <warmup.svg | grep -oE "<polygon fill = 'rgb\(228, 238, 246\)' points = '[^']*'" | sed "s/.*points = '//; s/'//" |
    awk '{ low = 1e9; high = 0
           for (i = 1; i <= NF; i++) { split($i, at, ","); if (at[1] < low) low = at[1]; if (at[1] > high) high = at[1] }
           printf "%s%.2f", separator, high - low; separator = " " }' |
    awk '{ printf "%d %.2f", NF, $1 / $2 }')" '2 0.75' \
    "warmup: two are shaded, 30 iterations and 40"
cut -d, -f1,3,4 "$data/warmup.csv" >bare-warmup.csv
"$plot" warmup bare-warmup.csv -o bare-warmup.svg
is "$? $(grep -c 'rgb(228, 238, 246)' bare-warmup.svg)" '0 0' "warmup: a table of iterations alone is drawn, too"

grep -v ',random,' "$data/acf.csv" >one-clock.csv
"$plot" acf one-clock.csv -o one-clock.svg && grep -q '>safepoint<' one-clock.svg
ok $? "acf: a single clock is drawn"
cut -d, -f4,5 one-clock.csv >bare.csv
is "$("$plot" acf bare.csv -o bare.svg 2>&1; grep -c stroke-dasharray bare.svg)" 0 \
    "acf: a table without bounds and names has no bounds"

# The extent along x: "left right" of each polygon of a colour.
extents() { # FILE COLOUR
    tr '\n' ' ' <"$1" | grep -oE "<polygon fill = 'rgb\($2\)'[^>]*points = '[^']*'" | sed "s/.*points = '//; s/'//" |
        awk '{ low = 1e9; high = -1e9
               for (i = 1; i <= NF; i++) { split($i, at, ","); if (at[1] < low) low = at[1]; if (at[1] > high) high = at[1] }
               print low, high }'
}
says() { # FILE TEXT...: each once
    local file=$1 text
    shift
    for text; do is "$(grep -cF ">$text<" "$file")" 1 "$file has '$text' once"; done
}
# The lengths of polygons as multiples of the first; the squares of legends are skipped.
ratios() { extents "$1" "$2" | awk -v skip="${3:-0}" 'NR > skip { if (!first) first = $2 - $1; printf "%.2f ", ($2 - $1) / first }'; }

# Bars begin at 0 on either side and are as long as the mean; a dash stands for no value.
says bars.svg 'pmd 4.2.5' 'fop -fo test.fo' '100% luindex' random safepoint Mean 'mean and interval (t); n = 1 to 30; 1 without interval'
is "$(bars bars.svg "$blue") $(bars bars.svg "$orange")" "4 3" \
    "bars: one per row, and a square for each series in the legend"
is "$(ratios bars.svg "$blue" 1)" "1.00 0.50 0.00 " "bars: lengths of 10, −5 and 0"
is "$(ratios bars.svg "$orange" 1)" "1.00 0.75 " "bars: lengths of 20 and 15"
is "$(extents bars.svg "$blue" | awk 'NR == 2 { zero = $1 } NR == 3 { print (zero - $2) ^ 2 < 0.1 }')" 1 "bars: −5 ends where 10 begins"
is "$(grep -c '<text>–</text>' bars.svg)" 1 "bars: a dash where a series has no mean"

# Waste: the approximate part of a bar is light and at the end; there is none if it is zero or its column is absent.
"$plot" waste "$data/waste-parts.csv" -o parts.svg
says parts.svg 'light: floating-point values, within a tolerance;'
green='  0, 158, 115'
is "$(ratios parts.svg "$blue" 1)" "1.00 2.00 " "waste: lengths of 6.25 % precise and 12.5 % approximate"
is "$(ratios parts.svg "$green" 1)" "1.00 0.40 0.67 " \
    "waste: lengths of 75 % precise, then 30 % precise and 50 % approximate"
is "$(extents parts.svg "$green" | awk 'NR == 3 { end = $2 } NR == 4 { print ($1 - end) ^ 2 < 0.1 }')" 1 \
    "waste: the light part begins where the precise one ends"
is "$(grep -c fill-opacity parts.svg) $(grep -c fill-opacity waste.svg)" "2 0" \
    "waste: two light parts, none without the column"
is "$(grep -c 'light:' waste.svg)" 0 "waste: without the column there is no legend of light parts"
sed 's/,0\.125$/,many/' "$data/waste-parts.csv" >parts.csv
contains "$("$plot" waste parts.csv -o x.svg 2>&1)" "the approx_part 'many' is not a number" \
    "waste: a part that is not a number is refused"

# Misses: what the plan takes away is light, what it adds is an open box beyond.
says misses.svg 'simulated; light: what the plan takes away; open: what the plan adds'
"$plot" misses "$data/misses.csv" --width 8.5 -o misses.svg
is "$(ratios misses.svg "$blue" 1)" "1.00 0.80 8.00 3.00 " \
    "misses: lengths of 1.25 and 1 per 1000 with the plan, then light ones of 10 and 3.75"
is "$(extents misses.svg "$blue" | awk 'NR == 1 { end = $2 } NR == 4 { print ($1 - end) ^ 2 < 0.1 }')" 1 \
    "misses: the light part begins where the misses with the plan end"

"$plot" bars "$data/bars.csv" --column mean=median --x-label 'Time (ms)' -o median.svg
says median.svg 'Time (ms)' 'median and interval (t); n = 1 to 30; 1 without interval'
"$plot" bars "$data/bars.csv" --column mean=median -o median.svg
says median.svg median
"$plot" bars "$data/bars.csv" --by clock,program -o turned.svg
is "$(bars turned.svg "$blue") $(bars turned.svg "$orange")" "3 3" "bars --by clock,program: programs are the series"
"$plot" bars a="$data/bars.csv" b="$data/bars.csv" --by program,clock -o tables.svg
says tables.svg 'random, a' 'safepoint, b'
"$plot" bars "$data/bars.csv" --by program -o repeated.svg
is "$(bars repeated.svg "$blue")" 5 "bars: a name that occurs twice has two bars"
printf 'name,mean\na,2e6\nb,12e6\n' >millions.csv
"$plot" bars millions.csv -o millions.svg
says millions.svg 10 'Mean (×10⁶)'

# Ratios: bars begin at 1; the axis is logarithmic if they are far apart.
says ratios.svg 'with cache' 'Ratio to plain' 'ratio and interval (welch); n = 10; n of the baseline = 12'
is "$(ratios ratios.svg "$blue")" "1.00 2.00 0.00 " "ratios: lengths of 0.5, 2 and 1"
is "$(extents ratios.svg "$blue" | awk 'NR == 1 { one = $2 } NR == 2 { print (one - $1) ^ 2 < 0.1 }')" 1 \
    "ratios: bars on both sides begin at 1"
printf 'name,ratio\na,0.01\nb,100\n' >far.csv
"$plot" ratios far.csv -o far.svg
is "$(ratios far.svg "$blue")" "1.00 1.00 " "ratios: 0.01 is as far from 1 as 100 is"
says far.svg 'ratio; logarithmic axis' Ratio

# Boxes: 2·√(32/7), 2·√50, none and none long; quartiles 26 to 76 and 300 to 500, each with one value beyond.
says boxplot.svg main gc 'one value' constant blank Value 'line: mean; box: ±1 sd; points: values beyond; n = 1 to 8 each;' \
    'no box of one value (1); 1 left out, blank or infinite'
is "$(ratios boxplot.svg "$blue")" "1.00 3.31 0.00 " "boxplot: lengths of sd 2.138, 7.071 and 0; one value has no box"
is "$(grep -c '<text>–</text>' boxplot.svg)" 1 "boxplot: a dash where there is no value"
circles() { grep -c "xlink:href='#gpPt5' transform" "$1"; }
is "$(circles boxplot.svg)" 2 "boxplot: two points beyond the boxes"
is "$(ratios boxplot-tukey.svg "$blue")" "1.00 4.00 " "boxplot-tukey: lengths of quartiles 50 and 200 apart"
is "$(circles boxplot-tukey.svg)" 2 "boxplot-tukey: two points beyond the whiskers"

# Phases: bars of CoV, boxes that summarize many values, and the plane of thresholds.
says phases-cov.svg jess jack CPI 'Overall CoV, weighted by time'
is "$(ratios phases-cov.svg "$blue" 1)" "1.00 3.00 " "phases-cov: lengths of 0.1 and 0.3"
says phases-boxes.svg TransactionManager.go 'garbage collector' 'n = 1 to 500; no box of one value (1)'
is "$(ratios phases-boxes.svg "$blue")" "1.00 0.20 " "phases-boxes: lengths of sd 0.5 and 0.1"
is "$(circles phases-boxes.svg)" 2 "phases-boxes: two points beyond, none at the box of all values"
says phases-timeline.svg main worker read sort 'filled: in a phase, by the innermost one'
is "$(grep -c '>main<' phases-timeline.svg) $(ratios phases-timeline.svg "$blue" 1)" '1 1.00 1.00 ' \
    'phases-timeline: a row per thread, whose parts are as wide as their bins'
says phases-plane.svg '50 %' 'Threshold of the total share' 'above: number of phases, below: estimated overhead (%)'
says boxplot-tukey.svg "R's example" 'line: median; box: quartiles; whiskers: within 1.5 box lengths;' 'points: values beyond; n = 5 to 101 each'
awk 'BEGIN { print "name,value"; for (i = 0; i < 100; i++) print "a," i / 100; print "a,1e9\na,-1e9" }' >cut-axis.csv
"$plot" boxplot-tukey cut-axis.csv -o cut-axis.svg
says cut-axis.svg '← 1' '1 →' 'points: values beyond; n = 102; 2 values beyond the axis'
awk 'BEGIN { srand(1); print "name,value"; for (i = 0; i < 100000; i++) print "a," rand() }' >many.csv
"$plot" boxplot many.csv -o many.svg
is "$([ "$(circles many.svg)" -lt 1000 ]; echo $?) $(grep -c 'n = 100000<' many.svg)" "0 1" \
    "boxplot: 100,000 values are drawn with fewer than 1000 points"

# Points, each series with a line; the shapes of points differ.
says scatter.svg 'hprof: slope 1.00 ± 0.00' 'xprof: slope 0.00 ± 0.37' 'actionable: slope 1' x y '10 points'
is "$(grep -c "xlink:href='#gpPt6'" scatter.svg) $(grep -c "xlink:href='#gpPt8'" scatter.svg)" "6 6" \
    "scatter: each series has five points and one in the legend"
cut -d, -f1-3 "$data/scatter.csv" >points.csv
"$plot" scatter points.csv --column x=y --column y=x -o points.svg
is "$(grep -c "xlink:href='#gpPt6'" points.svg)" 6 "scatter --column: points without lines, x and y swapped"
says points.svg hprof xprof
printf 'x,y,fit\n1,1,\n2,2,\n3,,\n,4,\n0,,0\n4,,4\n' >left-out.csv
"$plot" scatter left-out.csv -o left-out.svg
says left-out.svg '2 points; 2 without x or y left out'

# Stacked shares: their ends and labels.
says stacked.svg compress jack db application 'garbage collector' compiler other 'Share (%)' 89 54 92 42
is "$(extents stacked.svg "$blue" | awk 'NR > 1 { printf "%.3f ", ($2 - $1) / first; next } END { print "" }' first="$(
    extents stacked.svg "$blue" | awk 'NR == 2 { printf "%.9f", ($2 - $1) / 0.89136 }')")" "0.891 0.539 0.922 " \
        "stacked: lengths of the shares"
is "$( (extents stacked.svg "$blue"; extents stacked.svg "$orange") | awk 'NR == 3 { end = $2 } NR == 7 { print ($1 - end) ^ 2 < 0.1 }')" 1 \
    "stacked: a part begins where the previous one ends"
printf 'part,share\na,0.75\nb,0.75\n' >over.csv
"$plot" stacked over.csv -o over.svg
says over.svg 'one bar has more than 100 %'

# The table of autocorrelation of any series.
"$plot" acf "$data/acf-general.csv" -o general.svg
says general.svg time misses
is "$(grep -c '<text>1 of 2 beyond the bounds</text>' general.svg)" 2 "acf: each series of a general table has a panel"

# Size.
"$plot" acf "$data/acf.csv" --width 17 --height 6 -o wide.pdf
is "$(pdfinfo wide.pdf | awk '/^Page size/ { print int($3 / 72 * 2.54 + 0.5), int($5 / 72 * 2.54 + 0.5) }')" "17 6" \
    "--width and --height set the size in cm"

is "$("$plot" bars "$data/bars.csv" --width 5 --height 3 -o small.svg 2>&1; echo $?)" 0 \
    "bars: 5 cm by 3 cm are large enough"
awk 'BEGIN { print "name,mean"; for (i = 1; i <= 40; i++) print i "," i }' >forty.csv
contains "$("$plot" bars forty.csv --height 4 -o small.svg 2>&1)" "the height must be 11." \
    "bars: forty names do not fit into 4 cm, and the line says what does"

# Errors.
good=$data/hot.csv
: >empty.csv
echo method,share >header.csv
printf 'a,b\n1,2\n' >other.csv
printf 'method,share\nm,many\n' >word.csv
printf 'method,share\nm,\n' >blank.csv
printf 'method,share\n"m,1\n' >quote.csv
printf 'method,share\nm,1,2\n' >ragged.csv
printf '{"results": [{"method": "m"' >broken.json
printf '{"result": []}' >results.json
printf 'method\0share' >binary.csv
there_are=$(echo $figures | sed 's/ /, /g')
fails 2 "no figure 'nope'; there are: $there_are" "an unknown figure" nope "$good" -o x.pdf
fails 2 "no figure '../plots/hot'; there are: $there_are" "a path is not a figure" ../plots/hot "$good" -o x.pdf
fails 2 "no figure 'style'; there are: $there_are" "style is not a figure" style "$good" -o x.pdf
fails 2 "x.gif: the suffix must be .pdf, .svg, .png, .tex or .gp" "an unknown suffix" hot "$good" -o x.gif
fails 2 "x.: the suffix must be .pdf, .svg, .png, .tex or .gp" "an empty suffix" hot "$good" -o x.
fails 2 "no table: assay plot hot TABLE -o FILE" "no table" hot -o x.pdf
fails 2 "name a figure and a table (assay plot --list shows the figures)" "no arguments"
fails 2 "figure 'acf' has no order by which to take the top rows" "--top for acf" acf "$data/acf.csv" --top 3 -o x.pdf
fails 2 "the width must be 3 to 100 cm, not '1e9'" "--width 1e9" hot "$good" --width 1e9 -o x.pdf
fails 2 "the height must be 3 to 100 cm, not 'nan'" "--height nan" hot "$good" --height nan -o x.pdf
fails 2 "--top must be a whole number of at least 1, not '0'" "--top 0" hot "$good" --top 0 -o x.pdf
fails 2 "the type must be pdf, svg, png, tex or gp, not 'eps'" "--type eps" hot "$good" --type eps -o x.pdf
fails 1 "none.csv: No such file or directory" "a missing table" hot none.csv -o x.pdf
fails 1 "none.csv: No such file or directory" "a missing table with a label" hot a="$good" b=none.csv -o x.pdf
fails 1 "empty.csv: is empty, without even a header line" "an empty table" hot empty.csv -o x.pdf
fails 1 "header.csv: has a header but no rows" "a header without rows" hot header.csv -o x.pdf
fails 1 "other.csv: lacks the columns method, share; it has: a, b" "hot without its columns" hot other.csv -o x.pdf
fails 1 "other.csv: lacks the column mean; it has: a, b" "bars without means" bars other.csv -o x.pdf
fails 1 "other.csv: lacks the column ratio; it has: a, b" "ratios without ratios" ratios other.csv -o x.pdf
fails 1 "other.csv: lacks the column value; it has: a, b" "boxplot without values" boxplot other.csv -o x.pdf
fails 1 "other.csv: lacks the columns x, y; it has: a, b" "scatter without x and y" scatter other.csv -o x.pdf
fails 1 "other.csv: lacks the columns part, share; it has: a, b" "stacked without shares" stacked other.csv -o x.pdf
fails 1 "other.csv: lacks the column c; it has: a, b" \
    "--column with an unknown column" bars other.csv --column mean=c -o x.pdf
fails 1 "other.csv: lacks the column c; it has: mean, b" \
    "--by with an unknown column" bars other.csv --column mean=a --by c -o x.pdf
fails 2 "other.csv: ',b' is not a comma-separated list of 1 to 16 columns" \
    "--by with an empty name" bars other.csv -c mean=a --by ,b -o x.pdf
fails 2 "--column takes NAME=COLUMN, not 'mean'" "--column without a name" bars other.csv --column mean -o x.pdf
for figure in bars ratios boxplot boxplot-tukey; do
    printf 'name,mean,ratio,value\na,,,\nb,-,,nan\n' >void.csv
    fails 1 "void.csv: has no row with all values that the figure needs" \
        "$figure of blank values" $figure void.csv -o x.pdf
    fails 1 "empty.csv: is empty, without even a header line" "$figure of an empty table" $figure empty.csv -o x.pdf
done
printf 'x,y\n1,\n,2\n' >halves.csv
fails 1 "halves.csv: has no row with all values that the figure needs" \
    "scatter without a whole point" scatter halves.csv -o x.pdf
printf 'name,part,share\na,b,73.3\n' >percent.csv
fails 1 "percent.csv: row 1: the share 73.3 is not between 0 and 1" \
    "stacked shares in percent" stacked percent.csv -o x.pdf
printf 'name,value\na,1.7e308\na,-1.7e308\n' >huge.csv
fails 1 "huge.csv: row 1: the value 1.7e308 is too large to be drawn" \
    "values that are too large" boxplot huge.csv -o x.pdf
fails 1 "word.csv: row 1: the share 'many' is not a number" "a cell that is not a number" hot word.csv -o x.pdf
fails 1 "blank.csv: has no row with all values that the figure needs" "no value to draw" hot blank.csv -o x.pdf
fails 1 "quote.csv: line 2: a quote is not closed" "an unclosed quote" hot quote.csv -o x.pdf
fails 1 "ragged.csv: line 2 has 3 cells, but the header has 2" "a row with too many cells" hot ragged.csv -o x.pdf
fails 1 "results.json: JSON without an array 'results'" "JSON without results" hot results.json -o x.pdf
fails 1 "binary.csv: is not text" "a binary file" hot binary.csv -o x.pdf
fails 1 "none/x.pdf: No such file or directory" "a missing directory" hot "$good" -o none/x.pdf
fails 1 "/dev/full: No space left on device" "a full disk" hot "$good" -o /dev/full
contains "$("$plot" hot broken.json -o x.pdf 2>&1)" "broken.json: line 1: bad JSON: " "bad JSON: the line says where"
is "$("$plot" hot "$good" 2>&1 >/dev/full; echo $?)" "assay-plot: standard output: No space left on device
1" "a full standard output: status 1 and one line"
is "$("$plot" --list 2>&1 >/dev/full; echo $?)" "assay-plot: standard output: No space left on device
1" "--list to a full standard output: status 1 and one line"
is "$(PATH=/nonexistent "$plot" hot "$good" -o x.pdf 2>&1; echo $?)" \
    "assay-plot: gnuplot is not installed (Debian: apt-get install gnuplot-nox)
1" "without gnuplot: status 1, and the line says how to install it"

# An existing figure stays until the new one is complete; links, modes and devices are kept.
echo old >kept.svg
"$plot" hot header.csv -o kept.svg 2>/dev/null
is "$(cat kept.svg)" old "an old figure stays if no new one is drawn"
chmod 640 kept.svg
ln -s kept.svg link.svg
"$plot" hot "$good" -o link.svg
is "$([ -L link.svg ] && stat -c %a kept.svg)" 640 "a figure is written through a link and keeps the file's mode"
cmp -s kept.svg hot.svg
ok $? "  the file is the figure"
"$plot" hot "$good" -o /dev/null
is "$? $(stat -c %F /dev/null)" "0 character special file" "a device stays a device"
is "$(ls -A | grep -cE '\.(pdf|svg|png)\.')" 0 "no temporary file is left"

# A figure is a file in plots/; errors in it are reported.
mkdir -p copy/libexec/assay copy/share/assay
cp "$plot" copy/libexec/assay
cp -r "$OLDPWD/plots" copy/share/assay
echo 'fnord = undefined_thing' | cat copy/share/assay/plots/hot.gp - >copy/share/assay/plots/broken.gp
printf '# figure: Nothing.\n# needs: share\n' >copy/share/assay/plots/nothing.gp
echo 'plot x' >copy/share/assay/plots/wordless.gp
plot=$PWD/copy/libexec/assay/assay-plot
contains "$("$plot" broken "$good" -o x.pdf 2>&1)" "undefined variable: undefined_thing" \
    "an error in a recipe: gnuplot's message is passed on"
is "$("$plot" nothing "$good" -o x.svg 2>&1; echo $?)" "assay-plot: gnuplot drew nothing; does it have the svg terminal?
1" "a recipe that draws nothing: status 1 and one line"
contains "$("$plot" wordless "$good" -o x.svg 2>&1)" "no line '# figure: …' at its top" \
    "a recipe without its first line is refused"
rm copy/share/assay/plots/wordless.gp
contains "$("$plot" --list)" "nothing        Nothing." "a new file in plots/ is a new figure"
is "$(ls -A | grep -c '^x\.')" 0 "none of these recipes leaves a file"
rm -r copy/share
contains "$("$plot" --list 2>&1)" "share/assay/plots: No such file or directory" \
    "without plots/: the line names the folder"

echo "1..$number"
