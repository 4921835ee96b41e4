#!/bin/sh
# A paper of two columns reads tables and values that assay wrote: LaTeX finds no undefined control sequence, no value
# without a name and no table that is wider than its column. KEEP=DIR in the environment keeps the paper there.
LC_ALL=C.UTF-8
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay

# --- the files, which need no LaTeX ---

cat >runs.csv <<'END'
program,collector,time
fop,g1,1.23
fop,g1,1.25
fop,g1,1.21
fop,zgc,1.43
fop,zgc,1.45
fop,zgc,1.44
h2_50%,g1,12.3
h2_50%,g1,12.1
h2_50%,g1,12.6
h2_50%,zgc,-0.000011
h2_50%,zgc,-0.000012
h2_50%,zgc,-0.000011
END
# sample COUNT METHOD
sample() {
    awk -v n="$1" -v stack="$2" 'BEGIN { for (i = 0; i < n; i++) print "main", i, i * 10, i * 10, stack }'
}
i=0
for counts in '70 50 30 9' '73 48 30 9' '69 51 32 8'; do
    i=$((i + 1))
    # shellcheck disable=SC2086
    set -- $counts
    {
        sample "$1" 'springframework.AbstractSingletonProxyFactoryBean.create(Object)'
        sample "$2" 'org.apache.fop.properties.PropertyMaker$Compound.<init>(int)'
        sample "$3" 'std::map<int my_key>::operator[](my_key&&) const'
        sample "$4" '[libjvm.so & #1 ~ {50%}]'
    } | "$build/tests/make_trace" "r$i.trace" series=s run=$i clock=random
done

"$programs/assay-ci" --value time --by program,collector --columns program,collector,n,mean,cv,min -o time.tex --macros time-values.tex runs.csv &&
    "$programs/assay-ci" --value time --by program,collector --latex plain --columns program,collector,mean,cv \
        --rename 'mean=Time (s)' --digits 3 -o plain.tex runs.csv &&
    "$programs/assay-ci" --value time --by program,collector --latex siunitx --columns program,collector,mean \
        --sort mean:desc -o aligned.tex runs.csv
is $? 0 'tables of times in three styles: status 0'
is "$(grep -c newcommand time.tex)" 0 'a table in LaTeX has no macros'
"$programs/assay-hot" --latex fit --columns rank,method,share --short -o hot.tex --macros fop.tex --macro-name 'fop.hot{rank}' \
    r?.trace && "$programs/assay-hot" --latex fit,siunitx -o wide.tex --macros hot-values.tex r?.trace
is $? 0 'tables of methods: status 0'

# Three times 1.21, 1.23, 1.25: mean 1.23, sd 0.02, half width 4.303 * 0.02 / sqrt 3 = 0.0497.
like time-values.tex '^.assayvalue\{time-values.fop.g1.mean\}\{1.23\}%$' 'a value has the name of its file, row and column'
like time-values.tex '^.assayvalue\{time-values.fop.g1.mean.estimate\}\{.ensuremath\{1.23 .pm 0.05\}\}%$' \
    'an estimate is a value'
like time-values.tex '^.assayvalue\{time-values.fop.g1.interval\}\{.ensuremath\{\[1.18, 1.28\]\}\}%$' \
    'an interval is a value'
# Bounds such as ratio_lo and ratio_hi are an interval, too, rounded outwards as the table has it beside the ratio.
printf 'p,g,time\n' >ratio.csv
for i in 0 1 2 3 4 5; do printf 'h2,old,%d\nh2,new,%d\n' $((100 + 53 * i % 97)) $((170 + 71 * i % 89)); done >>ratio.csv
"$programs/assay-compare" --by p,g --baseline old --value time --columns ratio --latex plain -o ratio.tex --macros ratio-values.tex ratio.csv 2>/dev/null
shown=$(sed -n 's/.*\(\[[0-9., ]*\]\).*/\1/p' ratio.tex | head -n 1)
is "$(sed -n 's/.*ratio-values.*[.]ratio[.]interval.*\(\[.*\]\)}}%$/\1/p' ratio-values.tex | head -n 1)" "${shown:-none}" \
    'bounds of a ratio are an interval'
like time-values.tex '^.assayvalue\{time-values.fop.g1.cv\}\{1.63.%\}%$' 'a share is in percent, as in the table'
like time-values.tex '^.assayvalue\{time-values.h2_50.g1.program\}\{h2._50.%\}%$' \
    'a name has no character that TeX cannot read in names, a text has its escapes'
like fop.tex '^.assayvalue\{fop.hot2.samples\}\{149\}%$' 'a name has columns in braces'
like hot-values.tex '^.assayvalue\{hot-values.PropertyMaker-Compound.-init.samples\}\{149\}%$' 'a method has its short name'
is "$(sed -n 's/^.assayvalue{\([^}]*\)}.*/\1/p' hot-values.tex | sort | uniq -d)" '' 'no name is there twice'
like aligned.tex '^h2._50.% & g1 & 12.3 & .*0\.[67].* ' 'siunitx: the first row is the largest'
like wide.tex '^.rank. & method & .share \(.%\).' '  percent signs are in the head'
like aligned.tex 'S\[table-format=-?2\.[0-9]e-1\]@..,.l' '  the format has the digits and the exponent of all rows'

# --- mistakes ---

