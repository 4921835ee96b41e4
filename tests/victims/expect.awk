# expect.awk - checks that the pairs of a victim are the expected ones. Arguments: -v base=FILE.c [-v only=KIND], then the
# victim's source; its expectations with numbers instead of n (`-` where nothing is expected); the output of
# tests/exact/tool/pairs for its trace. Prints a line for each difference; the exit status is 1 if there is one. victim.h
# describes the language. `only` is set if the mode recorded just this kind, so that other expectations don't count.
function fail(text) { print text; bad = 1 }
function line_of(name) {
    if (!(name in mark)) { fail("no line is marked " name); return -1 }
    return mark[name]
}
# Replaces names by lines: @a<@b* becomes 12<34*.
function lines_of(text,   parts, count, i, result, star) {
    if (text == "other" || text == "any") return text
    star = sub(/\*$/, "", text) ? "*" : ""
    count = split(text, parts, "<")
    for (i = 1; i <= count; i++) result = result (i > 1 ? "<" : "") line_of(parts[i])
    return result star
}
# The lines of the frames in the victim's file, innermost first, without main (without_main) and with it (with_main).
function read_path(text,   frames, count, i, frame, result) {
    count = split(text, frames, "<")
    inside = frames[1] ~ /^victim_/
    result = ""
    for (i = 1; i <= count; i++) {
        if (split(frames[i], frame, "|") < 3 || frame[2] != base) break
        if (frame[1] == "main") { with_main = result "<" frame[3]; without_main = result; return }
        result = result (i > 1 ? "<" : "") frame[3]
    }
    with_main = without_main = result
}
function match_path(wanted, in_victim, without, with,   head) {
    if (wanted == "any") return 1
    if (wanted == "other") return !in_victim
    if (!in_victim) return 0
    if (wanted ~ /\*$/) { head = substr(wanted, 1, length(wanted) - 1); return without == head || index(without, head "<") == 1 }
    return wanted == without || wanted == with
}
function find(type,   i) {
    for (i = 1; i <= rows; i++)
        if (what[i] == type && (kind[i] == seen_kind || kind[i] == "*") &&
            match_path(first[i], first_in, first_without, first_with) &&
            match_path(second[i], second_in, second_without, second_with)) return i
    return 0
}
function check_scope(i, text,   frame, line) {
    split(text, frame, "|")
    line = text == "-" ? "none" : frame[3]
    if (scope[i] == "none" ? line != "none" : line == "none" || line < scope_low[i] || line > scope_high[i])
        wrong_scope[i] = line
}
function check_object(i, text,   frames, count, k, frame) {
    count = split(text, frames, "<")
    for (k = 1; k <= count; k++) {
        sub(/^(static|heap):[0-9]+:/, "", frames[k])
        split(frames[k], frame, "|")
        if (object[i] ~ /^@/ ? frame[2] == base && frame[3] == line_of(object[i]) : frame[1] == object[i]) return
    }
    wrong_object[i] = text
}
function add(i) {
    events[i] += f[9]; wasted_events[i] += f[10]; bytes[i] += f[11]; wasted_bytes[i] += f[12]
    if (f[12] > 0 && scope[i] != "") check_scope(i, f[7])
    if (object[i] != "") check_object(i, f[8])
}
function compare(i, name, wanted, got) {
    if (wanted != "-" && wanted + 0 != got + 0) fail(title[i] ": " name " " got + 0 ", expected " wanted)
}
FNR == 1 { file++ }
file == 1 && match($0, /\/\* @[a-z0-9_]+ \*\//) { mark[substr($0, RSTART + 3, RLENGTH - 6)] = FNR }
file == 2 && ($1 == "pair" || $1 == "maybe") {
    if (only != "" && $2 != only && $2 != only "~" && $2 != "*") next
    rows++
    title[rows] = $2 " " $3 " " $4
    what[rows] = $1; kind[rows] = $2; first[rows] = lines_of($3); second[rows] = lines_of($4)
    want_events[rows] = $5; want_bytes[rows] = $6; want_wasted_events[rows] = $7; want_wasted_bytes[rows] = $8
    for (i = 9; i < NF; i += 2)
        if ($i == "in") {
            scope[rows] = $(i + 1)
            n = split(scope[rows], ends, /\.\./)
            if (scope[rows] != "none") { scope_low[rows] = line_of(ends[1]); scope_high[rows] = line_of(ends[n]) }
        } else object[rows] = $(i + 1)
}
file == 3 && $1 == "damage" { fail($0) }
file == 3 && $1 == "pair" {
    split($0, f, "\t")
    seen_kind = f[3] (f[4] == "approximate" ? "~" : "")
    read_path(f[5]); first_in = inside; first_with = with_main; first_without = without_main
    read_path(f[6]); second_in = inside; second_with = with_main; second_without = without_main
    row = find("pair")
    if (row > 0) add(row)
    else if (!find("maybe")) fail("unexpected: " $0)
}
END {
    for (i = 1; i <= rows; i++) {
        if (what[i] != "pair") continue
        compare(i, "events", want_events[i], events[i])
        compare(i, "bytes", want_bytes[i], bytes[i])
        compare(i, "wasted events", want_wasted_events[i] == "all" ? events[i] : want_wasted_events[i], wasted_events[i])
        compare(i, "wasted bytes", want_wasted_bytes[i] == "all" ? bytes[i] : want_wasted_bytes[i], wasted_bytes[i])
        if (i in wrong_scope) fail(title[i] ": scope " wrong_scope[i] ", expected " scope[i])
        if (i in wrong_object) fail(title[i] ": object " wrong_object[i] ", expected " object[i])
    }
    exit bad
}
