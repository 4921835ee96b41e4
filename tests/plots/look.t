#!/bin/bash
# How a figure looks: the options that assay plot and every program with --plot share, and figures for LaTeX and gnuplot.
. "$(dirname "$0")/../tap.sh"
scratch
plot=$build/libexec/assay/assay-plot
data=$root/tests/plots

# rows FILE: the names of rows from top to bottom, in a list
rows() { grep -oE '<text>[a-z]+</text>' "$1" | sed 's/<[^>]*>//g' | tr '\n' ' '; }
# refuses STATUS MESSAGE WHAT ARGUMENT...
refuses() {
    status=$1 message=$2 what=$3
    shift 3
    is "$("$@" 2>&1 >/dev/null; echo $?)" "$message
$status" "$what"
}
# page FILE: width and height of the PDF in points
page() { pdfinfo "$1" | awk '/^Page size/ { print $3, $5 }'; }
bars() { grep -c "<polygon fill = 'rgb($2)'" "$1"; }

printf 'method,share\nbig,0.6\nmiddle,0.3\nsmall,0.05\ntiny,0.009\nspeck,0.006\ndot,0.003\n' >few.csv

# Small shares are one bar: 0.9 + 0.6 + 0.3 = 1.8 %, 3 % of the largest bar.
"$plot" hot few.csv -o few.svg
is "$(rows few.svg)" 'big middle small ' 'shares below 1 % have no bars of their own'
like few.svg '>other \(3 methods\)<' '  but one together, which says how many they are'
is "$(tr '\n' ' ' <few.svg | grep -oE "<polygon fill = 'rgb\(  0, 114, 178\)'[^>]*points = '[^']*'" | sed "s/.*points = '//; s/'//" | awk '
    { low = 1e9; high = 0; for (i = 1; i <= NF; i++) { split($i, at, ","); if (at[1] < low) low = at[1]; if (at[1] > high) high = at[1] } }
    NR == 1 { first = high - low } NR == 4 { printf "%.2f", (high - low) / first }')" 0.03 '  as long as their sum'
"$plot" hot few.csv --other 0 -o few.svg
is "$(rows few.svg)" 'big middle small tiny speck dot ' '--other 0: each has its own bar'
"$plot" hot few.csv --other 10% -o few.svg
is "$(rows few.svg) $(grep -c '>other (4 methods)<' few.svg)" 'big middle  1' '--other 10%: those below 10 % are one'
"$plot" hot few.csv --other 0.5 -o few.svg
is "$(rows few.svg)" 'big middle small tiny speck dot ' '  a single one keeps its name'
"$plot" hot few.csv --top 2 -o few.svg 2>err
is "$(rows few.svg) $(grep -c '>other (4 methods)<' few.svg) $(cat err)" 'big middle  1 ' '--top 2: those beyond are one, too'

# Order and labels.
sed '1s/.*/name,mean/' few.csv >named.csv
"$plot" bars named.csv --order name -o order.svg
is "$(rows order.svg)" 'big dot middle small speck tiny mean ' '--order name: in the order of names'
"$plot" hot few.csv --order table --other 0 -o order.svg
is "$(rows order.svg)" 'big middle small tiny speck dot ' '--order table: as in the table'
"$plot" hot few.csv --order dot,small -o order.svg
is "$(rows order.svg)" 'dot small big middle ' '--order NAME,…: these first, whatever their values'
"$plot" bars "$data/bars.csv" --order safepoint -o order.svg
is "$(grep -oE '>(random|safepoint)<' order.svg | tr -d '<>' | tr '\n' ' ')" 'safepoint random ' '  series, too'
printf 'method,share\na.b.C.run(int),0.6\na.b.D.run(),0.3\n' >methods.csv
"$plot" hot methods.csv --order D.run --labels 'C.run=the worker, in C,a.b.D.run()=main' -o labels.svg
is "$(grep -oE '<text>(main|the worker, in C)<' labels.svg | tr '\n' ' ')" '<text>main< <text>the worker, in C< ' \
    'a method is found by the end of its name; a label may have a comma'
"$plot" bars "$data/bars.csv" --labels 'random=Random clock' -o labels.svg
like labels.svg '>Random clock<' '--labels: a series has another name in the legend'
"$plot" hot methods.csv --labels full -o labels.svg
like labels.svg '>a.b.C.run\(int\)<' '--labels full: names are not shortened'
refuses 2 "assay-plot: no row or series is called 'bgi'" 'an unknown name in --order is refused' \
    "$plot" hot few.csv --order bgi -o x.svg