"$programs/assay-hot" --macros x.tex --macro-name 'x{rnk}' r1.trace >out 2>err
is "$?" 2 'an unknown column in a name: status 2'
like err '^assay-hot: --macro-name: \{rnk\} is not a column \(did you mean rank\?\)$' '  one line names it'
"$programs/assay-hot" --macros x.tex --macro-name x r1.trace >out 2>err
like err '^assay-hot: --macro-name: x names two rows; write a column in braces into the name: \{rank\}$' \
    'a name for two rows is refused'
"$programs/assay-hot" --latex tabu r1.trace >out 2>err
is "$? $(head -n 1 err)" \
    '2 assay-hot: --latex tabu: must be booktabs, plain, siunitx or fit, or several, separated by commas' 'an unknown style'
for options in '-o x.tex --macros x.tex' '-o x.svg --plot x.svg' '--plot x.tex --macros x.tex'; do
    # shellcheck disable=SC2086
    "$programs/assay-hot" $options r1.trace >out 2>err
    is "$? $(grep -c 'would both write x' err)" '2 1' "$options: one result must not overwrite another"
done

# --- the paper ---

compiles() {
    printf '%s\n' "$1" >probe.tex
    pdflatex -interaction=nonstopmode -halt-on-error probe.tex >/dev/null 2>&1
}
if ! command -v pdflatex >/dev/null || ! compiles '\documentclass{article}\usepackage{booktabs,tabularx}\begin{document}x\end{document}'; then
    echo "ok $((tap_count += 1)) # SKIP no pdflatex with booktabs and tabularx: the paper is not compiled"
    done_testing
    exit
fi
siunitx=%
compiles '\documentclass{article}\usepackage{siunitx}\begin{document}x\end{document}' && siunitx=
# paper CLASS FILE: a paper of this class. Its underscore is an active character, as some packages make it.
paper() {
    cat >"$2" <<END
\\PassOptionsToPackage{expansion=false}{microtype}% which needs scalable fonts
\\documentclass$1
\\usepackage{booktabs,tabularx,amsmath}
$siunitx\\usepackage{siunitx}
\\catcode\`\\_=13
\\def_{\\ifmmode\\sb\\else\\textunderscore\\fi}
\\input{time-values}
\\input{fop}
\\input{hot-values}
\\newcommand{\\program}{fop}
\\begin{document}\\sloppy
\\title{Values of \\assay{fop.hot1.samples} samples}\\author{A}\\maketitle
\\listoftables
\\section{Where \\assay{fop.hot1.share} of the time goes}
Compiled with \\program, \\assay{time-values.\\program.g1.mean}~s
(95\\,\\% interval \\assay{time-values.fop.g1.interval}), as
\\assay{time-values.fop.g1.mean.estimate} in text and \$t = \\assay{time-values.fop.g1.mean.estimate}\$ in a formula.
The second method is \\assay{hot-values.PropertyMaker-Compound.-init.method}, and for
\\assay{time-values.h2_50.zgc.program} it takes \\assay{time-values.h2_50.zgc.mean.estimate}, half a width
of \\assay{time-values.h2_50.zgc.half_width}.
\\input{time-values}% once more: the same values are no clash
\\begin{table}\\caption{Plain, \\assay{fop.hot2.share}}\\centering\\small\\input{plain}\\end{table}
$siunitx\\begin{table}\\caption{Aligned}\\centering\\small\\input{aligned}\\end{table}
\\begin{table}\\caption{Methods}\\input{hot}\\end{table}
$siunitx\\begin{table*}\\caption{All columns}\\small\\input{wide}\\end{table*}
\\begin{table*}\\caption{Times}\\centering\\small\\input{time}\\end{table*}
\\end{document}
END
    pdflatex -interaction=nonstopmode "$2" >log 2>&1 && pdflatex -interaction=nonstopmode "$2" >log 2>&1
}
for class in '[twocolumn]{article}' '[conference]{IEEEtran}' '[sigconf,nonacm]{acmart}'; do
    compiles "\\PassOptionsToPackage{expansion=false}{microtype}\\documentclass$class\\begin{document}\\title{x}\\author{x}\\maketitle\\\$\\end{document}" || continue
    paper "$class" paper.tex
    is $? 0 "$class: the paper compiles"
    unlike log '^!' "$class: no error, such as an undefined control sequence"
    unlike log 'Overfull .hbox' "$class: no table is wider than its column"
    unlike log 'No value is called' "$class: all values are found"
    if command -v pdftotext >/dev/null; then
        pdftotext -layout paper.pdf paper.txt
        like paper.txt '1.23 ± 0.05' "$class: the page has an estimate"
        like paper.txt '\[1.18, 1.28\]' "$class: the page has an interval"
        unlike paper.txt '\?\?' "$class: no question marks are printed"
    fi
    [ -z "${KEEP-}" ] || { mkdir -p "$KEEP/$class" && cp ./*.tex ./*.pdf log "$KEEP/$class"; }
done

# What must be noticed
sed 's/fop.hot2.share/fop.hot9.share/' paper.tex >missing.tex
pdflatex -interaction=nonstopmode missing.tex >missing.log 2>&1
like missing.log 'Package assay Warning: No value is called .fop.hot9.share' 'a value that is missing is reported'
sed 's/{149}%$/{150}%/' fop.tex >clash.tex
sed 's/^.input{fop}/&\\input{clash}/' paper.tex >clashing.tex
pdflatex -interaction=nonstopmode clashing.tex >clashing.log 2>&1
like clashing.log '^! Package assay Error: Two values are called .fop.hot2.samples' 'two values of one name are an error'
done_testing
