#!/bin/bash
# The gallery: no text of any figure is beyond the page or over another one, whatever names and values are.
. "$(dirname "$0")/../tap.sh"
command -v python3 >/dev/null || skip_all 'no python3 here'
scratch
check="python3 $root/tests/plots/svg_texts.py"

# What is checked can fail.
page() { printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">%s</svg>' "$1"; }
text() { printf '<g transform="translate(%s)" font-size="10" text-anchor="%s"><text>%s</text></g>' "$1" "$2" "$3"; }
page "$(text 50,20 middle abc)$(text 50,40 middle abc)" >good.svg
$check good.svg
ok $? 'two texts apart are good'
page "$(text 90,20 start abc)" >beyond.svg
is "$($check beyond.svg)" "beyond.svg: 'abc' is beyond the page" 'a text that ends beyond the page is found'
page "$(text 10,20 start abc)$(text 20,22 start de)" >over.svg
is "$($check over.svg)" "over.svg: 'abc' and 'de' share 6 by 5" 'a text over another one is found'
page "$(text '50,20) rotate(-90.00' middle abcdefghi)" >turned.svg
is "$($check turned.svg)" "turned.svg: 'abcdefghi' is beyond the page" 'a rotated text is found, too'

"$root/tests/plots/gallery" drawn svg >log 2>&1
is "$? $(cat log)" '0 ' 'all figures of the gallery are drawn'
between 150 "$(ls drawn/*.svg | wc -l)" 400 '  with 2, 8 and 60 names, long ones, and values of all sizes'
for figure in $(ls "$root/plots" | sed -n '/^style/d; s/\.gp$//p'); do
    is "$($check drawn/$figure-[0-9]*.svg 2>&1; echo $?)" 0 "$figure: all texts are on the page and apart"
done
labels() { grep -o '<text>[^<]*</text>' "$1" | grep -c "$2"; }
is "$(labels drawn/history-8-long-1.svg 'document[0-9]')" 6 'panels keep what distinguishes their names'
is "$(labels drawn/phases-timeline-8-long-1.svg 'document[0-9]') $(labels drawn/phases-timeline-8-long-1.svg 'Inner[0-9].scoreAllDocuments')" \
    '8 7' '  rows and series, too'

# Names that are commands or paths.
plot=$build/libexec/assay/assay-plot
printf 'command,x,y\nfop -q /tmp/doc.fo,1,1\nfop -q /tmp/doc.fo,2,2\nfop -v /tmp/doc.fo,1,2\n' >commands.csv
"$plot" scatter commands.csv -o commands.svg
is "$(labels commands.svg '>fop -[qv] /tmp/doc.fo<')" 2 'a command is not cut like a path'
printf 'trace,x,y\nout/a/run.trace,1,1\nout/b/run.trace,1,2\n' >paths.csv
"$plot" scatter paths.csv -o paths.svg
is "$(labels paths.svg '[ab]/run')" 2 'two files of the same name keep their folders'

# Rows that are dropped are not the newest.
awk 'BEGIN { print "commit,mean"; for (i = 1; i <= 50; i++) print "c" i "," i }' >commits.csv
is "$("$plot" bars commits.csv -o commits.svg 2>&1)" 'assay-plot: the figure shows the last 40 of 50 names' \
    'of many commits the last are shown'
is "$(labels commits.svg '>c50<') $(labels commits.svg '>c10<') $(labels commits.svg 'the last 40 of 50 names')" '1 0 1' '  and the figure says so'
done_testing
