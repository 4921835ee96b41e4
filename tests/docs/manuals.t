#!/bin/sh
# The manuals: one for every program, with exactly the long options that exist, and well formed.
. "$(dirname "$0")/../tap.sh"

# The long options in a text, one per line, sorted.
options() {
    grep -oE -- '(^|[^[:alnum:]-])--[a-z][a-z-]*' | sed 's/^[^-]//' | sort -u
}

# The options that --help lists: lines that begin with an option.
of_help() {
    sed -n 's/^ \{1,6\}\(-., *\)*\(--[a-z-]*\).*/\2/p' | options
}

# The section OPTIONS of a manual, without its markup.
of_manual() {
    awk '/^\.SH/ { on = $2 == "OPTIONS" } on' "$1" | sed 's/\\-/-/g; s/\\f.//g' | options
}

# Samples of each kind, so that an extractor that finds nothing is noticed.
is "$(printf '  -o, --output=FILE  x\n      --keep-going  y\n  text --no\n' | of_help | tr '\n' ' ')" '--keep-going --output ' \
    'options are found in --help'

is "$(awk '/^\.SH/ { on = /^\.SH PROFILER OPTIONS/ } on' "$root/docs/man/assay-audit.1" | sed 's/\\-/-/g; s/\\f.//g' | options)" \
    "$("$build/libexec/assay/assay-audit" profiler --help | of_help)" \
    'assay audit profiler: the manual has the options of --help, and no others'

for program in "$build"/libexec/assay/assay-*; do
    name=${program##*/}
    manual=$root/docs/man/$name.1
    if [ ! -f "$manual" ]; then
        is missing there "$name has a manual"
        continue
    fi
    is "$(of_manual "$manual")" "$("$program" --help | of_help)" "$name: the manual has the options of --help, and no others"
    is "$(sed -n '/^\.SH NAME/{n;p;}' "$manual" | sed 's/\\-/-/g; s/ .*//')" "$name" "$name: the manual has its name"
done

# A manual explains the columns that --columns help does, and no mark of them is left.
is "$(grep -l '^\.\\" COLUMNS' "$build"/man/*.1)" '' 'the manuals as built have their columns'
for program in "$build"/libexec/assay/assay-*; do
    name=${program##*/}
    "$program" --help | grep -q -- '^ *--columns' || continue
    columns=$("$program" --columns help | sed -n 's/^  \([^ ]\)/\1/p' | sort -u)
    is "$(sed -n '/^\.TP/{n;s/^\.B //p;}' "$build/man/$name.1" | sort -u | grep -cxF "$columns")" "$(echo "$columns" | wc -l)" \
        "$name: the manual explains every column of --columns help"
done
# The kinds of records, but for the index, which readers don't show.
kinds=$(sed -n 's/^ *\[TRACE_[A-Z_]*\] = {"\([a-z-]*\)".*/\1/p' "$root/trace/schema.c" | grep -vx index | sort)
is "$(echo "$kinds" | grep -cx -e sample -e dependence)" 2 'the kinds of records are found in trace/schema.c'
words_of() {
    tr -s ' ,.\n' '\n' | grep -xv -e '' -e or | sort
}
is "$("$build/libexec/assay/assay-dump" --help | tr -s '\n' ' ' | sed 's/.*records of this kind: //; s/ -[a-z], --.*//' | words_of)" "$kinds" \
    'assay dump --help: --kind has all kinds of records'
is "$(sed -n '/^Print only records of this kind:/,/^CSV has/{/^\./{s/^\.BR* //;s/\\-/-/g;p;};}' "$root/docs/man/assay-dump.1" | words_of)" "$kinds" \
    'assay-dump.1: --kind has all kinds of records'

# Examples can be copied: argp breaks lines of more than 78 characters, and the rest then begins a line.
cut_examples() {
    awk '/^Examples?:/ { on = 1; next } on && /^$/ { exit } on && /^[^A-Z ]/'
}
is "$(printf 'Examples:\n  assay a --b\nc.csv\nA sentence:\n' | cut_examples)" c.csv 'a cut example is noticed'
verbs=$(printf '%s\n' "$build"/libexec/assay/assay-* | sed 's/.*assay-//')
for verb in $verbs 'agree --share=s' 'audit profiler' 'causality --real=r'; do
    # shellcheck disable=SC2086
    is "$("$build"/libexec/assay/assay-$verb --help | cut_examples)" '' "assay $verb --help: no example is cut"
done

needs man/assay.1
for manual in "$build"/man/assay*.1; do
    name=${manual##*/}
    if [ "$name" != assay.1 ]; then
        is "$([ -x "$build/libexec/assay/${name%.1}" ] && echo there)" there "$name describes an existing program"
    fi
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
        grep -q "^\.SH \"\{0,1\}$section" "$manual" || is "no $section" '' "$name has the section $section"
    done
    if command -v man >/dev/null; then
        is "$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$manual" 2>&1 >/dev/null)" '' "$name is well formed"
    else
        skip 'no man here'
    fi
done

# The section NAME of a program's manual is the only source of what the program is for.
sentences() {
    sed 's/^./\U&/; s/? ./\U&/g; s/[^?]$/&./'
}
is "$(printf 'x of a.b\nhow? it does\n' | sentences | tr '\n' '|')" 'X of a.b.|How? It does.|' \
    'sentences begin with a capital letter and end with a mark'
help=$("$root/assay" help)
for verb in $verbs; do
    summary=$(sed -n '/^\.SH NAME/{n;s/.* \\- //p;}' "$root/docs/man/assay-$verb.1")
    is "$(echo "$help" | sed -n "s/^  $verb  *//p")" "$summary" "assay help: $verb has the summary of its manual"
    is "$(grep -A 1 "^\.BR $verb \", see \"" "$build/man/assay.1" | tail -n +2)" "$(printf '%s\n' "$summary" | sentences)" \
        "assay.1: $verb has the summary of its manual"
done
done_testing
