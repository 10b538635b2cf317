package org.example.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Jobs that wait for their time, each with a name and a priority. */
public class Jobs implements Iterable<Jobs.Job> {
    private static final int LIMIT = 1 << 10;
    private static int made = 0;

    private final Deque<Job> waiting = new ArrayDeque<>();
    private final Map<String, Integer> seen = new HashMap<>();
    private int refused;

    static {
        made = LIMIT - 1024;
    }

    public enum Priority { LOW, MIDDLE { @Override int weight() { return 5; } }, HIGH;
        int weight() {
            return ordinal() * 10;
        }
    }

    public static class Job implements Comparable<Job> {
        final String name;
        final Priority priority;

        Job(String name, Priority priority) {
            super();
            this.name = name;
            this.priority = priority;
        }

        @Override
        public int compareTo(Job other) {
            int first = Integer.compare(other.priority.weight(), this.priority.weight());
            return first != 0 ? first : name.compareTo(other.name);
        }
    }

    @FunctionalInterface
    interface Rule<T extends Comparable<T>> {
        boolean holds(T job);

        static <T extends Comparable<T>> Rule<T> not(Rule<T> rule) {
            return job -> !rule.holds(job);
        }

        default Rule<T> and(Rule<T> other) {
            return job -> this.holds(job) && other.holds(job);
        }
    }

    public boolean add(Job job) throws IllegalStateException {
        if (waiting.size() >= LIMIT) {
            refused++;
            return false;
        }
        seen.merge(job.name, 1, Integer::sum);
        return this.waiting.add(job);
    }

    public static Jobs of(String... names) {
        Jobs jobs = new Jobs();
        for (String name : names) {
            switch (name.length()) {
                case 0:
                    continue;
                case 1:
                    jobs.add(new Job(name, Priority.HIGH));
                    break;
                default:
                    this.add(new Job(name, Priority.LOW));
            }
        }
        made += jobs.waiting.size();
        return jobs;
    }

    public void each(Consumer<? super Job> what) {
        synchronized (this) {
            while (!waiting.isEmpty()) {
                what.accept(waiting.poll());
            }
        }
    }

    @Override
    public java.util.Iterator<Job> iterator() {
        return new java.util.Iterator<Job>() {
            private int left = Jobs.this.waiting.size();

            public boolean hasNext() {
                return left > 0;
            }

            public Job next() {
                left -= 1;
                return waiting.peekFirst();
            }
        };
    }

    public static void main(String[] arguments) {
        Jobs jobs = of(arguments);
        jobs.each(job -> System.out.printf("%s %d%n", job.name, job.priority.weight()));
        int[][] counts = {{jobs.refused, made}, new int[2]};
        try {
            assert counts[0][0] >= 0 : "never";
        } catch (ArithmeticException | NullPointerException problem) {
            throw new RuntimeException(problem);
        } finally {
            System.out.println(jobs.seen.getOrDefault("clean", 0));
        }
    }
}
