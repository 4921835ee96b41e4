# paste.awk - a source with the lines of `assay strides --code --format tsv`, each behind the one that it names.
# Usage: awk -F '\t' -f paste.awk CODE.tsv SOURCE. Lines with a word that a person has to replace are left out, and what
# goes on with their value, too.
FNR == NR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
FNR == NR {
    code = $at["code"]
    if (code ~ /LOADED|START|ARRAY|INDEX/) {
        if (match(code, /ahead_[0-9_]+ =/))
            left[substr(code, RSTART, RLENGTH - 2)] = 1
        next
    }
    if (match(code, /ahead_[0-9_]+/)) {
        name = substr(code, RSTART, RLENGTH)
        if (name in left)
            next
    }
    lines[$at["line"]] = lines[$at["line"]] code "\n"
    next
}
{
    body = previous ~ /^[ \t]*((for|while|if) \(.*\)|else)([ \t]*\/\*.*\*\/)?$/ # a statement without braces
    previous = $0
    if (FNR in lines)
        printf body ? "{\n%s\n%s}\n" : "%s\n%s", $0, lines[FNR]
    else
        print
}
