# Writes an audit as one self-contained HTML page; used with verdict.awk and reports.awk. The figures are the SVG files in the
# audit's directory; the ids in them might clash in one page, so each file gets ids of its own.
function html(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); gsub(/"/, "\\&quot;", text); return text }
function figure(file, caption,   line, text, begun) {
    while ((getline line < file) > 0) {
        if (line ~ /<svg/) begun = 1
        if (!begun) continue
        gsub(/id='/, "id='" "f" figures "-", line)
        gsub(/id="/, "id=\"" "f" figures "-", line)
        gsub(/href='#/, "&f" figures "-", line)
        gsub(/url\(#/, "&f" figures "-", line)
        text = text line "\n"
    }
    close(file)
    if (text == "") return
    figures++
    printf "<figure>%s<figcaption>%s</figcaption></figure>\n", text, html(caption)
}
function head_row(list,   i, n, column) {
    n = split(list, column, "|")
    printf "<thead><tr>"
    for (i = 1; i <= n; i++) printf "<th><button type=\"button\">%s</button></th>", html(column[i])
    print "</tr></thead><tbody>"
}
# A cell: what it shows, and its sort key, if that is a number, or "none" if there is no number.
function td(shown, key) { printf "<td%s>%s</td>", (key == "" ? "" : " class=\"number\" data-key=\"" key "\""), html(shown) }
function with_interval(x, lo, hi, format) {
    if (x == "") return "–"
    return sprintf(format, x) (lo == "" ? "" : " [" sprintf(format, lo) ", " sprintf(format, hi) "]")
}
function verdict_cell(word,   class) {
    class = word ~ /^(believe|actionable)$/ ? "good" : word ~ /^(do not believe|not actionable|failed)$/ ? "bad" : "open"
    printf "<td><span class=\"verdict %s\">%s</span></td>", class, html(word)
}
function summary_table(   i, p) {
    print "<div class=\"scroll\"><table>"
    head_row("Profiler|Verdict|Evidence")
    for (i = 1; i <= names; i++) { p = name[i]; printf "<tr>"; td(p); verdict_cell(judge(p)); td(evidence(p)); print "</tr>" }
    print "</tbody></table></div>"
}
function detail_table(   i, p, r) {
    print "<div class=\"scroll\"><table>"
    head_row("Profiler|Runs|Samples at random|Threads random|Threads not random|Hottest method|Cost, %|Mean slope|Invalid points")
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "<tr>"; td(p); td(good[p] + 0, good[p] + 0); td(random_word(p) == "--" ? "–" : random_word(p))
        r = samples_at_random(p)
        td(r < 0 ? "–" : random[p] + 0, random[p] + 0); td(r < 0 ? "–" : fixed[p] + 0, fixed[p] + 0); td(p in hottest ? hottest[p] : "–")
        td(with_interval(cost[p] == "" ? "" : 100 * cost[p], cost_lo[p] == "" ? "" : 100 * cost_lo[p], 100 * cost_hi[p], "%+.1f"), cost[p] == "" ? "none" : cost[p])
        td(with_slope[p] ? sprintf("%.2f", slope_sum[p] / with_slope[p]) : "–", with_slope[p] ? slope_sum[p] / with_slope[p] : "none")
        td(invalid[p] + 0, invalid[p] + 0); print "</tr>"
    }
    print "</tbody></table></div>"
}
function slope_table(   i) {
    print "<div class=\"scroll\"><table>"
    head_row("Profiler|Method|Slope|R²|Points|Invalid points|Verdict")
    for (i = 1; i <= slopes; i++) {
        printf "<tr>"; td(slope_of[i]); td(slope_method[i])
        td(with_interval(slope[i], slope_lo[i], slope_hi[i], "%.2f"), slope[i] == "" ? "none" : slope[i])
        td(slope_r2[i] == "" ? "–" : sprintf("%.3f", slope_r2[i]), slope_r2[i] == "" ? "none" : slope_r2[i])
        td(slope_points[i], slope_points[i] + 0); td(slope_invalid[i], slope_invalid[i] + 0); verdict_cell(slope_verdict[i]); print "</tr>"
    }
    print "</tbody></table></div>"
}
function pair_table(   i, a, b) {
    print "<div class=\"scroll\"><table>"
    head_row("Profiler|Other|Distance|Hottest by the first|Hottest by the other|These two methods")
    for (i = 1; i <= pairs; i++) {
        a = pair_a[i]; b = pair_b[i]
        printf "<tr>"; td(a); td(b); td(with_interval(distance[a, b], known(a, b) ? low[a, b] : "", high[a, b], "%.3f"), distance[a, b] == "" ? "none" : distance[a, b])
        td(hottest[a]); td(hottest[b]); td(class_text(class[i])); print "</tr>"
    }
    print "</tbody></table></div>"
}
function style() {
    print "<style>\n:root{color-scheme:light dark;--ink:#1c1f24;--quiet:#5b6470;--paper:#fff;--line:#d8dce2;--band:#f5f6f8;--good:#0b6b3a;--good-bg:#dff3e6;--bad:#a11616;--bad-bg:#fbe3e3;--open:#6b5300;--open-bg:#f8efcf}"
    print "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--quiet:#9aa3af;--paper:#14171b;--line:#333a43;--band:#1c2026;--good:#8fe0b0;--good-bg:#123a26;--bad:#ffb0b0;--bad-bg:#4a1919;--open:#f0da8c;--open-bg:#40360f}figure svg{filter:invert(1) hue-rotate(180deg);mix-blend-mode:screen}}"
    print "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem auto;padding:0 1rem}"
    print "h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}p,li{max-width:60rem}p.quiet,figcaption{color:var(--quiet);font-size:.9rem}"
    print "code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px}"
    print "table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:left;vertical-align:top;padding:.45rem .7rem;border-bottom:1px solid var(--line)}tbody tr:last-child td{border-bottom:0}thead{background:var(--band)}"
    print "th{padding:0}th button{all:unset;cursor:pointer;font-weight:600;padding:.45rem .7rem;display:block}th button:focus-visible{outline:2px solid}th[aria-sort=ascending] button::after{content:' ↑'}th[aria-sort=descending] button::after{content:' ↓'}"
    print "td.number{font-variant-numeric:tabular-nums;white-space:nowrap}.verdict{display:inline-block;border-radius:4px;padding:0 .5rem;font-weight:600;white-space:nowrap}.good{color:var(--good);background:var(--good-bg)}.bad{color:var(--bad);background:var(--bad-bg)}.open{color:var(--open);background:var(--open-bg)}"
    print ".figures{margin-top:1rem;display:flex;flex-wrap:wrap;gap:1.2rem;align-items:flex-end}figure{margin:0;max-width:100%}figure svg{max-width:100%;height:auto;display:block}\n</style>"
}
function script() {
    print "<script>\nfor (const button of document.querySelectorAll('th button')) button.onclick = () => {"
    print "  const th = button.parentNode, at = th.cellIndex, body = th.closest('table').tBodies[0];"
    print "  const down = th.getAttribute('aria-sort') === 'ascending' ? -1 : 1;"
    print "  for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');"
    print "  th.setAttribute('aria-sort', down > 0 ? 'ascending' : 'descending');"
    print "  const key = row => { const cell = row.cells[at]; return 'key' in cell.dataset ? Number(cell.dataset.key) : cell.textContent; };"
    print "  const order = (a, b) => {"
    print "    const x = key(a), y = key(b);"
    print "    if (typeof x === 'string') return down * x.localeCompare(y);"
    print "    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : down * (x - y); // what has no number comes last"
    print "  };"
    print "  body.append(...[...body.rows].sort(order));\n};\n</script>"
}
function page(   i, p) {
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>assay: can these profilers be believed?</title>"
    style()
    printf "<h1>Can these profilers be believed?</h1>\n<p><code>%s</code></p>\n<p class=\"quiet\">%d runs with each profiler, and %d without. Intervals: 95 %%, over runs. Click a column's head to sort.</p>\n", html(command), runs, runs
    summary_table()
    if (slopes) {
        print "<h2>Does it see slowdowns?</h2>\n<p class=\"quiet\">Slope of the reported over the real change of the time, where a method was made slower: 1 if all of it is seen, 0 if nothing. Points where the JIT compiler decided otherwise about the method are invalid and left out.</p>"
        slope_table()
        print "<div class=\"figures\">"
        for (i = 1; i <= names; i++) figure("slopes-" name[i] ".svg", name[i] ": each point is a run; milliseconds")
        print "</div>"
    }
    print "<h2>Does it sample at random? What does it cost?</h2>"
    detail_table()
    print "<div class=\"figures\">"
    figure("acf.svg", "Autocorrelation of the sampling intervals, first run, the thread with most")
    figure("cost.svg", "Wall time with the profiler over that without")
    print "</div>"
    if (pairs) {
        printf "<h2>Does it agree with the others?</h2>\n<p class=\"quiet\">Distance: total variation of the shares of methods, 0 to 1. Profiles differ if its interval is above %s.</p>\n", tolerance
        pair_table()
        print "<div class=\"figures\">"
        figure("hotness.svg", "Share of the hottest methods by each profiler")
        print "</div>"
    }
    if (notes) {
        print "<h2>Notes</h2>\n<ul>"
        for (i = 1; i <= notes; i++) printf "<li>%s\n", html(note[i])
        print "</ul>"
    }
    script()
    print "</html>"
}
