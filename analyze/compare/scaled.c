#include "analyze/compare/scaled.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/csv/quantity.h"

/* Units by size; each is 1000 (1024) times the one before. A kind may go on, as "time/op" does: the units then get the
 * same end. */
static const struct scaled_family {
    const char *kind;
    double first, step; /* the first unit in the base of the kind */
    const char *units[6];
} families[] = {{"time", 1e-9, 1000, {"ns", "µs", "ms", "s"}},
                {"bytes", 1, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}},
                {"bytes", 1, 1000, {"B", "kB", "MB", "GB", "TB"}},
                {"bits", 1, 1000, {"bit", "kbit", "Mbit", "Gbit"}},
                {"frequency", 1, 1000, {"Hz", "kHz", "MHz", "GHz"}}};

static const struct scaled_family *scaled_find_family(const struct quantity_unit *unit)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct scaled_family *family = &families[i];
        bool binary = family->step == 1024, is_binary = unit->multiplier % 1024 == 0;
        if (strncmp(unit->kind, family->kind, strlen(family->kind)) == 0 && binary == is_binary &&
            (binary || unit->multiplier == 1))
            return family;
    }
    return NULL;
}

struct scale scaled_choose(const char *unit, double largest)
{
    static const char suffixes[] = "kMGT";
    const char *name = unit ? unit : "";
    const struct quantity_unit *known = quantity_unit_named((struct rows_cell){name, strlen(name)});
    const struct scaled_family *family = known ? scaled_find_family(known) : NULL;
    struct scale scale = {.factor = 1};
    if (family) {
        size_t i = 0;
        double in_base = (double)known->multiplier * pow(10, known->exponent), size = family->first;
        while (family->units[i + 1] && largest * in_base >= size * family->step * 0.9995) {
            size *= family->step;
            i++;
        }
        scale.factor = in_base / size;
        snprintf(scale.unit, sizeof scale.unit, " %s%s", family->units[i], known->kind + strlen(family->kind));
        return scale;
    }
    char suffix[2] = "";
    if (largest >= 1e6)
        for (size_t i = 0; i < sizeof suffixes - 1 && largest * scale.factor >= 999.5; i++) {
            scale.factor /= 1000;
            *suffix = suffixes[i];
        }
    snprintf(scale.unit, sizeof scale.unit, "%s%s%.16s", suffix, *name ? " " : "", name);
    return scale;
}

/* The digits after the point that leave `digits` significant ones: 0.0123 with 3: 4. */
static int scaled_decimal_places(double scaled, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, scaled);
    int decimal_places = digits - 1 - atoi(strchr(text, 'e') + 1);
    return decimal_places < 0 ? 0 : decimal_places > 12 ? 12 : decimal_places;
}

void scaled_pair(const double values[2], const struct scale *scale, int digits, char texts[2][SCALED_MAX])
{
    const double largest = fmax(values[0], values[1]) * scale->factor;
    bool whole = true;
    for (size_t i = 0; i < 2; i++) {
        double scaled = values[i] * scale->factor;
        whole &= isnan(scaled) || (fabs(scaled - round(scaled)) <= 1e-12 * scaled && scaled < 1e6);
    }
    for (size_t i = 0; i < 2; i++) {
        double scaled = values[i] * scale->factor;
        int decimal_places = whole ? 0 : scaled_decimal_places(scaled < largest / 10 ? scaled : largest, digits);
        *texts[i] = '\0';
        if (!isnan(scaled))
            snprintf(texts[i], SCALED_MAX, "%.*f%s", decimal_places, scaled, scale->unit);
    }
}
