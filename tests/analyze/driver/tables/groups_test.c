/* Groups from processes that share a table (rows_request.share) are the same as from one process, bit by bit. */
#include "analyze/driver/tables/groups.h"

#include "tests/table/read/processes.h"
#include "tests/tap.h"

static const char *const values[] = {"time", "size"}, *const names[] = {"name", "unit"};
static char table[] = "/tmp/assay-groups-XXXXXX";

static void write_table(void)
{
    FILE *file = fdopen(mkstemp(table), "w");
    if (!file) {
        printf("Bail out! %s can't be written\n", table);
        exit(1);
    }
    fprintf(file, "name,unit,time,size\n");
    for (int i = 0; i < 500; i++)
        fprintf(file, "\"%s,\n%d\",%s,%d.%02d,%s\n", i % 2 ? "" : "a", i * i % 7, i % 3 ? "" : "ms", i, i % 100,
                i % 41  ? "17"
                : i % 2 ? "3e250"
                        : "1.25e-250");
    fclose(file);
}

/* The groups that a process gets; NULL in a rank other than 0. */
static struct groups *read_table(const struct rows_share *share, bool keeps, struct rows_account *account)
{
    const char *path = table;
    const struct rows_request request = {.paths = &path,
                                         .path_count = 1,
                                         .values = values,
                                         .value_count = 2,
                                         .groups = names,
                                         .group_count = 2,
                                         .jobs = 2,
                                         .part_bytes = 100,
                                         .share = share};
    const struct rows_consumer consumer = GROUPS_CONSUMER(&keeps);
    struct error_text message;
    void *state = NULL;
    if (rows_read(&request, &consumer, &state, account, &message) != 0)
        printf("# %s\n", message.text);
    return state;
}

static struct groups *read_in_three(bool keeps, struct rows_account *account)
{
    const struct rows_share share = {ranks_start(3), 3, rank_send, rank_receive};
    struct groups *groups = read_table(&share, keeps, account);
    if (share.rank > 0)
        _exit(groups != NULL);
    return ranks_end(3) == 0 ? groups : NULL;
}

static bool same_series(const struct series *a, const struct series *b)
{
    bool same = a->n == b->n && !a->wide == !b->wide && a->exponent == b->exponent && a->magnitude == b->magnitude;
    for (size_t i = 0; same && i < a->n; i++)
        same = series_quad(a, i) == series_quad(b, i);
    return same;
}

static bool same_moments(const struct real_moments *a, const struct real_moments *b)
{
    __float128 x[2], y[2];
    return a->wide == b->wide && real_moments_n(a) == real_moments_n(b) &&
           real_moments_quad(a, &x[0], &x[1]) == real_moments_quad(b, &y[0], &y[1]) && x[0] == y[0] && x[1] == y[1];
}

static bool same_group(const struct groups *a, const struct groups *b, size_t g)
{
    bool same = strcmp(groups_name(a, g), groups_name(b, g)) == 0;
    for (size_t c = 0; c < 2; c++)
        same &= strcmp(a->texts[g][c], b->texts[g][c]) == 0;
    for (size_t v = 0; v < 2; v++)
        same &= a->keeps_values ? same_series(groups_series(a, g, v), groups_series(b, g, v))
                                : same_moments(groups_moments(a, g, v), groups_moments(b, g, v));
    return same;
}

/* Texts may hold any byte but NUL: 'x\1' and 'y' are another group than 'x' and '\1y'. */
static void check_odd_texts(void)
{
    FILE *file = fopen(table, "w");
    struct rows_account account = {0};
    fputs("name,unit,time,size\nx\1,y,1,1\nx,\1y,2,2\n\"x\1,\1\",y,3,3\nx\1,y,4,4\n", file);
    fclose(file);
    struct groups *groups = read_table(NULL, true, &account);
    if (ok(groups && groups->count == 3, "groups differ wherever the bytes of their texts are")) {
        is_u64(groups_series(groups, 0, 0)->n, 2, "  the first one has its two values");
        is_text(groups_name(groups, 1), "x, \1y", "  the name of the second");
    }
    groups_free(groups);
    rows_account_free(&account);
}

int main(void)
{
    write_table();
    for (int keeps = 0; keeps < 2; keeps++) {
        struct rows_account one = {0}, three = {0};
        struct groups *alone = read_table(NULL, keeps, &one), *shared = read_in_three(keeps, &three);
        bool same = alone && shared && alone->count == 16 && shared->count == 16;
        for (size_t g = 0; same && g < alone->count; g++)
            same = same_group(alone, shared, g);
        ok(same, "three processes get the %s of one, for %zu groups", keeps ? "values" : "moments",
           alone ? alone->count : 0);
        groups_free(alone);
        groups_free(shared);
        rows_account_free(&one);
        rows_account_free(&three);
    }
    check_odd_texts();
    unlink(table);
    return done_testing();
}
