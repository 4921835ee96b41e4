/*
 * ../java/FindInMemory.java in C, with the same result: the loop of Figure 1 and the loads of Table 1, each on a
 * line of its own. An array has its length in front of it, and bounds are checked, as the JVM does, so that all
 * eleven loads are there.
 *
 * A token is allocated together with its first fact, this one's values and the array of facts, and freed in the
 * reverse order, so that the next one gets the same memory for the same parts. Bytes, with glibc's malloc(): the
 * token 32, the fact 32, its values 32, the array 64. So it is 96 bytes from L9 to L10, and 104 to L11; the fact is
 * 72 before that.
 * EXPECT line=@l1 loop=@l1 kind=none stride=0
 * EXPECT line=@l2 loop=@l1 kind=none stride=0
 * EXPECT line=@l3 loop=@l1
 * EXPECT line=@l4 loop=@l1 kind=inter stride=8
 * EXPECT line=@l5 loop=@l1 kind=none stride=0
 * EXPECT line=@l6 loop=@l1 kind=none stride=0
 * EXPECT line=@l7 loop=@l1
 * EXPECT line=@l8 loop=@l1
 * EXPECT line=@l9 loop=@l1 kind=none
 * EXPECT line=@l10 loop=@l1 kind=intra partner=@l9 stride=96
 * EXPECT line=@l11 loop=@l1 kind=intra partner=@l9 stride=104
 * EXPECT line=@values loop=@l1 kind=intra partner=@l11 stride=-72
 *
 * Argument: a factor for the number of searches.
 */
#include "numbers.h"

enum { TOKENS = 8192, SEARCHES = 4000, VALUES = 3, FACTS = 5 };

struct value_vector {
    int32_t *values;
};

struct facts {
    int64_t length;
    struct value_vector *at[];
};

struct token {
    struct facts *facts;
    int size;
};

struct tokens {
    int64_t length;
    struct token *at[];
};

struct token_vector {
    struct tokens *v;
    int ptr;
};

static _Noreturn void out_of_bounds(void)
{
    abort();
}

__attribute__((noinline)) static int value_vector_equals(const struct value_vector *one,
                                                         const struct value_vector *other)
{
    const int32_t *mine = one->values;
    const int32_t *theirs = other->values; /* @values */
    for (int k = 0; k < VALUES; k++)
        if (mine[k] != theirs[k])
            return 0;
    return 1;
}

__attribute__((noinline)) static struct token *find_in_memory(const struct token_vector *tv, const struct token *t)
{
    for (int i = 0; i < tv->ptr; i++) { /* @l1 */
        struct tokens *v = tv->v;       /* @l2 */
        if (i >= v->length)             /* @l3 */
            out_of_bounds();
        struct token *tmp = v->at[i]; /* @l4 */
        int same = 1;
        for (int j = 0; same && j < t->size; j++) { /* @l5 */
            struct facts *wanted = t->facts;        /* @l6 */
            if (j >= wanted->length)                /* @l7 */
                out_of_bounds();
            struct value_vector *fact = wanted->at[j]; /* @l8 */
            struct facts *facts = tmp->facts;          /* @l9 */
            if (j >= facts->length)                    /* @l10 */
                out_of_bounds();
            struct value_vector *other = facts->at[j]; /* @l11 */
            same = value_vector_equals(fact, other);
        }
        if (same)
            return tmp;
    }
    return NULL;
}

static struct token *token_new(const int32_t values[VALUES])
{
    struct token *token = allocate(sizeof *token);
    struct value_vector *fact = allocate(sizeof *fact);
    fact->values = allocate(VALUES * sizeof *fact->values);
    memcpy(fact->values, values, VALUES * sizeof *values);
    token->facts = allocate(sizeof *token->facts + FACTS * sizeof *token->facts->at);
    token->facts->length = FACTS;
    token->facts->at[token->size++] = fact;
    return token;
}

static void token_free(struct token *token)
{
    struct value_vector *fact = token->facts->at[0];
    free(token->facts);
    free(fact->values);
    free(fact);
    free(token);
}

/* No two have the same first fact. */
static struct token *token_number(int number)
{
    return token_new((int32_t[VALUES]){(number * 31) ^ 5, numbers_next(1000), number});
}

static void add_element(struct token_vector *tv, struct token *token)
{
    tv->v->at[tv->ptr++] = token;
}

static void remove_element_at(struct token_vector *tv, int i)
{
    token_free(tv->v->at[i]);
    tv->v->at[i] = tv->v->at[--tv->ptr];
}

static void remove_element(struct token_vector *tv, const struct token *token)
{
    for (int i = 0; i < tv->ptr; i++)
        if (tv->v->at[i] == token) {
            remove_element_at(tv, i);
            return;
        }
}

int main(int argc, char **argv)
{
    int searches = numbers_rounds(argc, argv, SEARCHES), made = 0, found = 0;
    uint64_t checksum = 0;
    struct token_vector memory = {allocate(sizeof *memory.v + 2 * TOKENS * sizeof *memory.v->at), 0};
    memory.v->length = 2 * TOKENS;
    while (made < TOKENS)
        add_element(&memory, token_number(made++));
    for (int i = 0; i < 4 * TOKENS; i++) {
        remove_element_at(&memory, numbers_next(memory.ptr));
        add_element(&memory, token_number(made++));
    }
    for (int i = 0; i < searches; i++) {
        int number = numbers_next(made);
        const struct token *known = memory.v->at[numbers_next(memory.ptr)];
        int32_t any[VALUES] = {(number * 31) ^ 5, 0, number};
        struct token *wanted = token_new(i % 2 == 0 ? any : known->facts->at[0]->values);
        struct token *token = find_in_memory(&memory, wanted);
        token_free(wanted);
        if (token != NULL) {
            found++;
            checksum = 31 * checksum + (uint64_t)token->facts->at[0]->values[2];
            remove_element(&memory, token);
            add_element(&memory, token_number(made++));
        }
    }
    printf("found %d checksum %ld\n", found, (long)checksum);
    return 0;
}
