#!/bin/bash
# assay plot: every figure in every format, what is in it, and every way to go wrong.
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
fails() { # STATUS MESSAGE NAME ARGUMENTS: that status, that one line, and no file
    local status=$1 message=$2 name=$3 got
    shift 3
    rm -f x.*
    got=$("$plot" "$@" 2>&1 >/dev/null)
    is "$? $got" "$status assay-plot: $message" "$name"
    is "$(ls -A | grep -c '^x\.')" 0 "$name: leaves no file"
}
bars() { grep -c "<polygon fill = 'rgb($2)'" "$1"; }
blue='  0, 114, 178'
orange='230, 159,   0'

# Every figure in every format, with nothing to say.
for figure in hot acf; do
    for format in pdf svg png; do
        is "$("$plot" $figure "$data/$figure.csv" -o $figure.$format 2>&1; echo $?)" 0 "$figure as $format"
    done
    is "$(pdfinfo $figure.pdf | awk '/^Pages/ { print $2 }')" 1 "$figure: the PDF has one page"
    is "$(pdfinfo $figure.pdf | awk '/^Page size/ { print int($3 / 72 * 2.54 * 10 + 0.5) }')" 85 "$figure: 8.5 cm wide"
    is "$(file -b $figure.png | grep -o '^PNG image data, 100[34]')" "PNG image data, $(file -b $figure.png | grep -o '100[34]')" \
        "$figure: the PNG has 300 dots an inch"
    xmllint --noout $figure.svg 2>/dev/null || python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse('$figure.svg')"
    ok $? "$figure: the SVG is XML"
    is "$(pdfinfo $figure.pdf | grep -c CreationDate)" 0 "$figure: no date in the PDF"
    for format in pdf svg png; do
        "$plot" $figure "$data/$figure.csv" -o again.$format && cmp -s $figure.$format again.$format
        ok $? "$figure as $format: the same bytes again"
    done
done

# Hot methods: names as short as they stay distinct, one bar a method and clock.
text=$(pdftotext -layout hot.pdf -)
for name in JavaParser.jj_scan_token a.Parser.parse b.Parser.parse HashMap.put random safepoint 'Share of samples (%)' \
    'mean and interval of 30 runs'; do
    contains "$text" "$name" "hot: the PDF says $name"
    grep -qF ">$name<" hot.svg
    ok $? "hot: the SVG says $name"
done
is "$(bars hot.svg "$blue")" 4 "hot: three bars of the first clock and its key"
is "$(bars hot.svg "$orange")" 3 "hot: two bars of the second clock and its key"
is "$(grep -c '<text>–</text>' hot.svg)" 3 "hot: a dash where a clock does not list the method"
order=$(grep -oE '>(JavaParser.jj_scan_token|[ab].Parser.parse|HashMap.put)<' hot.svg | tr -d '<>' | tr '\n' ' ')
is "$order" "a.Parser.parse JavaParser.jj_scan_token HashMap.put b.Parser.parse " "hot: by the largest share of any clock"

# One run: bars without intervals; CSV, TSV and JSON are the same figure.
for format in csv tsv json; do
    "$plot" hot "$data/hot-one-run.$format" -o one-$format.svg
    ok $? "hot of $format"
done
cmp -s one-csv.svg one-tsv.svg && cmp -s one-csv.svg one-json.svg
ok $? "hot: CSV, TSV and JSON draw the same"
is "$(bars one-csv.svg "$blue")" 2 "hot: two bars, and no key for one series"
grep -q '>one run<' one-csv.svg
ok $? "hot: says that it was one run"
"$plot" hot - -o - --type svg <"$data/hot-one-run.csv" | cmp -s - one-csv.svg
ok $? "hot from standard input to standard output"

# More than the figure shows: said on stderr and in the figure.
is "$("$plot" hot "$data/hot-twenty.csv" -o cut.svg 2>&1)" "assay-plot: the figure shows 12 of 20 methods" "hot: cut, and told"
is "$(bars cut.svg "$blue")" 12 "hot: twelve bars"
grep -q '>12 of 20 methods<' cut.svg
ok $? "hot: the figure says that it is cut"
is "$("$plot" hot "$data/hot-twenty.csv" --top 20 -o all.svg 2>&1)" "" "hot --top 20: nothing to tell"
is "$(bars all.svg "$blue")" 20 "hot --top 20: twenty bars"
is "$("$plot" hot "$data/hot-twenty.csv" -q -o cut.svg 2>&1)" "" "hot -q"

