/* The script for gnuplot: columns by purpose, series, texts, and boxes computed from values. */
#include "plots/render/shape.h"

#include <stdlib.h>

#include "tests/tap.h"

/* The words of a recipe point into its text. */
static void make_recipe(struct recipe *recipe, const char *needs, const char *key, enum recipe_boxes boxes)
{
    static char text[8][32];
    snprintf(text[0], sizeof text[0], "%s", needs);
    snprintf(text[1], sizeof text[1], "%s", key);
    *recipe = (struct recipe){.groups = 8, .label = 40, .top = SIZE_MAX, .boxes = boxes, .key = key ? text[1] : NULL};
    recipe->needs = (struct recipe_words){{text[0]}, 1};
}

/* The script for this table, or the message. To free(). */
static char *shaped(const char *table, const struct recipe *recipe)
{
    struct error_text message = {""};
    struct csv *csv = NULL;
    struct shape shape;
    char *script = NULL;
    size_t size;
    FILE *in = fmemopen((void *)(uintptr_t)table, strlen(table), "r"), *out = open_memstream(&script, &size);
    int status = csv_read(in, &csv, &message);
    if (!status && (status = shape_init(&shape, recipe, &(struct shape_source){csv, NULL},
                                        &(struct shape_choices){.low = NAN, .high = NAN}, &message)) == 0) {
        status = shape_write(&shape, out, &message);
        shape_free(&shape);
    }
    if (status)
        fprintf(out, "%s", message.text);
    fclose(in);
    fclose(out);
    csv_free(csv);
    return script;
}

static void has(const char *script, const char *lines, const char *what)
{
    if (!ok(strstr(script, lines), "%s", what))
        printf("# expected in the script:\n# %s\n# got:\n%s\n", lines, script);
}

static void test_boxes(void)
{
    struct recipe recipe;
    make_recipe(&recipe, "value", "*", RECIPE_BOXES_TUKEY);
    /* by hand: quartiles 2 3 4, limits −1 and 7; blanks are counted, a single value is a box */
    char *script = shaped("name,value,note\na,3,x\na,1,\nb,5,\na,100,\na,,\na,2,\na,4,\nb,,\n", &recipe);
    has(script, "group_count = 1\n", "a table without a second text column is one series");
    has(script, "key_count = 2\n", "a box for each name");
    has(script, "$rows << end_of_rows\n0\t0\t5\t2\t3\t4\t1\t4\t0\t0\t1\n0\t1\t1\t5\t5\t5\t5\t5\t0\t0\t1\nend_of_rows\n",
        "a row has n, box, whiskers, values below, above and blank");
    has(script, "NaN\tNaN\tNaN\n0\t0\t100\nend_of_points\n", "a value beyond the whiskers is a point");
    has(script, "axis_low = 1\naxis_high = 100\n", "the axis includes all values");
    has(script, "column_middle = 5\nhas_middle = 1\nmin_middle = 3\nmax_middle = 5\n",
        "a column has its index and range");
    free(script);

    make_recipe(&recipe, "value", "*", RECIPE_BOXES_SD);
    script = shaped("name,clock,value\na,x,0\na,y,7\na,x,10\nb,x,5\n", &recipe);
    has(script, "group_name[1] = 'x'\ngroup_name[2] = 'y'\n", "the second column of texts names the series");
    /* by hand: mean 5, sd √50 = 7.071067811865475244 */
    has(script, "0\t0\t2\t-2.0710678118654751\t5\t12.071067811865476\t-2.07", "a box of mean and sd");
    has(script, "0\t1\t1\tNaN\t5\tNaN\tNaN\tNaN\t0\t0\t0\n\n\n1\t0\t1\tNaN\t7",
        "a single value has no sd; blank lines separate series");
    has(script, "1\t1\t0\tNaN\tNaN\tNaN\tNaN\tNaN\t0\t0\t0\nend_of_rows", "a box that a series lacks is NaN");
    free(script);

    script = shaped("name,value\na,1.7e308\na,-1.7e308\n", &recipe);
    has(script, "row 1: the value 1.7e308 is too large to be drawn", "values too large to be drawn are refused");
    free(script);
}

/* 1001 values from 0 to 1, and four far away. */
static void test_axis(void)
{
    struct recipe recipe;
    make_recipe(&recipe, "value", "*", RECIPE_BOXES_TUKEY);
    char *table = NULL;
    size_t size;
    FILE *out = open_memstream(&table, &size);
    fputs("name,value\na,1e6\na,-2e6\na,-3e6\na,2.6\n", out);
    for (int i = 0; i <= 1000; i++)
        fprintf(out, "a,%.3f\n", i / 1000.);
    fclose(out);
    char *script = shaped(table, &recipe);
    has(script, "\t0\t1\t2\t1\t0\nend_of_rows", "whiskers reach the ends; two values are below the axis, one above");
    has(script, "axis_low = -2\naxis_high = 3\n", "the axis extends two lengths beyond the whiskers on both sides");
    has(script, "NaN\n0\t0\t2.6000000000000001\nend_of_points", "values beyond the axis are not points");
    free(script);
    free(table);
}

