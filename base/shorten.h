/*
 * shorten.h - names of methods and functions, as short as possible while distinct, for axes, legends and tables.
 *
 * "org.apache.lucene.search.TermScorer.score(Collector,int):17" becomes "TermScorer.score:17". If two names then look
 * the same, both get what tells them apart: packages from the right, or their parameters without packages
 * ("TermScorer.score(Collector, int)"). It handles names of Java ("a.b.C.m(int)", "a/b/C.m") and of C++ ("int
 * a::b::C<T>::m(int)"); anything else is unchanged.
 */
#ifndef ASSAY_BASE_SHORTEN_H
#define ASSAY_BASE_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text looks like the name of a method or function, rather than a file or a version: "a.B.m(int)",
 * "a::b", "org.a.B.m". */
bool shorten_is_method(const char *text);

/* labels[count] of names[count], each to free(). Labels longer than `longest` characters (UTF-8) lose their middle,
 * unless two would then be equal. Equal names get equal labels. False without memory (then labels are all NULL).
 * Cost: count² comparisons. */
bool shorten_names(const char *const *names, size_t count, size_t longest, char **labels);

/* shorten_names() for other names, such as command lines: if they are too long, their common beginning or end becomes
 * "…", by whole words. */
bool shorten_texts(const char *const *names, size_t count, size_t longest, char **labels);

/* Copies of the names. False without memory (then labels are all NULL). */
bool shorten_nothing(const char *const *names, size_t count, char **labels);

/* Equal labels of different names are replaced by the full names. False without memory: then a label may be NULL.
 */
bool shorten_undo(const char *const *names, size_t count, char **labels);

/* Frees labels and leaves NULL; false, for a failure to return. */
bool shorten_drop(char **labels, size_t count);

/* A copy of text, at most `longest` (≥ 3) characters, with "…" instead of its middle. NULL without memory. */
char *shorten_middle(const char *text, size_t longest);

#endif
