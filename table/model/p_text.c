#include "table/model/p_text.h"

#include <math.h>
#include <stdio.h>

void p_text(double p, double log10_p, char text[P_TEXT_MAX])
{
    if (isnan(p) || isnan(log10_p)) {
        snprintf(text, P_TEXT_MAX, "-");
    } else if (p >= 1e-300) {
        snprintf(text, P_TEXT_MAX, p >= 1e-4 ? "%.4f" : "%.1e", p);
    } else if (isinf(log10_p)) {
        snprintf(text, P_TEXT_MAX, "0");
    } else {
        double exponent = floor(log10_p), digits = pow(10, log10_p - exponent);
        if (digits >= 9.95) { /* which %.1f would round to 10.0 */
            digits = 1;
            exponent++;
        }
        snprintf(text, P_TEXT_MAX, "%.1fe%.0f", digits, exponent);
    }
}

void table_p(struct table *table, double p, double log10_p)
{
    char text[P_TEXT_MAX];
    p_text(p, log10_p, text);
    table_text(table, text);
}
