# The pilot of an audit, with csv.awk: each method with its amounts, so that the largest takes `slowdown` of the program's CPU
# time, as far as calls and calibration tell, in `steps` steps. With `only_valid`, methods about which the JIT compiler decides
# otherwise with work are left out. With `told`, a file, what is left out is told there. The first row of a method with work counts.
function value(name) { return field[at[name]] }
{ n = csv($0) }
NR == 1 { for (i = 1; i <= n; i++) at[field[i]] = i; next }
value("amount") == 0 { cpu[value("method")] = value("java_cpu_ms") == "" ? value("cpu_ms") : value("java_cpu_ms") }
value("amount") > 0 && value("injected_ms") > 0 && value("status") == "ok" {
    name = value("method")
    if (name in met) next
    met[name]
    if (only_valid && value("guard") != "ok") {
        if (told) printf "%s is passed over: with work of %s a call: %s\n", name, value("amount"), value("guard") > told
        next
    }
    most = slowdown * cpu[name] / (value("injected_ms") / value("amount"))
    step = most / steps < 1 ? 1 : int(most / steps)
    if (step * steps > 1e8) {
        if (told) printf "%s is passed over: its %d call%s would have to take %.3g rounds of work each\n", name, value("calls"), (value("calls") == 1 ? "" : "s"), step * steps > told
        next
    }
    line = name "\t"
    for (k = 1; k <= steps; k++) line = line (k > 1 ? "," : "") sprintf("%d", step * k)
    print line
}
