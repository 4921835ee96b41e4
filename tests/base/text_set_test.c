/* Sets of texts: a tuple of texts has the number of no other tuple, whatever separators its texts contain. */
#include "base/text_set.h"

#include "tests/tap.h"

int main(void)
{
    static const char *const tuples[][3] = {{"a", "b", "c"},   {"ab", "", "c"},     {"a\1b", "c", ""},
                                            {"a", "b\1c", ""}, {"1:a", "", ""},     {"", "1:a", ""},
                                            {"1", ":a", ""},   {"", "", "11:a1:b"}, {"", "", ""}};
    enum { TUPLES = sizeof tuples / sizeof *tuples };
    struct text_set set = {0};
    uint32_t different = 0, same = 0;
    for (uint32_t i = 0; i < TUPLES; i++)
        different += text_set_add_tuple(&set, tuples[i], 3) == i;
    is_u64(different, TUPLES, "each tuple of three texts has a number of its own");
    for (uint32_t i = 0; i < TUPLES; i++)
        same += text_set_add_tuple(&set, tuples[i], 3) == i;
    is_u64(same, TUPLES, "a tuple that is added again has the same number");
    is_u64(text_set_add_tuple(&set, tuples[0], 2), TUPLES, "the first two of its texts are another tuple");
    text_set_free(&set);
    return done_testing();
}
