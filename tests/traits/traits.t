#!/bin/sh
# Programs that are easily disturbed do the same when they are sampled. Where a program still notices it, the table of
# `tests/traits/traits` says CHANGED, and the program's file says why.
. "$(dirname "$0")/../tap.sh"
scratch

# Each result is printed as soon as it is known: all of them take minutes.
mkfifo rows
"$root/tests/traits/traits" -k cpu >rows &
while read -r name outcome rest; do
    [ "$name" != trait ] || continue # the title
    file=$(ls "$root/tests/traits/$name".*)
    todo=$(sed -n '1,20s/^[ #/*]*todo: *//p' "$file" | sed 's, *\*/$,,' | head -n 1)
    case $outcome in
    same) ok 0 "$name" ;;
    CHANGED)
        if [ -n "$todo" ]; then
            tap_count=$((tap_count + 1))
            echo "not ok $tap_count - $name # TODO $todo"
        else
            ok 1 "$name"
        fi
        sed 's/^/# /' "differences/$(basename "$file").cpu"
        ;;
    skipped:) skip "$name: $rest" ;;
    *) ok 1 "$name: $outcome $rest" ;;
    esac
done <rows
wait
[ $tap_count -gt 50 ]
ok $? 'there are more than fifty of them'
done_testing
