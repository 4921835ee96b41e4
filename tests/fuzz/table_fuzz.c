/* The readers of tables: delimited text, JSON, and the output of benchmark tools. Every row is fed; two threads and one
 * get the same rows. */
#include <string.h>

#include "table/read/rows.h"
#include "tests/fuzz/target.h"

struct sum {
    uint64_t rows, blank, groups, exponents;
};

static int sum_init(void **state, const struct rows_columns *columns, const void *own)
{
    TARGET_PROMISES(columns->value_count > 0 && !own);
    *state = calloc(1, sizeof(struct sum));
    return *state ? STATUS_GOOD : STATUS_BAD;
}

static size_t value_count_max = 1;

static int sum_feed(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                    struct error_text *message)
{
    struct sum *sum = state;
    (void)message;
    (void)texts;
    for (size_t row = 0; row < batch->row_count; row++) {
        TARGET_PROMISES(batch->group[row] < group_total);
        for (size_t v = 0; v < value_count_max; v++)
            sum->exponents += (uint64_t)batch->values[v][row].exponent;
    }
    sum->rows += batch->row_count;
    sum->blank += batch->blank;
    sum->groups = group_total;
    return STATUS_GOOD;
}

static int sum_merge(void *state, void *later, struct error_text *message)
{
    struct sum *sum = state;
    const struct sum *other = later;
    (void)message;
    sum->rows += other->rows;
    sum->blank += other->blank;
    sum->exponents += other->exponents;
    free(later);
    return STATUS_GOOD;
}

/* As the analyzers of tables ask for rows. */
static int read_rows(const char *path, unsigned jobs, struct sum *sum, struct error_text *message)
{
    const struct rows_consumer consumer = {.init = sum_init, .feed = sum_feed, .merge = sum_merge, .free = free};
    const struct rows_request request = {.paths = (const char *const[]){path},
                                         .path_count = 1,
                                         .whole_groups_default = true,
                                         .levels = true,
                                         .skip_bad = true,
                                         .jobs = jobs,
                                         .part_bytes = jobs > 1 ? 256 : 0};
    struct rows_account account = {0};
    void *state = NULL;
    const int status = rows_read(&request, &consumer, &state, &account, message);
    if (status != STATUS_GOOD)
        return status;
    *sum = *(struct sum *)state;
    TARGET_PROMISES(account.rows == sum->rows);
    free(state);
    rows_account_free(&account);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sum one = {0}, two = {0};
    struct error_text message = {""}, other = {""};
    const char *path = target_file(data, size);
    const int status = read_rows(path, 1, &one, &message);
    TARGET_PROMISES(status == STATUS_GOOD || message.text[0]);
    TARGET_PROMISES(read_rows(path, 2, &two, &other) == status);
    TARGET_PROMISES(strcmp(message.text, other.text) == 0);
    TARGET_PROMISES(one.rows == two.rows && one.blank == two.blank && one.exponents == two.exponents);
    return 0;
}
