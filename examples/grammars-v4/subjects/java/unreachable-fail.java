package org.example.tape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A machine with a stack, told what to do by words such as `2 3 + 4 *`. */
public class Machine {
    private static final boolean TRACE = false;
    private static final int DEPTH = 64;

    private final List<Long> stack = new ArrayList<>();
    private final Map<String, String[]> words = new LinkedHashMap<>();
    private int steps = 0;

    /** That a program cannot go on. */
    static final class Stuck extends Exception {
        Stuck(String word, Throwable cause) {
            super("stuck at " + word, cause);
        }
    }

    private long pop(String word) throws Stuck {
        try {
            return stack.remove(stack.size() - 1);
        } catch (IndexOutOfBoundsException problem) {
            throw new Stuck(word, problem);
        } finally {
            steps++;
        }
    }

    public void define(String name, String... body) {
        if (name.isEmpty()) return;
        words.put(name, body.clone());
    }

    private long apply(char sign, long left, long right) {
        long result;
        switch (sign) {
            case '+':
                result = left + right;
                break;
            case '*':
                result = left * right;
                break;
            default:
                throw new IllegalArgumentException("no operation: " + sign);
                break;
        }
        return result;
    }

    private boolean known(String word) {
        for (String other : words.keySet()) {
            if (other.equalsIgnoreCase(word))
                return true;
        }
        return false;
    }

    public long run(int depth, String... program) throws Stuck {
        int at = 0;
        next:
        while (true) {
            if (at >= program.length || depth > DEPTH) break;
            String word = program[at++];
            if (TRACE) System.err.println(depth + ": " + word);
            if (known(word)) {
                run(depth + 1, words.get(word));
                continue;
            }
            for (int i = 0; i < word.length(); i++) {
                if (!Character.isDigit(word.charAt(i))) {
                    long right = pop(word), left = pop(word);
                    stack.add(apply(word.charAt(i), left, right));
                    continue next;
                }
            }
            stack.add(Long.parseLong(word));
        }
        return stack.isEmpty() ? 0L : Collections.max(stack);
    }

    public static void main(String[] arguments) {
        Machine machine = new Machine();
        machine.define("sum", "+", "+");
        Runnable all = () -> {
            try {
                System.out.println(machine.run(0, arguments));
            } catch (Stuck problem) {
                return;
            }
            System.out.println(machine.steps);
        };
        all.run();
    }
}