# Several tables side by side.
"$plot" hot first="$data/hot-one-run.csv" "$data/hot-one-run.tsv" --title 'Two tables' -o two.svg
ok $? "hot of two tables"
for name in first hot-one-run 'Two tables' Spin.hot Spin.cold; do
    is "$(grep -cF ">$name<" two.svg)" 1 "hot of two tables: says $name once"
done
is "$(bars two.svg "$blue") $(bars two.svg "$orange")" "3 3" "hot of two tables: two bars and a key each"

# Names that mean something to gnuplot, to a shell or to XML.
is "$("$plot" hot "$data/hot-odd-names.csv" -o odd.svg 2>&1; echo $?)" 0 "hot: odd names"
[ ! -e injected ]
ok $? "hot: a name is no command"
for name in '`touch injected`.x' '"quoted".y' 'Größe.ändern' '%d%s.percent' '&lt;b>&amp;.markup'; do
    grep -qF "$name" odd.svg
    ok $? "hot: $name as it is"
done

# Autocorrelation: a panel a clock, stems within and beyond the bounds, lag 0 left out.
text=$(pdftotext -layout acf.pdf -)
for part in random safepoint '1 of 20 beyond the bounds' '2 of 20 beyond the bounds' Lag Autocorrelation; do
    contains "$text" "$part" "acf: the PDF says $part"
done
stems() { # COLOUR PANEL
    tr '\n' ' ' <acf.svg | sed 's/<path/\n<path/g' | grep "^<path stroke='rgb($1)'  d=" | sed -n "$2p" |
        grep -oE 'M[0-9.]+,[0-9.]+ +L' | wc -l
}
is "$(stems "$blue" 1) $(stems "$blue" 2)" "19 18" "acf: stems within the bounds"
is "$(stems '213,  94,   0' 1) $(stems '213,  94,   0' 2)" "1 2" "acf: stems beyond the bounds"
is "$(grep -c "stroke='rgb(  0,   0,   0)' stroke-dasharray" acf.svg)" 4 "acf: two dashed bounds a panel"
is "$(grep -c '<text>0.2</text>' acf.svg) $(grep -c '<text>-0.2</text>' acf.svg)" "1 1" "acf: one symmetric scale for all panels"
grep -v ',random,' "$data/acf.csv" >one-clock.csv
"$plot" acf one-clock.csv -o one-clock.svg && grep -q '>safepoint<' one-clock.svg
ok $? "acf of one clock"
cut -d, -f4,5 one-clock.csv >bare.csv
is "$("$plot" acf bare.csv -o bare.svg 2>&1; grep -c stroke-dasharray bare.svg)" 0 "acf without bounds and names"

# Size.
"$plot" acf "$data/acf.csv" --width 17 --height 6 -o wide.pdf
is "$(pdfinfo wide.pdf | awk '/^Page size/ { print int($3 / 72 * 2.54 + 0.5), int($5 / 72 * 2.54 + 0.5) }')" "17 6" "--width, --height"

