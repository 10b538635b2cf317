/* Reads escapes of strings, and what a terminal sends for its keys. */

typedef unsigned char byte;

extern int read(int file, void *to, unsigned long size);
extern int printf(const char *format, ...);

enum { LEFT = 256, RIGHT, UP, DOWN, HOME, END, UNKNOWN = -1 };

struct reader {
    const char *at;
    int line, failed;
};

static int digit(char c)
{
    switch (c) {
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        return c - '0';
    case 'a': case 'b': case 'c': case 'd': case 'e': case 'f':
        return c - 'a' + 10;
    case 'A': case 'B': case 'C': case 'D': case 'E': case 'F':
        return c - 'A' + 10;
    }
    return UNKNOWN;
}

static int escape(struct reader *reader)
{
    int value, high, low;
    char c = *reader->at++;
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'e':
        return 27;
    case '0':
        return 0;
    case 'x':
        high = digit(reader->at[0]);
        low = high < 0 ? UNKNOWN : digit(reader->at[1]);
        if (low < 0) {
            reader->failed = 1;
            return UNKNOWN;
        }
        value = high << 4 | low;
        reader->at += 2;
        return value;
    case '\n':
        reader->line++;
        /* fall through */
    case '\\':
    case '"':
    case '\'':
        return c;
    default:
        reader->failed = 1;
        return UNKNOWN;
    }
}

static int key(int file)
{
    byte bytes[4];
    int count = read(file, bytes, sizeof(bytes));
    if (count < 1)
        return UNKNOWN;
    switch (bytes[0]) {
    case 0x1b:
        if (count < 3)
            return bytes[0];
        switch (bytes[1]) {
        case '[':
            switch (bytes[2]) {
            case 'A': return UP;
            case 'B': return DOWN;
            case 'C': return RIGHT;
            case 'D': return LEFT;
            case 'H': return HOME;
            case 'F': return END;
            }
            break;
        case 'O':
            switch (bytes[2]) {
            case 'H': return HOME;
            case 'F': return END;
            }
            break;
        }
        return UNKNOWN;
    case 1:
        return HOME;
    case 1 + 'E' - 'A':
        return END;
    }
    return bytes[0];
}

int main(void)
{
    struct reader reader = { "\\x41\\n\\q", 1, 0 };
    while (*reader.at == '\\' && !reader.failed) {
        reader.at++;
        printf("%d\n", escape(&reader));
    }
    return key(0) == UNKNOWN;
}
