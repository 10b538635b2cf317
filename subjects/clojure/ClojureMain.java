import clojure.lang.IFn;
import clojure.lang.RT;
import clojure.lang.Symbol;
import java.io.Writer;

/**
 * Clojure's main program for a file, without the report that it writes after an error. To write it takes as long as to start
 * Clojure, and ten times as long as all the rest in a worker.
 *
 * It uses the functions of which clojure.main consists, in the same order, so that messages are its own.
 */
final class ClojureMain {
    private final IFn script;
    private final IFn map;
    private final IFn triage;
    private final IFn str;

    ClojureMain() {
        RT.init();
        RT.var("clojure.core", "require").invoke(Symbol.intern("clojure.main"));
        script = RT.var("clojure.main", "script-opt");
        map = RT.var("clojure.core", "Throwable->map");
        triage = RT.var("clojure.main", "ex-triage");
        str = RT.var("clojure.main", "ex-str");
    }

    public static void main(String[] arguments) throws Throwable {
        int code = new ClojureMain().run(arguments);
        // As there: who does not fail waits for the threads that are left.
        if (code != 0) System.exit(code);
    }

    /** As clojure.main's main function does it with the name of a file. What is printed and not flushed before an error is lost. */
    int run(String[] arguments) throws Throwable {
        try {
            script.invoke(RT.seq(arguments), null);
            ((Writer) RT.OUT.deref()).flush();
            return 0;
        } catch (Throwable error) {
            tell(error);
            return 1;
        }
    }

    /** As clojure.main's report-error does it, but for the report itself. */
    private void tell(Throwable error) throws Exception {
        Object message = str.invoke(triage.invoke(map.invoke(error)));
        Writer writer = (Writer) RT.ERR.deref();
        writer.write(message + System.lineSeparator() + "Full report at:" + System.lineSeparator() + "report.edn" + System.lineSeparator());
        writer.flush();
    }
}
