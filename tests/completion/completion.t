#!/bin/bash
# Completion for bash and zsh, as make install writes it: every option of every program, values, figures and files.
export LC_ALL=C
. "$(dirname "$0")/../tap.sh"
scratch
generate=$root/completion/generate
sed "s,^here=.*,here=$root," "$root/assay" >front
chmod +x front
"$generate" bash "$build/libexec/assay" ./front >assay.bash
is "$? $(bash -n assay.bash 2>&1)" '0 ' 'the script for bash has no syntax errors'
. ./assay.bash

# completes EXPECTED WHAT WORD...: the completions of the last word, sorted
completes() {
    local expected=$1 what=$2
    shift 2
    COMP_WORDS=(assay "$@")
    COMP_CWORD=$#
    _assay
    is "$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')" "$expected" "$what"
}
touch table.csv tablet.csv
completes "$(cd "$build/libexec/assay" && printf '%s\n' assay-a* | sed s/assay-// | tr '\n' ' ')" 'bash: verbs' a
completes 'compare ' 'bash: verbs after help' help comp
completes '--half-width --header --help ' 'bash: options' ci --h
completes 'geomean ' 'bash: values of --method' ci --method g
completes 'geomean ' 'bash: values after an equals sign' ci --method = g
completes 'text tsv ' 'bash: values of --format' ci --format t
completes 'ratios ' 'bash: figures of plot' plot ra
completes 'table.csv tablet.csv ' 'bash: files' ci tab
completes '--runs ' 'bash: options of record' record --run
for program in "$build"/libexec/assay/assay-*; do
    verb=${program##*/assay-}
    COMP_WORDS=(assay "$verb" --) COMP_CWORD=2
    _assay
    is "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" \
        "$("$program" --help | sed -n 's/^ \{1,6\}\(-., *\)*\(--[a-z][a-z-]*\).*/\2/p' | sort -u)" \
        "bash: $verb has the options of its --help"
done

"$generate" zsh "$build/libexec/assay" ./front >_assay
is "$? $(head -1 _assay)" '0 #compdef assay' 'the script for zsh begins with #compdef'
if ! command -v zsh >/dev/null; then
    skip 'no zsh here'
else
    # Stand-ins for zsh's functions print their arguments.
    cat >ask.zsh <<'END'
_describe() { print -rl -- ${(P)2} }
_arguments() { print -rl -- "$@" }
words=("${(@s: :)1}") CURRENT=$2
source ./_assay
END
    is "$(zsh -f ask.zsh 'assay c' 2 2>&1 | grep -c '^compare:')" 1 'zsh: verbs with their summaries'
    is "$(zsh -f ask.zsh 'assay ci --m' 3 2>&1 | grep -- --method)" \
        '--method=[one of t, z, ess, geomean, median (default\: t)]:value:(t z ess geomean median)' \
        'zsh: options and their values'
    is "$(zsh -f ask.zsh 'assay ci --m' 3 2>&1 | tail -1)" '*:file:_files' 'zsh: files'
fi
done_testing
