# The page of published tables and figures beside ours, as HTML; used with csv.awk, and with these files in this order:
#   mark=exceptions FILE mark=comparisons FILE mark=published FILE... mark=machine FILE mark=notes FILE...
# -v directory= has the figures, -v papers= the short names of papers whose part was measured. The notes give the order of
# papers and tables, and the text.

function html(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); gsub(/"/, "\\&quot;", text); return text }
function spaced(text) { gsub(/_/, " ", text); return html(text) }
# Text of notes: `code` and plain addresses of nothing else.
function prose(text) {
    text = html(text)
    while (match(text, /`[^`]*`/))
        text = substr(text, 1, RSTART - 1) "<code>" substr(text, RSTART + 1, RLENGTH - 2) "</code>" substr(text, RSTART + RLENGTH)
    return text
}
function rounded(x) { return x == "" ? "" : sprintf("%.3g", x) }
function shown(value, lo, hi) {
    if (value !~ /^[-+0-9.e]+$/) return html(value)
    return rounded(value) (lo != "" && hi != "" && lo != hi ? " [" rounded(lo) ", " rounded(hi) "]" : "")
}
# Our values beside a cell, with a mark that needs no colour.
function ours(key,   n, list, k, i, out, sign) {
    n = split(beside[key], list, " ")
    for (k = 1; k <= n; k++) {
        i = list[k]
        if (verdict[i] == "not measured") continue
        sign = verdict[i] == "agrees" ? "=" : verdict[i] == "differs" ? "&ne;" : verdict[i] == "undecided" ? "?" : ""
        out = out "<span class=\"ours" (sign != "" ? " " verdict[i] : "") "\" title=\"" html(label[i]) ": " verdict[i] "\">" sign " " \
            shown(value[i], lo[i], hi[i]) "<small>" html(label[i]) "</small></span>"
    }
    return out
}
function grid(table,   r, c, key, n, list, extra, i) {
    print "<div class=scroll><table><thead><tr>"
    for (c = 1; c <= columns[table]; c++) if (head[table, c] != "kind") printf "<th>%s</th>", spaced(head[table, c])
    # Columns and rows of ours that the paper has not.
    n = split(own_columns[table], list, SUBSEP)
    for (i = 1; i <= n; i++) printf "<th class=own>%s, ours</th>", spaced(list[i])
    print "</tr></thead><tbody>"
    for (r = 1; r <= rows[table]; r++) {
        printf "<tr>"
        for (c = 1; c <= columns[table]; c++) {
            if (head[table, c] == "kind") continue
            printf "<td>%s%s</td>", html(cell[table, r, c]), ours(table SUBSEP row_name[table, r] SUBSEP head[table, c])
        }
        for (i = 1; i <= n; i++) printf "<td>%s</td>", ours(table SUBSEP row_name[table, r] SUBSEP list[i])
        print "</tr>"
    }
    extra = split(own_rows[table], keys, SUBSEP)
    for (r = 1; r <= extra; r++) {
        printf "<tr class=own>"
        for (c = 1; c <= columns[table]; c++) {
            if (head[table, c] == "kind") continue
            key = meta["rows"]
            sub(/ .*/, "", key)
            printf "<td>%s</td>", head[table, c] == key ? html(keys[r]) " <small>ours alone</small>" : ours(table SUBSEP keys[r] SUBSEP head[table, c])
        }
        for (i = 1; i <= n; i++) printf "<td>%s</td>", ours(table SUBSEP keys[r] SUBSEP list[i])
        print "</tr>"
    }
    print "</tbody></table></div>"
}
# An image without another file: the page can be sent alone.
function image(file,   command, data) {
    command = "base64 -w 0 '" directory "/" file "'"
    command | getline data
    close(command)
    sub(/[.]svg$/, "", file)
    print "<figure><img alt=\"" html(file) "\" src=\"data:image/svg+xml;base64," data "\"><figcaption>ours: " html(file) "</figcaption></figure>"
}
function figures(   command, file, found) {
    if (meta["figures"] == "") return
    command = "cd '" directory "' && ls " meta["figures"] " 2>/dev/null"
    print "<div class=figures>"
    while ((command | getline file) > 0) { image(file); found = 1 }
    close(command)
    print "</div>"
    if (!found) print "<p class=quiet>Ours was not drawn: this part has not been run, or its figure needs what is not here.</p>"
}
function counts(table,   text) {
    return (agrees[table] + 0) " agree, " (differs[table] + 0) " differ, " (undecided[table] + 0) " undecided, " (missing[table] + 0) " not measured" \
        (others[table] ? ", " others[table] " more of ours without a verdict" : "")
}
# What the notes of a section collected.
function finish_section() {
    if (section == "") return
    printf "<section id=\"%s\"><h3>%s</h3>\n", html(section), prose(title)
    if (section in columns) print "<p class=counts>" counts(section) "</p>"
    printf "%s", text
    if (section in exceptions) print "<p>Printed values that do not follow from the paper's own data:</p><ul>" exceptions[section] "</ul>"
    if (section in columns) grid(section)
    figures()
    print "</section>"
    section = text = ""
}
function finish_paragraph() {
    if (paragraph != "") text = text "<p>" prose(paragraph) "</p>\n"
    paragraph = ""
}
function begin_page(   i) {
    while ((getline line < style) > 0) print line
    print "<title>The papers' tables and figures beside ours</title></head><body><main>"
    print "<h1>The papers' tables and figures beside ours</h1>"
    print "<p>In each cell the published value stands first, ours below it with its 95&nbsp;% interval. <b>=</b> the interval meets what rounds to the printed number; <b>&ne;</b> it does not; <b>?</b> it does only because it is so wide that it says nothing. Values without a mark are of another quantity, or have no interval. The text says why values differ.</p>"
    print "<div class=scroll><table><thead><tr><th>paper<th>agree<th>differ<th>undecided<th>not measured<th>ours without a verdict</tr></thead><tbody>"
    for (i = 1; i <= paper_count; i++) {
        p = paper_order[i]
        printf "<tr><td><a href=\"#%s\">%s</a><td>%d<td>%d<td>%d<td>%d<td>%d</tr>\n", p, p, agrees[p], differs[p], undecided[p], missing[p], others[p]
    }
    printf "<tr><td>all<td>%d<td>%d<td>%d<td>%d<td>%d</tr>\n", agrees["all"], differs["all"], undecided["all"], missing["all"], others["all"]
    print "</tbody></table></div>"
    if (machine != "") print "<pre>" machine "</pre>"
    begun = 1
}
function count_verdict(name, v) {
    if (v == "agrees") agrees[name]++
    else if (v == "differs") differs[name]++
    else if (v == "undecided") undecided[name]++
    else if (v == "not measured") missing[name]++
    else others[name]++
}
# Adds a name to a list once.
function listed(list, name) {
    return index(SUBSEP list SUBSEP, SUBSEP name SUBSEP) ? list : list == "" ? name : list SUBSEP name
}

mark == "exceptions" {
    if (/^#/ || /^table,/) next
    csv($0)
    t = field[1]
    sub(/[.]csv$/, "", t)
    exceptions[t] = exceptions[t] "<li>" html(field[2]) ", " spaced(field[3]) ": printed " html(field[5]) ", the data give " html(field[6]) "</li>"
    next
}
mark == "comparisons" {
    if (FNR == 1) next
    csv($0)
    i = ++entries
    key = field[1] SUBSEP field[2] SUBSEP field[3]
    beside[key] = beside[key] " " i
    label[i] = field[5]; value[i] = field[6]; lo[i] = field[7]; hi[i] = field[8]; verdict[i] = field[9]
    table_of[i] = field[1]; row[i] = field[2]; column[i] = field[3]
    next
}
mark == "published" {
    if (FNR == 1) { table = FILENAME; sub(/.*\//, "", table); sub(/[.]csv$/, "", table) }
    if (/^#/) next
    n = csv($0)
    if (!(table in columns)) {
        columns[table] = n
        for (c = 1; c <= n; c++) { head[table, c] = field[c]; column_of[table, field[c]] = c }
        next
    }
    rows[table]++
    for (c = 1; c <= n; c++) cell[table, rows[table], c] = field[c]
    next
}
mark == "machine" { machine = machine html($0) "\n"; next }
mark == "outline" && /^# / { paper = FILENAME; sub(/.*\//, "", paper); sub(/[.]md$/, "", paper); paper_order[++paper_count] = paper }
mark == "outline" && /^## / { table = paper "-" $2; sub(/:$/, "", table); paper_of[table] = paper }
mark == "outline" && /^- rows: / {
    n = split(substr($0, 9), keys, " ")
    for (r = 1; r <= rows[table]; r++) {
        name = ""
        for (k = 1; k <= n; k++) {
            part = cell[table, r, column_of[table, keys[k]]]
            name = name (name != "" && part != "" ? " " : "") part
        }
        row_name[table, r] = name
        published_row[table, name]
    }
}
mark == "outline" { next }
!begun {
    for (i = 1; i <= entries; i++) {
        count_verdict(table_of[i], verdict[i])
        count_verdict(paper_of[table_of[i]], verdict[i])
        count_verdict("all", verdict[i])
        if (!((table_of[i], column[i]) in column_of)) own_columns[table_of[i]] = listed(own_columns[table_of[i]], column[i])
        if (!((table_of[i], row[i]) in published_row)) own_rows[table_of[i]] = listed(own_rows[table_of[i]], row[i])
    }
    begin_page()
}
/^## / { finish_paragraph(); finish_section(); section = $2; sub(/:$/, "", section); section = paper "-" section; title = substr($0, 4)
    sub(/^[a-z0-9.]*: /, "", title); text = ""; split("", meta); next }
/^# / { finish_paragraph(); finish_section(); paper = FILENAME; sub(/.*\//, "", paper); sub(/[.]md$/, "", paper)
    printf "<h2 id=\"%s\">%s</h2>\n", paper, html(substr($0, 3)); next }
/^- [a-z]+: / { key = substr($2, 1, length($2) - 1); meta[key] = substr($0, 5 + length(key)); next }
/^$/ { finish_paragraph(); if (section == "") { printf "%s", text; text = "" } next }
{ paragraph = paragraph (paragraph == "" ? "" : " ") $0 }
END { finish_paragraph(); finish_section(); print "</main></body></html>" }