# What goes wrong.
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
fails 2 "no figure 'nope'; there are: acf, hot" "unknown figure" nope "$good" -o x.pdf
fails 2 "no figure '../plots/hot'; there are: acf, hot" "a path is no figure" ../plots/hot "$good" -o x.pdf
fails 2 "no figure 'style'; there are: acf, hot" "style is no figure" style "$good" -o x.pdf
fails 2 "x.gif: the suffix must be .pdf, .svg or .png" "unknown suffix" hot "$good" -o x.gif
fails 2 "x.: the suffix must be .pdf, .svg or .png" "no suffix" hot "$good" -o x.
fails 2 "no table: assay plot hot TABLE -o FILE" "no table" hot -o x.pdf
fails 2 "name a figure and a table (assay plot --list shows the figures)" "no arguments"
fails 2 "figure 'acf' has no top to cut to" "--top of acf" acf "$data/acf.csv" --top 3 -o x.pdf
fails 2 "the width must be 3 to 100 cm, not '1e9'" "--width 1e9" hot "$good" --width 1e9 -o x.pdf
fails 2 "the height must be 3 to 100 cm, not 'nan'" "--height nan" hot "$good" --height nan -o x.pdf
fails 2 "--top must be a whole number from 1, not '0'" "--top 0" hot "$good" --top 0 -o x.pdf
fails 2 "the type must be pdf, svg or png, not 'eps'" "--type eps" hot "$good" --type eps -o x.pdf
fails 1 "none.csv: No such file or directory" "no such table" hot none.csv -o x.pdf
fails 1 "none.csv: No such file or directory" "no such named table" hot a="$good" b=none.csv -o x.pdf
fails 1 "empty.csv: is empty, without even a header line" "empty table" hot empty.csv -o x.pdf
fails 1 "header.csv: has a header but no rows" "header only" hot header.csv -o x.pdf
fails 1 "other.csv: lacks the columns method, share; it has: a, b" "other columns" hot other.csv -o x.pdf
fails 1 "word.csv: row 1: the share 'many' is no number" "no number" hot word.csv -o x.pdf
fails 1 "blank.csv: has no row with all that the figure needs" "nothing to draw" hot blank.csv -o x.pdf
fails 1 "quote.csv: line 2: a quote is not closed" "open quote" hot quote.csv -o x.pdf
fails 1 "ragged.csv: line 2 has 3 cells where the header has 2" "ragged rows" hot ragged.csv -o x.pdf
fails 1 "results.json: JSON without an array 'results'" "JSON without results" hot results.json -o x.pdf
fails 1 "binary.csv: is no text" "binary" hot binary.csv -o x.pdf
fails 1 "none/x.pdf: No such file or directory" "no such directory" hot "$good" -o none/x.pdf
fails 1 "/dev/full: No space left on device" "/dev/full" hot "$good" -o /dev/full
contains "$("$plot" hot broken.json -o x.pdf 2>&1)" "broken.json: line 1: bad JSON: " "bad JSON"
is "$("$plot" hot "$good" 2>&1 >/dev/full; echo $?)" "assay-plot: standard output: No space left on device
1" "standard output is full"
is "$("$plot" --list 2>&1 >/dev/full; echo $?)" "assay-plot: standard output: No space left on device
1" "--list on a full disk"
is "$(PATH=/nonexistent "$plot" hot "$good" -o x.pdf 2>&1; echo $?)" \
    "assay-plot: gnuplot is not installed (Debian: apt-get install gnuplot-nox)
1" "no gnuplot"

# A figure that was there stays as long as the new one is not whole; links, modes and devices are respected.
echo old >kept.svg
"$plot" hot header.csv -o kept.svg 2>/dev/null
is "$(cat kept.svg)" old "an old figure stays when there is no new one"
chmod 640 kept.svg
ln -s kept.svg link.svg
"$plot" hot "$good" -o link.svg
is "$([ -L link.svg ] && stat -c %a kept.svg)" 640 "written through a link, with the mode that the file had"
cmp -s kept.svg hot.svg
ok $? "and it is the figure"
"$plot" hot "$good" -o /dev/null
is "$? $(stat -c %F /dev/null)" "0 character special file" "a device stays one"
is "$(ls -A | grep -cE '\.(pdf|svg|png)\.')" 0 "no temporary file is left"

# A figure is a file in plots/, and its mistakes are told.
mkdir -p copy/libexec/assay copy/share/assay
cp "$plot" copy/libexec/assay
cp -r "$OLDPWD/plots" copy/share/assay
echo 'fnord = undefined_thing' | cat copy/share/assay/plots/hot.gp - >copy/share/assay/plots/broken.gp
printf '# figure: Nothing.\n# needs: share\n' >copy/share/assay/plots/nothing.gp
echo 'plot x' >copy/share/assay/plots/wordless.gp
plot=$PWD/copy/libexec/assay/assay-plot
contains "$("$plot" broken "$good" -o x.pdf 2>&1)" "undefined variable: undefined_thing" "gnuplot's own message"
is "$("$plot" nothing "$good" -o x.svg 2>&1; echo $?)" "assay-plot: gnuplot drew nothing; has it the svg terminal?
1" "a figure that draws nothing"
contains "$("$plot" wordless "$good" -o x.svg 2>&1)" "no line '# figure: …' at its top" "a figure without a sentence"
rm copy/share/assay/plots/wordless.gp
contains "$("$plot" --list)" "nothing    Nothing." "a new file is a new figure"
is "$(ls -A | grep -c '^x\.')" 0 "none of these leaves a file"
rm -r copy/share
contains "$("$plot" --list 2>&1)" "share/assay/plots: No such file or directory" "no plots"

echo "1..$number"
