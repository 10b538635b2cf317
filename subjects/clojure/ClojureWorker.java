import clojure.lang.Atom;
import clojure.lang.DynamicClassLoader;
import clojure.lang.IFn;
import clojure.lang.IPersistentMap;
import clojure.lang.ISeq;
import clojure.lang.LockingTransaction;
import clojure.lang.MultiFn;
import clojure.lang.Namespace;
import clojure.lang.RT;
import clojure.lang.Ref;
import clojure.lang.Symbol;
import clojure.lang.Var;
import java.io.Writer;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Clojure's main program, again and again. It uses the functions of which clojure.main consists, in the same order, so that
 * messages are its own.
 *
 * After an input its namespaces are removed, with the classes that it defined, and what libraries remember of it is
 * put back: which are loaded, the registry of specifications, what is instrumented. An input that has changed a namespace of
 * Clojure itself (a variable's value, a method, an alias) makes the worker stale.
 */
final class ClojureWorker implements Worker.Program {
    private static final Symbol USER = Symbol.intern("user");

    private IFn script;
    private IFn map;
    private IFn triage;
    private IFn str;
    private Atom specifications;
    private Atom instrumented;
    private Ref libraries;
    private Map<?, ?> classes;

    private final Set<Namespace> namespaces = new HashSet<>();
    private final List<Snapshot> snapshots = new ArrayList<>();
    private final Set<Object> classNames = new HashSet<>();
    private Object knownSpecifications;
    private Object knownInstrumented;
    private Object knownLibraries;

    public static void main(String[] arguments) throws Throwable {
        Worker.serve(new ClojureWorker(), arguments);
    }

    private static Var find(String namespace, String name) {
        return RT.var(namespace, name);
    }

    @Override
    public void prepare() throws Throwable {
        RT.init();
        for (String name : new String[] {"clojure.main", "clojure.spec.alpha", "clojure.core.specs.alpha", "clojure.spec.test.alpha"}) {
            find("clojure.core", "require").invoke(Symbol.intern(name));
        }
        script = find("clojure.main", "script-opt");
        map = find("clojure.core", "Throwable->map");
        triage = find("clojure.main", "ex-triage");
        str = find("clojure.main", "ex-str");
        specifications = (Atom) find("clojure.spec.alpha", "registry-ref").deref();
        instrumented = (Atom) find("clojure.spec.test.alpha", "instrumented-vars").deref();
        libraries = (Ref) find("clojure.core", "*loaded-libs*").deref();
        Field cache = DynamicClassLoader.class.getDeclaredField("classCache");
        cache.setAccessible(true);
        classes = (Map<?, ?>) cache.get(null);
        // Each way that an input may take, so that all that is loaded on demand is there before the snapshot.
        Path file = Path.of("warm.clj");
        for (String text : new String[] {
            "(defn f [{:keys [a]}] (let [b a] b)) (f 1)", "(foo)", "(let [x] 1)", "(fn [", "(/ 1 0)", "(deftype T [a]) (T. 1)",
            "(require '[clojure.spec.alpha :as s] '[clojure.spec.test.alpha :as st])"
                + "(defmulti m identity) (s/fdef m :args (s/cat :a string?)) (st/instrument) (st/unstrument)",
        }) {
            Files.writeString(file, text);
            run(new String[] {"warm.clj"});
            forget();
        }
        for (java.io.File left : new java.io.File(".").listFiles()) left.delete();
        remember();
    }

    /** As clojure.main's main function does it with the name of a file. */
    @Override
    public int run(String[] arguments) throws Throwable {
        try {
            script.invoke(RT.seq(arguments), null);
            return 0;
        } catch (Throwable error) {
            tell(error);
            return 1;
        } finally {
            ((Writer) RT.OUT.deref()).flush();
            ((Writer) RT.ERR.deref()).flush();
        }
    }

    /** As clojure.main's report-error does it, but for the report itself: to write that takes ten times as long as all the rest. */
    private void tell(Throwable error) throws Exception {
        Object message = str.invoke(triage.invoke(map.invoke(error)));
        Writer writer = (Writer) RT.ERR.deref();
        writer.write(message + System.lineSeparator() + "Full report at:" + System.lineSeparator() + "report.edn" + System.lineSeparator());
    }

    private void remember() {
        for (ISeq all = Namespace.all(); all != null; all = all.next()) {
            Namespace namespace = (Namespace) all.first();
            if (namespace.getName().equals(USER)) continue;
            namespaces.add(namespace);
            snapshots.add(new Snapshot(namespace));
        }
        classNames.addAll(classes.keySet());
        knownSpecifications = specifications.deref();
        knownInstrumented = instrumented.deref();
        knownLibraries = libraries.deref();
    }

    @Override
    public boolean reset() throws Throwable {
        specifications.reset(knownSpecifications);
        instrumented.reset(knownInstrumented);
        if (libraries.deref() != knownLibraries) {
            LockingTransaction.runInTransaction(() -> libraries.set(knownLibraries));
        }
        classes.keySet().retainAll(classNames);
        for (ISeq all = Namespace.all(); all != null; all = all.next()) {
            Namespace namespace = (Namespace) all.first();
            if (!namespaces.contains(namespace)) Namespace.remove(namespace.getName());
        }
        forget();
        for (Snapshot snapshot : snapshots) {
            if (snapshot.hasChanged()) return false;
        }
        return true;
    }

    /** A namespace `user` as it is at the start. */
    private static void forget() {
        Namespace.remove(USER);
        Var.pushThreadBindings(RT.map(RT.CURRENT_NS, RT.CURRENT_NS.deref()));
        try {
            find("clojure.core", "in-ns").invoke(USER);
            find("clojure.core", "refer").invoke(Symbol.intern("clojure.core"));
        } finally {
            Var.popThreadBindings();
        }
    }

    /** What a namespace holds: all of it are values that do not change, so that it is enough to look whether they are the same. */
    private static final class Snapshot {
        private final Namespace namespace;
        private final IPersistentMap mappings;
        private final IPersistentMap aliases;
        private final List<Var> variables = new ArrayList<>();
        private final List<Object> values = new ArrayList<>();

        Snapshot(Namespace namespace) {
            this.namespace = namespace;
            mappings = namespace.getMappings();
            aliases = namespace.getAliases();
            for (Object entry : mappings) {
                Object value = ((Map.Entry<?, ?>) entry).getValue();
                if (value instanceof Var && ((Var) value).ns == namespace) variables.add((Var) value);
            }
            for (Var variable : variables) {
                values.add(variable.getRawRoot());
                values.add(variable.meta());
                values.add(methods(variable));
            }
        }

        private static Object methods(Var variable) {
            Object value = variable.getRawRoot();
            return value instanceof MultiFn ? ((MultiFn) value).getMethodTable() : null;
        }

        boolean hasChanged() {
            if (namespace.getMappings() != mappings || namespace.getAliases() != aliases) return true;
            for (int index = 0; index < variables.size(); index++) {
                Var variable = variables.get(index);
                if (variable.getRawRoot() != values.get(3 * index)
                    || variable.meta() != values.get(3 * index + 1)
                    || methods(variable) != values.get(3 * index + 2)) return true;
            }
            return false;
        }
    }
}
