# Reads the table of assay inject (with csv.awk) and prints, for all methods or for the one in the variable `method`: method,
# run, amount, whether it is valid, CPU time of Java threads and of the JVM, and that of Java threads before the program began.
function known(name) { return field[at[name]] == "" ? "-" : field[at[name]] }
{ n = csv($0) }
NR == 1 { for (i = 1; i <= n; i++) at[field[i]] = i; next }
known("status") == "ok" && (method == "" || known("method") == method) {
    printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", known("method"), known("run"), known("amount"), (known("guard") == "ok" ? "yes" : "no"),
        known("java_cpu_ms"), known("jvm_cpu_ms"), known("start_java_ms")
}
