import com.google.javascript.jscomp.CommandLineRunner;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The command line of the Closure Compiler, again and again: each time a runner of its own. */
final class ClosureWorker implements Worker.Program {
    public static void main(String[] arguments) throws Throwable {
        Worker.serve(new ClosureWorker(), arguments);
    }

    /** Compiles a small script, so that the first input does not wait for all the classes. */
    @Override
    public void prepare() throws Throwable {
        Path file = Path.of("warm.js");
        Files.writeString(file, "function f(a) { while (a) { var b = a ? 1 : a.b + 'c'; } return b; } f(1);");
        run(new String[] {"--js", "warm.js"});
        Files.delete(file);
    }

    /** As the compiler's main method does it, in the same words and with the same exit codes. */
    @Override
    public int run(String[] arguments) {
        Runner runner = new Runner(arguments, System.out, System.err);
        int code = 0;
        if (runner.shouldRunCompiler()) {
            try {
                code = runner.work();
            } catch (Throwable error) {
                boolean isUsage = error.getClass().getSimpleName().equals("FlagUsageException");
                code = isUsage ? -1 : -2;
                if (isUsage) System.err.println(error.getMessage());
                else error.printStackTrace();
            }
        } else if (runner.hasErrors()) {
            code = -1;
        }
        return code & 0xff;
    }

    /** A runner has all that belongs to a run. */
    @Override
    public boolean reset() {
        return true;
    }

    private static final class Runner extends CommandLineRunner {
        Runner(String[] arguments, PrintStream out, PrintStream err) {
            super(arguments, out, err);
        }

        int work() throws Throwable {
            return doRun();
        }
    }
}
