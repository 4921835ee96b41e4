/*
 * Inner loops of three iterations, whose loads are to be seen in the loop around them: there, the first load of each
 * iteration counts, as does the last.
 *
 * 1000 groups of 64 bytes, in order: from group to group the loads of the inner loop go on by 64 bytes.
 * EXPECT line=@member loop=@groups_loop kind=inter stride=64
 *
 * 1000 rows of 100 elements of 8 bytes: the inner loop is long, so that its load is seen there. Of 100 strides 99 are
 * within a row, and the last leads to the next row, which follows.
 * EXPECT line=@element loop=@row_loop kind=inter stride=8 majority=1..1 executions=100000
 *
 * Shuffled pointers to 1000 tokens, each allocated together with its array of facts, as in the paper's findInMemory:
 * the array of tokens has a stride. The inner loop loads `facts` of the token, at 8 bytes, again and again, then an
 * element of the array, which begins at 128 bytes.
 * EXPECT line=@token loop=@tokens_loop kind=inter stride=8 majority=1..1 executions=1000
 * EXPECT line=@facts loop=@tokens_loop kind=none
 * EXPECT line=@fact loop=@tokens_loop kind=intra partner=@facts stride=120
 */
#include "strides.h"

enum { COUNT = 1000, LONG = 100, SHORT = 3 };

struct group {
    long members[SHORT], more[5];
};

struct token {
    long size;
    volatile long *volatile facts;
    long more[14];
};

struct allocated {
    struct token token;
    long facts[16];
};

static struct group groups[COUNT];
static long rows[COUNT][LONG];
static struct allocated pool[COUNT];
static struct token *tokens[COUNT];
static uint32_t order[COUNT];

VICTIM static long victim_groups(const struct group *at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) { /* @groups_loop */
        for (int j = 0; j < SHORT; j++)
            sum += at[i].members[j]; /* @member */
    }
    return sum;
}

VICTIM static long victim_rows(long (*at)[LONG])
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < LONG; j++) /* @row_loop */
            sum += at[i][j];           /* @element */
    return sum;
}

VICTIM static long victim_tokens(struct token **at)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {      /* @tokens_loop */
        const struct token *token = at[i]; /* @token */
        for (int j = 0; j < SHORT; j++) {
            volatile long *facts = token->facts; /* @facts */
            sum += facts[j];                     /* @fact */
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    strides_shuffle(order, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        pool[i].token.facts = pool[i].facts;
        pool[i].facts[0] = groups[i].members[0] = rows[i][0] = i;
        tokens[i] = &pool[order[i]].token;
    }
    SHOW(groups, argc);
    SHOW(rows, argc);
    SHOW(pool, argc);
    SHOW(tokens, argc);
    printf("%ld\n", victim_groups(groups) + victim_rows(rows) + victim_tokens(tokens));
    return 0;
}
