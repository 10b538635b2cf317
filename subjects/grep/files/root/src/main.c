#include <stdio.h>

int main(void) {
    puts("NEEDLE foo x");
    return 0;
}