/* Values that would overlap are drawn once. */
static void test_many(void)
{
    struct recipe recipe;
    make_recipe(&recipe, "value", "*", RECIPE_BOXES_SD);
    char *table = NULL;
    size_t size, points = 0;
    FILE *out = open_memstream(&table, &size);
    fputs("name,value\n", out);
    for (int i = 0; i < 100000; i++)
        fprintf(out, "a,%d\n", i);
    fclose(out);
    char *script = shaped(table, &recipe);
    for (const char *at = strstr(script, "$points"); at && (at = strchr(at, '\n')); at++)
        points++;
    /* sd of a uniform distribution: 1/√12 of its range; 1 − 2/√12 of 2000 distinct places are beyond */
    ok(points > 830 && points < 860, "42265 values beyond the box make about 846 points (%zu lines)", points);
    free(script);
    free(table);
}

static void test_columns(void)
{
    struct recipe recipe;
    make_recipe(&recipe, "mean", "*", RECIPE_NO_BOXES);
    recipe.texts = (struct recipe_words){{"method"}, 1};
    char *script = shaped("name,clock,size,mean,method\np,a,1,10,t\np,b,1,11,z\nq,a,1,12,t\nq,a,2,13,\n", &recipe);
    has(script, "group_name[1] = 'a, size 1'\ngroup_name[2] = 'b, size 1'\ngroup_name[3] = 'a, size 2'\n",
        "all columns of texts but the first name the series");
    has(script, "text_method[1] = 't'\ntext_method[2] = 'z'\ntext_method[3] = ''\n", "a series has its text");
    has(script, "key_label[1] = 'p'\nkey_label[2] = 'q'\n", "the first column names the rows");
    has(script, "name_mean = 'mean'\n", "a column has its name");
    free(script);
    script = shaped("name,mean,method\np,10,t\nq,10,z\n", &recipe);
    has(script, "text_method[1] = ''\n", "a series whose rows differ has no text");
    free(script);
    script = shaped("\"\",name,mean\n1,p,10\n2,q,11\n", &recipe);
    has(script, "key_label[1] = 'p'\n", "a column without a name names no rows");
    free(script);
    script = shaped("name,mean\ngcc-12.1.0,10\nlib/a.b.c,11\n", &recipe);
    has(script, "key_label[1] = 'gcc-12.1.0'\nkey_label[2] = 'lib/a.b.c'\n", "names that are not methods stay whole");
    free(script);
    script = shaped("name,mean\nx.y.A.m(int),10\nGC,11\n", &recipe);
    has(script, "key_label[1] = 'A.m'\nkey_label[2] = 'GC'\n", "names of methods are shortened");
    free(script);
    script = shaped("mean\n10\n", &recipe);
    has(script, "key_label[1] = ''\n", "a value without a name has an empty label");
    free(script);
}

static void test_by(void)
{
    struct error_text message = {""};
    struct recipe recipe;
    make_recipe(&recipe, "value", "*", RECIPE_BOXES_SD);
    ok(recipe_set_by(&recipe, "", &message) == STATUS_USAGE, "--by without a column is refused");
    ok(recipe_set_by(&recipe, "a,,b", &message) == STATUS_USAGE, "--by with an empty name is refused");
    is_text(message.text, "'a,,b' is not a comma-separated list of 1 to 16 columns", "  with the reason");
    ok(recipe_set_by(&recipe, "program", &message) == STATUS_GOOD, "--by takes a column");
    char *script = shaped("run,program,value\n1,p,3\n2,p,4\n1,q,5\n2,q,6\n", &recipe);
    has(script, "group_count = 1\n", "  other columns name no series");
    has(script, "key_label[1] = 'p'\nkey_label[2] = 'q'\n", "  it names the rows");
    free(script);
    script = shaped("run,value\n1,3\n", &recipe);
    is_text(script, "lacks the column program; it has: run, value", "  a table without it is refused");
    free(script);
    free(recipe.by_text);
}

static void test_fixed_series(void)
{
    struct recipe recipe;
    make_recipe(&recipe, "share", "*", RECIPE_NO_BOXES);
    recipe.needs = (struct recipe_words){{"part", "share"}, 2};
    recipe.group = (struct recipe_words){{"part"}, 1};
    recipe.range = recipe.needs.word[1];
    recipe.most = 1;
    char *script = shaped("host,name,part,share\nh,p,app,0.75\nh,p,gc,0.25\nh,q,app,1\n", &recipe);
    has(script, "group_name[1] = 'app'\ngroup_name[2] = 'gc'\n", "fixed series: the parts are the series");
    has(script, "key_label[1] = 'p'\nkey_label[2] = 'q'\n", "fixed series: a column with a single value names no rows");
    free(script);
    script = shaped("host,name,part,share\nh,p,app,0.75\ni,p,app,0.25\nh,q,app,1\n", &recipe);
    has(script, "key_label[1] = 'h, p'\nkey_label[2] = 'i, p'\nkey_label[3] = 'h, q'\n",
        "fixed series: all other columns name the rows");
    free(script);
    script = shaped("name,part,share\np,app,73.3\n", &recipe);
    is_text(script, "row 1: the share 73.3 is not between 0 and 1", "a share above 1 is refused");
    free(script);
    script = shaped("name,part,share\np,app,1.0000000001\nq,app,-0.1\n", &recipe);
    is_text(script, "row 2: the share -0.1 is not between 0 and 1",
            "a negative share is refused, a rounding error is not");
    free(script);
}

int main(void)
{
    test_boxes();
    test_axis();
    test_many();
    test_columns();
    test_by();
    test_fixed_series();
    return done_testing();
}
