# causality.awk - slopes of causality.bench, with csv.awk. Reads the lines of `assay causality --format csv` after the
# program's name, with a header for each program. Prints a line for each method, with its clocks side by side; slopes
# that are not invalid also go to the file `rows`.
function value(name) { return field[at[name]] }
{ csv($0) }
value("method") == "method" || field[4] == "method" { for (i in field) at[field[i]] = i; next }
{
    clock = value("profiler")
    method = field[1] "\t" value("method")
    if (!(method in seen)) { seen[method] = 1; order[++methods] = method }
    points[method] = value("points") "\t" value("invalid_points") "\t" value("runs")
    if (value("slope") == "") { slope[method, clock] = "-\t" value("verdict"); next }
    slope[method, clock] = sprintf("%.3f [%.3f, %.3f]\t%s", value("slope"), value("lo"), value("hi"), value("verdict"))
    line[++n] = clock "," value("slope") "," value("lo") "," value("hi")
}
END {
    print "clock,slope,lo,hi" >rows
    for (i = 1; i <= n; i++) print line[i] >rows
    print "program\tmethod\trandom\tverdict\tsafepoint\tverdict\tpoints\tinvalid\truns"
    for (i = 1; i <= methods; i++)
        print order[i] "\t" slope[order[i], "random"] "\t" slope[order[i], "safepoint"] "\t" points[order[i]]
}
