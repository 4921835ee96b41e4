# callgrind counts every instruction of a native program, and samples nothing.
# shellcheck shell=sh disable=SC2034
about="Valgrind's callgrind, instructions"
format=callgrind
present() {
    command -v valgrind >/dev/null || { echo 'there is no valgrind; install it'; return 1; }
}
start() {
    valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file="$out/callgrind.%p" "$@"
}
collect() {
    import_files "$out"/callgrind.*
}
