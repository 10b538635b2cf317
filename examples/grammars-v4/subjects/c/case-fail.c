/* The commands of a pocket calculator that works on a stack. */

extern int printf(const char *format, ...);
extern double floor(double x);

enum key {
    KEY_ADD = '+', KEY_SUB = '-', KEY_MUL = '*', KEY_DIV = '/',
    KEY_ENTER = '\n',
    KEY_SWAP = 0x80, KEY_DROP, KEY_DUP, KEY_NEG, KEY_INT, KEY_STORE, KEY_RECALL, KEY_OFF
};

typedef struct {
    double values[16], memory;
    unsigned depth;
    unsigned on : 1, error : 1;
} calculator;

static double pop(calculator *c)
{
    if (c->depth == 0) {
        c->error = 1;
        return 0;
    }
    return c->values[--c->depth];
}

static void push(calculator *c, double value)
{
    if (c->depth < sizeof c->values / sizeof *c->values)
        c->values[c->depth++] = value;
    else
        c->error = 1;
}

static const char *name(enum key key)
{
    switch (key) {
    case KEY_STORE:
        return "STO";
    case KEY_RECALL:
        return "RCL";
    case KEY_OFF:
        return "OFF";
    default:
        return "";
    }
}

static int press(calculator *c, int key)
{
    double a, b;
    switch (key) {
    case KEY_ADD:
        push(c, pop(c) + pop(c));
        break;
    case KEY_SUB:
        b = pop(c);
        push(c, pop(c) - b);
        break;
    case KEY_MUL:
        push(c, pop(c) * pop(c));
        break;
    case KEY_DIV:
        b = pop(c);
        if (b == 0)
            c->error = 1;
        else
            push(c, pop(c) / b);
        break;
    case KEY_ENTER:
    case KEY_DUP:
        a = pop(c);
        push(c, a);
        push(c, a);
        break;
    case KEY_SWAP:
        a = pop(c);
        b = pop(c);
        push(c, a);
        push(c, b);
        break;
    case KEY_NEG:
        push(c, -pop(c));
        break;
    case KEY_INT:
        push(c, floor(pop(c)));
        break;
    case KEY_STORE:
        c->memory = pop(c);
        break;
    case KEY_DROP:
        pop(c);
        break;
    case KEY_STORE:
        push(c, c->memory);
        break;
    case KEY_OFF:
        c->on = 0;
        break;
    default:
        if (key < '0' || key > '9')
            return -1;
        push(c, key - '0');
    }
    return c->error;
}

int main(int argc, char **argv)
{
    calculator c = { { 0 }, 0, 0, 1, 0 };
    int i;
    for (i = 1; i < argc && c.on; i++)
        if (press(&c, argv[i][0]))
            printf("error at %d %s\n", i, name(argv[i][0]));
    return printf("%g\n", pop(&c)) < 0;
}
