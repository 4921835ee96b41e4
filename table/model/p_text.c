#include "table/model/p_text.h"

#include <math.h>
#include <stdio.h>

static int p_text_digits;

void p_text_use_digits(int digits)
{
    p_text_digits = digits;
}

void p_text(double p, double log10_p, char text[P_TEXT_MAX])
{
    if (isnan(p) || isnan(log10_p)) {
        snprintf(text, P_TEXT_MAX, "-");
    } else if (p >= 1e-300) {
        const int digits = p_text_digits ? p_text_digits : 2, zeros = (int)ceil(-log10(p)) - 1;
        if (p >= 1e-4)
            snprintf(text, P_TEXT_MAX, "%.*f", p_text_digits ? digits + zeros : 4, p);
        else
            snprintf(text, P_TEXT_MAX, "%.*e", digits - 1, p);
    } else if (isinf(log10_p)) {
        snprintf(text, P_TEXT_MAX, "0");
    } else {
        const int places = p_text_digits ? p_text_digits - 1 : 1;
        double exponent = floor(log10_p), digits = pow(10, log10_p - exponent);
        if (digits >= 10 - 0.5 * pow(10, -places)) { /* which would be rounded to 10.0 */
            digits = 1;
            exponent++;
        }
        snprintf(text, P_TEXT_MAX, "%.*fe%.0f", places, digits, exponent);
    }
}

void table_p(struct table *table, double p, double log10_p)
{
    char text[P_TEXT_MAX];
    p_text(p, log10_p, text);
    table_text(table, text);
}
