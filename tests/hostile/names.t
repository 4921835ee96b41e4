#!/bin/sh
# Names that somebody chose to do harm: escape sequences, marks that turn the direction of text, bytes that are not UTF-8,
# markup and commands of each format. Nothing that assay writes for readers lets them act, and messages have none of them.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
assay() {
    verb=$1
    shift
    "$build/libexec/assay/assay-$verb" "$@"
}

# Every name is a method; 4,096 bytes is the longest. The last column is its number of samples.
cat > names.py <<'END'
names = [b'plain', b'\x1b]0;title\x07', b'\x9b31mred', b'\xc2\x9b31mred', b'\xff\xfe', b'\xed\xa0\x80', 'exe.\u202egpj'.encode(),
         'line\u2028end'.encode(), b'`touch run`', b'$(touch run)', b'"; system "touch run"; "', b"'; system 'touch run'; '",
         b'</script><script>alert(1)</script>', b'<img src=x onerror=alert(1)>', b'\\input{/etc/passwd}', b'\\write18{touch run}',
         b'\\rotatebox{x\\', b'}\\csname LTb\\endcsname%', b'^^5cinput', b'[x](javascript:alert(1))', b'![x](http://e/x.png)',
         b"=cmd|'/C calc'!A0", b'@SUM(1+1)', b'-2+cmd|x', b'#hash', b'-lead', b'%n%s', b'a&b~c_d^e', b'L' * 4096]
open('names', 'wb').write(b'\n'.join(names))
open('in.folded', 'wb').write(b''.join(b'main;' + name.replace(b';', b',') + b' %d\n' % (1000 - i) for i, name in enumerate(names)))
END
python3 names.py
assay import -q -o names.trace in.folded

# acts FILE...: prints the first character of each file that would act in a terminal or an editor, or is not UTF-8
cat > acts.py <<'END'
import re, sys
for path in sys.argv[1:]:
    try:
        text = open(path, 'rb').read().decode()
    except UnicodeDecodeError as error:
        print(path, error)
        continue
    found = re.search('[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]', text)
    if found or not text:
        print(path, ascii(text[max(0, found.start() - 20):found.end() + 20]) if found else 'is empty')
END
for format in text markdown latex macros html; do
    assay hot --top 0 --format $format names.trace > hot.$format
done
is "$(python3 acts.py hot.*)" '' 'no format for readers has a character that acts, or a byte that is not UTF-8'
unlike hot.html '<(/?script>alert|img src=x)' 'HTML: no markup from a name'
unlike hot.latex '[^\]\\(input|write18|rotatebox)' 'LaTeX: no command from a name'
unlike hot.markdown '(^|[^\])(<|`touch|\]\()' 'Markdown: no tag, code, image or link from a name'

# Two names that are in one chunk of JSON are not Latin-1 by themselves, but all bytes are there.
assay hot --top 0 --format csv names.trace > hot.csv
cat > formulas.py <<'END'
import csv
print(*[row[1][:9] for row in csv.reader(open('hot.csv', encoding='latin-1')) if row[1].lstrip("'")[0] in '=@-'])
END
is "$(python3 formulas.py)" "'=cmd|'/C '@SUM(1+1 '-2+cmd|x -lead" \
    'CSV: what a spreadsheet would run has an apostrophe in front, and other names are as they are'
printf "name,value\n%s,1\n%s,2\n" "'=cmd|'/C calc'!A0" "''=f()" > back.csv
assay ci -q --by name --value value --format tsv back.csv > back.tsv
is "$(cut -f 1 back.tsv)" "name
'=cmd|'/C calc'!A0
''=f()" 'a table that is read and written again has the same names'
assay ci -q --by name --value value --format json back.csv > back.json
is "$(python3 -c 'import json; print(*[r["name"] for r in json.load(open("back.json"))["results"]])')" \
    "=cmd|'/C calc'!A0 '=f()" 'JSON has them without the apostrophe'

# Messages. A terminal would also show what ends a line as a message of its own.
esc=$(printf '\033]0;x\a\302\233\342\200\256\377')
for verb in hot info dump rate export ci plot import merge record inject experiment resolve; do
    assay $verb "no$esc" 2>> messages
    assay $verb "--no$esc" x 2>> messages
    assay $verb "--format=$esc" x 2>> messages
done
cp names.trace "$esc.trace"
printf 'cut' >> "$esc.trace"
assay hot "$esc.trace" > ignored 2>> messages
is "$(python3 acts.py messages)" '' 'no message has a character that acts, whatever options, files and traces are called'
between 30 "$(wc -l < messages)" 200 '  and there are messages'

# A terminal gets tame text even where a pipe gets all bytes.
cat > terminal.py <<'END'
import os, pty, sys
shown = b''
def read(fd):
    global shown
    data = os.read(fd, 65536)
    shown += data
    return b''
pty.spawn(sys.argv[2:], read)
open(sys.argv[1], 'wb').write(shown.replace(b'\r\n', b'\n'))
END
for command in 'dump' 'hot --top 0 --format csv' 'export --to folded'; do
    # shellcheck disable=SC2086
    python3 terminal.py "shown.${command%% *}" "$build/libexec/assay/assay-${command%% *}" ${command#"${command%% *}"} names.trace < /dev/null > ignored
done
is "$(python3 acts.py shown.*)" '' 'records, CSV and folded stacks are tame on a terminal'

# Figures, and the programs that read them.
if command -v gnuplot > ignored; then
    for format in svg pdf tex gp; do
        assay hot -q --top 0 --plot fig.$format names.trace > ignored
    done
    is "$(python3 acts.py fig.svg fig.tex fig.gp)" '' 'figures have no character that acts'
    LC_ALL=C.UTF-8 gnuplot fig.gp 2> warnings
    is "$? $(grep -v 'Skipping data file with no valid points' warnings)" '0 ' 'gnuplot draws the script without an error'
    cp fig.tex 'a%1~b_c &e$f.tex'
    assay hot -q --plot 'a%1~b_c &e$f.tex' names.trace > ignored
    assay hot -q --plot 'a#b.tex' names.trace > ignored 2> refused
    is "$? $(grep -c "a#b.tex: LaTeX can't read" refused)" '2 1' 'a name of a figure that LaTeX cannot read is refused'
    if command -v pdflatex > ignored; then
        printf '%s\n' '\documentclass{article}\usepackage{graphicx,color,booktabs}\usepackage[T1]{fontenc}\begin{document}' \
            '\tiny\input{hot.latex}' '\input{fig.tex}' '\input{hot.macros}\assay{hot.plain.method}' \
            '\input{figure-of-odd-name.tex}' '\end{document}' > paper.tex
        mv 'a%1~b_c &e$f.tex' figure-of-odd-name.tex
        pdflatex -no-shell-escape -interaction=nonstopmode -halt-on-error paper.tex > log 2>&1
        [ $? -eq 0 ]
        ok $? 'LaTeX sets the table, the macros and the figures' || tail -20 log | sed 's/^/# /'
    else
        skip 'no pdflatex'
    fi
else
    skip 'no gnuplot'
fi
is "$(ls run 2>> ignored)" '' 'no name was executed'
done_testing
