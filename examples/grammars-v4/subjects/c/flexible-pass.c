/* Words, and how often each occurs. */

extern void *calloc(unsigned long count, unsigned long size);
extern int strcmp(const char *, const char *);

struct word {
    struct word *next;
    unsigned count;
    char text[];
};

struct words {
    int size;
    struct word *lists[64];
    const char *(*names)[], marks[4];
    struct { int first, values[]; } rest;
};

static unsigned hash(const char text[])
{
    unsigned result = 5381;
    while (*text)
        result = result * 33 ^ (unsigned char)*text++;
    return result;
}

int count(struct words *words, const char *text)
{
    struct word **place = &words->lists[hash(text) % 64], *word;
    for (word = *place; word; word = word->next)
        if (!strcmp(word->text, text))
            return ++word->count;
    word = calloc(1, sizeof *word + 32);
    word->next = *place;
    *place = word;
    words->size++;
    return word->count = 1;
}

extern const char *stop[], end[];
