# Commands that Debian 12 installs by default, with input that is the same everywhere; sourced.
# shellcheck shell=sh

all_commands="gzip xz tar sha256sum sort awk sed grep perl python3"

# command_file NAME: the program itself, not a wrapper of the same name in PATH
command_file() {
    if [ "$1" = awk ]; then echo /usr/bin/mawk; else echo "/usr/bin/$1"; fi
}

# command_inputs DIRECTORY SCALE: makes the input of all commands; SCALE 1 has 60,000 lines
command_inputs() {
    mkdir -p "$1"
    awk -v scale="$2" 'BEGIN {
        lines = int(60000 * scale + .5)
        value = 7
        for (i = 0; i < (lines < 10 ? 10 : lines); i++) {
            line = i
            for (k = 0; k < 5; k++) {
                value = value * 16807 % 2147483647
                line = line " " substr("loadsandstoresofaprogramthatcompressessortsandsearchestext", value % 45 + 1, value % 11 + 2)
            }
            print line, value
        }
    }' >"$1/text"
    head -c $(($(wc -c <"$1/text") / 4 + 1)) "$1/text" >"$1/quarter"
    tar -C "$1" -cf "$1/text.tar" text quarter
    cat >"$1/words.pl" <<'PERL'
my %count; while (<>) { $count{$_}++ for split } print "$_ $count{$_}\n" for sort keys %count;
PERL
    cat >"$1/words.py" <<'PYTHON'
import sys
count = {}
for line in open(sys.argv[1]):
    for word in line.split():
        count[word] = count.get(word, 0) + 1
print(sorted((n, word) for word, n in count.items())[-3:])
PYTHON
}

# command_run NAME DIRECTORY COMMAND...: COMMAND, followed by the program and its arguments
command_run() {
    name=$1 input=$2
    shift 2
    set -- "$@" "$(command_file "$name")"
    case $name in
    gzip) "$@" -nc "$input/text" ;;
    xz) "$@" -6 -T1 -c "$input/quarter" ;;
    tar) "$@" --to-stdout -xf "$input/text.tar" ;;
    sha256sum) "$@" "$input/text" ;;
    sort) "$@" --parallel=1 -k 3 "$input/text" ;;
    awk) "$@" '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) if (n[w] > 50) print w, n[w] }' "$input/text" ;;
    sed) "$@" -e 's/\(and[a-z]*\) \([a-z]*\)/\2 \1/' -e 's/[0-9]*$//' "$input/text" ;;
    grep) "$@" -E '(and|pro)[a-z]+ .*(text|[0-9]7)$' "$input/text" ;;
    perl) "$@" "$input/words.pl" "$input/text" ;;
    python3) "$@" "$input/words.py" "$input/quarter" ;;
    esac
}