refuses 2 "assay-plot: no row or series is called 'bgi'" '  and in --labels' "$plot" hot few.csv --labels bgi=x -o x.svg

# Size, font and colours. A column of ACM's papers is 241.1 pt wide, 240.2 of PDF's points.
for size in '10=283 ' '4in=288 ' '100mm=283 ' '300pt=298 ' 'column=239 ' 'two-column=501 '; do
    "$plot" hot few.csv --width "${size%=*}" -o size.pdf
    like <(page size.pdf) "^${size#*=}" "--width ${size%=*}"
done
"$plot" hot few.csv -o seven.pdf
"$plot" hot few.csv --width 16.9 --font-size 14 -o fourteen.pdf
is "$(echo "$(page seven.pdf) $(page fourteen.pdf)" | awk '{ print ($3 - 2 * $1) ^ 2 <= 4, ($4 - 2 * $2) ^ 2 <= 4 }')" '1 1' \
    'twice the width with twice the size of text is twice as high'
"$plot" hot few.csv --font 'DejaVu Serif' -o serif.svg
like serif.svg 'font-family="DejaVu Serif"' '--font: the text is in this font'
"$plot" hot "$data/hot.csv" --colors '#102030,grey' -o colours.svg
is "$(bars colours.svg ' 16,  32,  48') $(bars colours.svg '128, 128, 128')" '4 3' '--colors: each series has its colour'
"$plot" hot "$data/hot.csv" --no-notes --legend none -o bare.svg
is "$(grep -cE '>(random|safepoint|mean and interval of 30 runs)<' bare.svg)" 0 '--no-notes, --legend none: neither'
"$plot" hot "$data/hot.csv" --legend below -o below.svg
is "$(awk '/translate/ { split($0, at, /[(,)]/); y = at[3] } />random</ { legend = y } />Share of samples/ { label = y } END { print(legend > label) }' below.svg)" \
    1 '--legend below: it is below the axis'

# Axes: what they do not show is counted.
printf 'name,mean\na,0.001\nb,1\nc,1000\nd,0\n' >decades.csv
"$plot" bars decades.csv --log x -o log.svg
for text in 0.001 1 1000 'mean; logarithmic axis; 1 not above 0 left out'; do
    like log.svg ">$text<" "--log x: the figure has '$text'"
done
"$plot" bars decades.csv --range 0.5:10 -o range.svg
for text in '1000 →' '← 0.001' 'mean; 3 beyond the axis'; do
    like range.svg ">$text<" "--range: the figure has '$text'"
done
"$plot" scatter "$data/scatter.csv" --log xy --range x=1:4 --range y=:3 -o axes.svg
like axes.svg '10 points; logarithmic axes; 2 not above 0 left out; 4 beyond the axes<' 'scatter: two logarithmic axes with ranges'
"$plot" boxplot "$data/boxplot.csv" --log x -o log.svg
like log.svg '>1 value beyond the axis<' 'boxplot --log x: a value of 0 is counted'
refuses 2 "assay-plot: figure 'acf' has no x axis for --log" 'an axis that cannot be logarithmic is refused' \
    "$plot" acf "$data/acf.csv" --log x -o x.svg
refuses 2 "assay-plot: figure 'hot' has no y axis for --range" '  and one that cannot have a range' \
    "$plot" hot few.csv --range y=1:2 -o x.svg
refuses 1 'assay-plot: gnuplot: line '"$("$plot" bars decades.csv --range 5000: -o x.svg 2>&1 | grep -oE '[0-9]+: .*')" \
    'a range beyond all values is refused' "$plot" bars decades.csv --range 5000: -o x.svg

