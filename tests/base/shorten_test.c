/* Names are shortened as far as they stay distinct. */
#include "base/shorten.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { MOST = 4 };

static void is_label(const char *label, const char *expected, const char *name)
{
    char title[200];
    snprintf(title, sizeof title, "  '%s' becomes '%s'", name, expected);
    is_text(label, expected, title);
}

static void check(const char *const names[MOST], const char *const expected[MOST], size_t longest, const char *what)
{
    char *labels[MOST];
    size_t count = 0;
    while (count < MOST && names[count])
        count++;
    if (!ok(shorten_names(names, count, longest, labels), "%s", what))
        return;
    for (size_t i = 0; i < count; i++) {
        is_label(labels[i], expected[i], names[i]);
        free(labels[i]);
    }
}

static void test_alone(void)
{
    static const char *const pairs[][2] = {
        {"org.apache.lucene.search.TermScorer.score(Collector,int)", "TermScorer.score"},
        {"org/apache/lucene/search/TermScorer.score", "TermScorer.score"},
        {"java.lang.String.<init>(char[])", "String.<init>"},
        {"a.b.Outer$Inner.run()", "Outer$Inner.run"},
        {"a.b.C.m(int):17", "C.m:17"},
        {"a.b.C$$Lambda$14/0x0000000800c03000.run()", "C$$Lambda$14.run"},
        {"void ns::Outer<std::pair<int, a::b> >::run(int, char const*) const", "Outer<std::pair<int, a::b> >::run"},
        {"a::F::operator()(int)", "F::operator()"},
        {"memcpy", "memcpy"},
        {"main thread", "main thread"},
        {"(unknown)", "(unknown)"},
        {"[libc.so.6]", "[libc.so.6]"},
        {"", ""},
        {".", "."},
        {"..", ".."},
        {"a..b", ".b"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check((const char *const[MOST]){pairs[i][0]}, (const char *const[MOST]){pairs[i][1]}, 60,
              "a name alone is shortened");
}

static void test_together(void)
{
    check((const char *const[MOST]){"x.a.P.m()", "x.b.P.m()", "x.b.Q.m()"},
          (const char *const[MOST]){"a.P.m", "b.P.m", "Q.m"}, 60, "packages stay where classes have the same name");
    check((const char *const[MOST]){"x.P.m(java.lang.String,int)", "x.P.m()", "x.P.n(int)"},
          (const char *const[MOST]){"P.m(String, int)", "P.m()", "P.n"}, 60,
          "parameters stay where methods have the same name");
    check((const char *const[MOST]){"P.m(a.T)", "P.m(b.T)"}, (const char *const[MOST]){"P.m(a.T)", "P.m(b.T)"}, 60,
          "the whole name stays where nothing else differs");
    check((const char *const[MOST]){"A.m", "A.m"}, (const char *const[MOST]){"A.m", "A.m"}, 60,
          "a name given twice gets the same label twice");
    check((const char *const[MOST]){"P.m:1", "P.m:2"}, (const char *const[MOST]){"P.m:1", "P.m:2"}, 60, "lines stay");
}

static void test_length(void)
{
    check((const char *const[MOST]){"p.Abcdefgh.ijklmnop()", "p.Äöü.ß()"},
          (const char *const[MOST]){"Ab…klmnop", "Äöü.ß"}, 9, "the middle of a long name is cut, between characters");
    check((const char *const[MOST]){"Abcdefgh1.ijklmnop", "Abcdefgh2.ijklmnop"},
          (const char *const[MOST]){"Abcdefgh1.ijklmnop", "Abcdefgh2.ijklmnop"}, 9,
          "  but not what distinguishes names");
}

static void test_texts(void)
{
    static const struct {
        const char *names[MOST], *labels[MOST];
    } known[] = {
        {{"gcc-12.1.0", "a.b.C.m(int)"}, {"gcc-12.1.0", "a.b.C.m(int)"}},
        {{"java -jar /opt/x.jar --size=1 -q", "java -jar /opt/x.jar --size=22 -q"}, {"…--size=1…", "…--size=22…"}},
        {{"java -jar /opt/x.jar run", "java -jar /opt/x.jar"}, {"…opt….jar run", "…opt/x.jar"}},
        {{"the same thing twice", "the same thing twice"}, {"…thing…", "…thing…"}},
        {{"one that is too long"}, {"one …too long"}},
        {{"", "too long by some words", "b"}, {"", "too …me words", "b"}},
        {{"/a/long/way/down", "/a/long/way/"}, {"…way/down", "…way/"}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *labels[MOST];
        size_t count = 0;
        while (count < MOST && known[i].names[count])
            count++;
        ok(shorten_texts(known[i].names, count, 13, labels), "texts are shortened");
        for (size_t k = 0; k < count; k++) {
            is_label(labels[k], known[i].labels[k], known[i].names[k]);
            free(labels[k]);
        }
    }
}

int main(void)
{
    test_alone();
    test_together();
    test_length();
    test_texts();
    return done_testing();
}
