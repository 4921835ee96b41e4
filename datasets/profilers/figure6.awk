# Brings points of the profiler `p`, from assay causality --points or from `points`, into the same columns and leaves out
# those that are not valid; used with csv.awk.
NR == 1 {
    n = csv($0)
    for (i = 1; i <= n; i++) at[field[i]] = i
    print "profiler,method,amount,run,program_ms,method_ms"
    next
}
{ csv($0) }
("valid" in at) && field[at["valid"]] != "yes" { next }
{
    method = field[at["method"]]
    gsub(/"/, "\"\"", method)
    print p ",\"" method "\"," field[at["amount"]] "," field[at["run"]] "," field[at["program_ms"]] "," field[at["method_ms"]]
}