# Bad usage: one line each.
for bad in '--width=2=the width must be 3 to 100 cm, not '"'2'" '--font-size=1=--font-size must be a number from 4 to 30, not '"'1'" \
    '--log=z=--log must be x, y or xy, not '"'z'" '--legend=left=--legend must be above, below or none, not '"'left'" \
    '--range=2:1=--range takes LOW:HIGH, x=LOW:HIGH or y=LOW:HIGH, not '"'2:1'" '--labels=a=--labels takes NAME=TEXT,... or full, not '"'a'" \
    "--font=a'b=--font takes the name of a font, not 'a'b'"; do
    option=${bad#--} option=${option%%=*} rest=${bad#--*=} value=${rest%%=*}
    refuses 2 "assay-plot: ${rest#*=}" "--$option $value is refused" "$plot" hot few.csv "--$option=$value" -o x.svg
done
"$plot" hot few.csv --colors mauve -o x.svg 2>err
like err "^assay-plot: --colors takes .*; not 'mauve'$" '--colors mauve is refused'

# Every program with --plot has these options.
printf 'name,value\n' >runs.csv
for i in 1 2 3 4 5 6; do printf 'a,%d\nb,%d\n' $((10 + i)) $((20 + i)) >>runs.csv; done
"$build/libexec/assay/assay-ci" --by name --plot ci.svg --labels a=alpha --width 10cm --order b --title Both runs.csv >/dev/null
is "$(rows ci.svg) $(grep -c '>Both<' ci.svg) $(grep -c 'viewBox="0 0 37[78] ' ci.svg)" 'b alpha  1 1' 'assay ci --plot: labels, width, order and title'
refuses 2 'assay-ci: options say how a figure looks, but none is drawn; say with --plot FILE where to' 'without --plot they are refused' \
    sh -c '"$@" 2>&1 | head -1 >&2; exit 2' sh "$build/libexec/assay/assay-ci" --by name --width 9 runs.csv
"$build/libexec/assay/assay-ci" --by name -o page.html --title Both runs.csv
is "$? $(grep -c '>Both<' page.html)" '0 1' '  a page has a figure, too'
printf 'x,y\n1,2\n10,20\n' >points.csv
for range in x=-5:300 x=:0 0:5; do
    log=x
    test "$range" = 0:5 && log=y # the axis of the values
    refuses 2 'assay-plot: --range must be above 0 for an axis with --log' "--log $log --range $range is refused" \
        "$plot" scatter points.csv --log $log --range $range -o x.svg
done

# gnuplot draws the script alone, as assay does.
"$plot" hot "$data/hot.csv" -o script.gp
is "$(grep -c "$root" script.gp)" 0 'the script for gnuplot names no file of ours'
gnuplot -d script.gp 2>/dev/null
"$plot" hot "$data/hot.csv" -o direct.pdf
is "$(pdftotext -layout script.pdf - | cksum)" "$(pdftotext -layout direct.pdf - | cksum)" '  and draws the same figure beside it'

# LaTeX sets the text: a paper with figures of odd names has no error and no overfull box.
printf 'method,share\nA_b.50%%&c#d,0.5\n"x{y}$z^~\\q",0.3\n"<init> | ""m""",0.1\n[native code],0.05\n' >odd.csv
"$plot" hot odd.csv -o odd.tex
is "$? $(ls odd*)" '0 odd-tex.pdf
odd.csv
odd.tex' 'a figure for LaTeX is text and graphics'
"$plot" bars decades.csv --log x -o log.tex
"$plot" bars decades.csv --column mean=mean -o far.tex
refuses 2 'assay-plot: a figure for LaTeX is two files: name one, FILE.tex' 'it does not go to standard output' \
    "$plot" hot odd.csv --type tex -o -
if command -v pdflatex >/dev/null && kpsewhich graphicx.sty color.sty >/dev/null; then
    for class in article acmart IEEEtran; do
        kpsewhich $class.cls >/dev/null || { skip "no $class here"; continue; }
        cat >paper.tex <<END
\\documentclass$([ $class = article ] && echo '[twocolumn]' || { [ $class = acmart ] && echo '[sigconf]'; }){$class}
\\usepackage{graphicx,color}
$([ $class = article ] && echo '\setlength\columnsep{10pt}\setlength\textwidth{492.2pt}')
\\begin{document}
\\noindent\\input{odd}

\\noindent\\input{log}

\\noindent\\input{far}
\\end{document}
END
        pdflatex -interaction=nonstopmode paper.tex >log 2>&1
        is "$? $(grep -cE '^(!|Overfull)|undefined|Unicode character' log)" '0 0' "a paper of $class includes it without a warning" || grep -E '^(!|Overfull)|undefined|Unicode' log | sed 's/^/# /'
        pdftotext -layout paper.pdf paper.txt
        is "$(grep -cF -e '50%&c#d' -e 'x{y}$z' -e '[native code]' paper.txt)" 3 '  which has the names'
    done
else
    skip 'no pdflatex here'
fi
done_testing
