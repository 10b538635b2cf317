import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import org.mozilla.javascript.tools.shell.Global;
import org.mozilla.javascript.tools.shell.Main;
import org.mozilla.javascript.tools.shell.ShellContextFactory;

/** Rhino's shell, again and again. What it keeps in static fields is put back each time. */
final class RhinoWorker implements Worker.Program {
    private Field initialQuitAction;
    private Object quitAction;

    public static void main(String[] arguments) throws Throwable {
        Worker.serve(new RhinoWorker(), arguments);
    }

    private static Field field(Class<?> of, String name) throws ReflectiveOperationException {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    @Override
    public void prepare() throws Throwable {
        initialQuitAction = field(Global.class, "quitAction");
        quitAction = initialQuitAction.get(Main.global);
        for (String text : new String[] {"var x = 1; print(x);", "var x = ;", "f(", "throw 1;"}) {
            try {
                Main.exec(new String[] {"-e", text});
            } catch (RuntimeException error) {
                // One of its errors.
            }
            reset();
        }
    }

    /** As the shell's main method does it. */
    @Override
    public int run(String[] arguments) {
        return Main.exec(arguments);
    }

    @Override
    public boolean reset() throws Throwable {
        Main.global = new Global();
        initialQuitAction.set(Main.global, quitAction);
        Main.shellContextFactory = new ShellContextFactory();
        ((List<?>) field(Main.class, "fileList").get(null)).clear();
        ((Map<?, ?>) field(Main.class, "scriptCache").get(null)).clear();
        field(Main.class, "processStdin").setBoolean(null, true);
        field(Main.class, "exitCode").setInt(null, 0);
        field(Main.class, "mainModule").set(null, null);
        field(Main.class, "modulePath").set(null, null);
        field(Main.class, "require").set(null, null);
        field(Main.class, "sandboxed").setBoolean(null, false);
        field(Main.class, "useRequire").setBoolean(null, false);
        return true;
    }
}
