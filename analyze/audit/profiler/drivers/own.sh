# Runs a profiler of the user's own: a shell command line in which {out} stands for the file that it leaves, and {command} for
# the command.
# shellcheck shell=sh disable=SC2034
about="$template"
format='seen from its content'
present() {
    case $template in *'{out}'*'{command}'* | *'{command}'*'{out}'*) ;; *) echo "'$template' lacks {out} or {command}"; return 1 ;; esac
}
start() {
    own_out=$out/profile
    export own_out
    # shellcheck disable=SC2016 # the shell that is started expands them
    sh -c "$(printf '%s' "$template" | sed 's/{out}/"$own_out"/g; s/{command}/"$@"/g')" own "$@"
}
collect() {
    import_files "$out"/profile*
}
