#!/bin/sh
# Strides that are derived on paper, of native programs (tests/victims/strides) and of Java: assay strides has the verdicts of
# the comments at the top of the victims, and so has a model that shares no code with it and reads what assay dump prints.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'engine exact is for x86-64'
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD
scratch
here=$root/tests/analyze/strides
programs=$build/libexec/assay
export XDG_CACHE_HOME="$build/tests/cache" # of the prepared classes of the JDK
mkdir -p "$XDG_CACHE_HOME"

# record COMMAND...: records it into the folder traces
record() {
    rm -rf traces
    "$programs/assay-record" -q -m memory --values -o traces -- "$@" >out 2>err
}

# verdicts SOURCE METHODS [OPTION]: two tests of the traces; of the methods that match a regular expression
verdicts() {
    ${3:+env MOVES=1} python3 "$here/model.py" "$programs/assay-dump" "$2" traces/*.trace >model.csv &&
        awk -v only="$2" -f "$here/expect.awk" "$1" model.csv >log 2>&1
    ok $? "$(basename "$1"): the model finds the derived strides: $(tail -n 1 log)" || sed 's/^/# /' log
    if [ ! -x "$programs/assay-strides" ]; then
        skip 'there is no assay strides in this build'
        return
    fi
    "$programs/assay-strides" -q ${3:+"$3"} --format csv traces/*.trace >strides.csv &&
        awk -v only="$2" -f "$here/expect.awk" "$1" strides.csv >log 2>&1
    ok $? "$(basename "$1"): and so does assay strides" || sed 's/^/# /' log
}

# native NAME [OPTION]
native() {
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -Og -g -pthread -o "$1" "$root/tests/victims/strides/$1.c" || exit 1
    "./$1" >plain
    record "./$1"
    is "$? $(cat out)" "0 $(cat plain)" "$1: recorded, it gives its own result"
    verdicts "$root/tests/victims/strides/$1.c" '^victim_' "${2-}"
}

# java_class NAME: in a JVM with compressed references, whose collector slides
java_class() {
    compile_java -d . "$root/tests/victims/java/$1.java" || exit 1
    set -- "$1" -XX:+UseSerialGC -XX:+UseCompressedOops -Xmn64m -cp . "$1"
    class=$1
    shift
    java "$@" >plain
    record java "$@"
    is "$? $(cat out)" "0 $(cat plain)" "$class: recorded, it gives its own result"
    verdicts "$root/tests/victims/java/$class.java" "^$class""[.]"
}

command -v python3 >/dev/null || skip_all 'the model needs python3'
if command -v valgrind >/dev/null; then
    for source in "$root"/tests/victims/strides/*.c; do
        name=$(basename "$source" .c)
        native "$name" "$([ "$name" != merges ] || echo --moves)"
    done
else
    skip 'valgrind is not installed'
fi
if command -v javac >/dev/null && [ -e "$build/lib/assay/assay-accesses.jar" ]; then
    java_class Strides
    java_class Compacted
else
    skip 'there is no JDK here, or no rewriter of accesses in this build'
fi
done_testing
