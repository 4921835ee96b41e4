#!/bin/sh
# datasets/strides: each program gives its known result, those in C the same as those in Java; and the strides of the loads that
# the paper's examples are about are those derived in the programs' comments.
. "$(dirname "$0")/../tap.sh"
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD
scratch
programs=$root/datasets/strides
strides=$build/libexec/assay/assay-strides
export XDG_CACHE_HOME="$build/tests/cache" # of the prepared classes of the JDK
mkdir -p "$XDG_CACHE_HOME"
java='java -XX:+UseSerialGC -XX:+UseCompressedOops -Xmx512m -Xmn384m -cp .'
factor=0.01
has_java=
command -v javac >/dev/null && compile_java -d . "$programs"/java/*.java && has_java=1

# set_command PROGRAM SOURCE: sets $command
set_command() {
    case $2 in
    *.java) command="$java $1" ;;
    *) command=./$1 ;;
    esac
}

# checked PROGRAM SOURCE METHODS: its strides, of the methods that match a regular expression
checked() {
    case $2 in
    *.java) [ "$has_java" ] && [ -e "$build/lib/assay/assay-accesses.jar" ] ;;
    *) [ -x "$1" ] && [ -e "$build/lib/assay/valgrind/assay-amd64-linux" ] ;;
    esac && [ -x "$strides" ] || {
        skip "$1: its accesses cannot be recorded here, or there is no assay strides"
        return
    }
    set_command "$1" "$2"
    rm -rf traces
    # shellcheck disable=SC2086 # words
    "$build/libexec/assay/assay-record" -q -m memory --values -o traces -- $command $factor >out 2>err &&
        "$strides" -q --format csv traces/*.trace >strides.csv &&
        awk -v only="$3" -f "$root/tests/analyze/strides/expect.awk" "$programs/$2" strides.csv >log 2>&1
    ok $? "$1: the strides are those derived: $(tail -n 1 log)" || sed 's/^/# /' log
}

grep -v '^#' "$programs/PROGRAMS" | cut -f 1,2 >list
while read -r program source; do
    expected=$(sed -n "s/^$program //p" "$root/tests/datasets/strides.expected")
    case $source in
    *.java) [ "$has_java" ] || { skip "$program: there is no JDK" && continue; } ;;
    *) "${CC:-gcc}" -std=c17 -Og -g -Wall -Wextra -Werror -o "$program" "$programs/$source" || exit 1 ;;
    esac
    set_command "$program" "$source"
    is "$($command $factor)" "$expected" "$program gives its known result"
done <list

checked FindInMemory java/FindInMemory.java '^FindInMemory[.$]'
checked Db java/Db.java '^Db[.$]'
checked find_in_memory native/find_in_memory.c '^[a-z]'
done_testing
