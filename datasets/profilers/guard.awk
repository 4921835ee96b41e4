# The table of assay inject, with csv.awk: what the guard says of the run of `method` with this `work` and `amount`; nothing if it failed.
{ n = csv($0) }
NR == 1 { for (i = 1; i <= n; i++) at[field[i]] = i; next }
field[at["method"]] == method && field[at["work"]] == work && field[at["amount"]] == amount && field[at["status"]] == "ok" { guard = field[at["guard"]] }
END { print guard }
