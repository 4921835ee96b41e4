# awk -f verbs.awk SUMMARIES assay.1: the manual with an entry for each program. A line of SUMMARIES: VERB<tab>what it is for.
BEGIN { FS = "\t" }
# A sentence, or several: each begins with a capital.
function sentences(text,   done) {
    text = toupper(substr(text, 1, 1)) substr(text, 2)
    while (match(text, /[?] [a-z]/)) {
        done = done substr(text, 1, RSTART + 1) toupper(substr(text, RSTART + 2, 1))
        text = substr(text, RSTART + 3)
    }
    text = done text
    return text ~ /[?.]$/ ? text : text "."
}
FNR == NR { verb[++count] = $1; summary[count] = sentences($2); next }
/^[.]\\" VERBS/ {
    for (i = 1; i <= count; i++)
        printf ".TP\n.BR %s \", see \" assay\\-%s (1)\n%s\n", verb[i], verb[i], summary[i]
    next
}
{ print }
