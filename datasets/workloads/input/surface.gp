# Draws a hidden-line surface with contours and a sampled curve N times into /dev/null; prints one line.
set terminal svg
set output "/dev/null"
set samples 400
set isosamples 70
set hidden3d
set contour both
set cntrparam levels 12
set dgrid3d 40,40 qnorm 2
set print "-"

f(x, y) = sin(x) * cos(y) + 0.3 * sin(3 * x + y) * exp(-(x * x + y * y) / 20)
g(x) = besj0(x) + 0.1 * sin(20 * x)

do for [i = 1:n] {
    unset dgrid3d
    splot [-6:6] [-6:6] f(x, y) with lines
    set dgrid3d 40,40 qnorm 2
    splot "+" using (5 * cos($1 * 7)):(5 * sin($1 * 11)):(g($1)) with lines
    plot [0:30] for [k = 1:10] g(x + k) title sprintf("%d", k)
}

unset dgrid3d
set table $sampled
plot [0:30] g(x)
unset table
stats $sampled using (int(1e6 * $2)) nooutput
print sprintf("%s: %d iterations, checksum %08x", name, n, abs(STATS_sum))
