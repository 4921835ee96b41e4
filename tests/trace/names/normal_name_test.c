/* normal_name_test.c - names of methods as profilers write them, and the one name that each should have. */
#include "trace/names/normal_name.h"

#include <string.h>

#include "trace/names/method_name.h"
#include "tests/tap.h"

static const char put[] = "java.util.HashMap.put", put_types[] = "java.util.HashMap.put(Object,Object)";
static const char *const own = NULL; /* the name stays as it is */

static const struct {
    const char *class_name, *name, *signature, *wanted;
} names[] = {
    /* notations of Java's names */
    {"", "java/util/HashMap.put", "", put},
    {"", "java.util.HashMap.put", "", put},
    {"", "Ljava/util/HashMap;.put", "", put},
    {"", "Ljava/util/HashMap;::put", "", put},
    {"", "Ljava/util/HashMap;->put", "", put},
    {"", "java.util.HashMap::put", "", put},
    {"java/util/HashMap", "put", "", put},
    {"", "java.util.HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", "", put_types},
    {"", "java/util/HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)", "", put_types},
    {"", "Ljava/util/HashMap;put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", "", put_types},
    {"", "java.util.HashMap.put(java.lang.Object, java.lang.Object)", "", put_types},
    {"", "java.util.HashMap.put(Object,Object)", "", put_types},
    {"", "java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object)", "", put_types},
    {"java.util.HashMap", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", put_types},
    {"", "java.util.HashMap.put()", "", "java.util.HashMap.put()"},
    {"", "a.B.f(int[][], String..., java.util.Map<String, Integer>, long)", "", "a.B.f(int[][],String[],Map,long)"},
    {"", "a.B.f([[I[Ljava/lang/String;Z)V", "", "a.B.f(int[][],String[],boolean)"},
    {"", "java/util/HashMap$Node.<init>", "", "java.util.HashMap$Node.<init>"},
    {"", "java/util/HashMap.<clinit>()V", "", "java.util.HashMap.<clinit>()"},
    {"", "Main.main", "", "Main.main"},
    {"", "kotlin/UInt.constructor-impl", "", "kotlin.UInt.constructor-impl"},
    {"", "clojure/core$map.invoke", "", "clojure.core$map.invoke"},
    /* kinds of code */
    {"", "java/util/HashMap.put_[j]", "", put},
    {"", "java/util/HashMap.put_[i]", "", put},
    {"", "java/util/HashMap.put_[0]", "", put},
    {"", "java/util/HashMap.put_[1]", "", put},
    {"", "a/b/c.d_[j]", "", "a.b.c.d"},
    {"", "do_syscall_64_[k]", "", "do_syscall_64"},
    {"", "x_[z]", "", own},
    {"", "_[j]", "", own},
    /* libraries */
    {"libc.so.6", "pthread_cond_wait", "()L;", "pthread_cond_wait"},
    {"libjvm.so", "JavaThread::run", "()L;", "JavaThread::run"},
    {"", "libc.so.6.pthread_cond_wait", "", "pthread_cond_wait"},
    {"", "libc-2.31.so.read", "", "read"},
    {"", "libjvm.so`JVM_Sleep", "", "JVM_Sleep"},
    {"", "ld-linux-x86-64.so.2.do_lookup_x", "", "do_lookup_x"},
    {"kernel", "do_syscall_64", "(Lk;)L;", "do_syscall_64"},
    {"", "libc.so.6", "", own},
    {"", "[libc.so.6]", "", own},
    {"javax.sound.Clip", "open", "()V", "javax.sound.Clip.open()"},
    {"", "org.solr.Core.open", "", own},
    /* lambdas, hidden classes, generated ones */
    {"", "Foo$$Lambda$12/0x00000008000b5840.run", "", "Foo$$Lambda.run"},
    {"", "a/Foo$$Lambda$12+0x00000008000b5840.run_[j]", "", "a.Foo$$Lambda.run"},
    {"", "a/Foo$$Lambda$12/1747585824.run", "", "a.Foo$$Lambda.run"},
    {"a.Foo$$Lambda.0x00007f1234", "run", "()V", "a.Foo$$Lambda.run()"},
    {"a.Foo$$Lambda$12", "run", "()V", "a.Foo$$Lambda.run()"},
    {"a/Foo$$Lambda+0x00007f1234", "run", "()V", "a.Foo$$Lambda.run()"},
    {"", "a/Foo.lambda$main$0", "", "a.Foo.lambda$main$0"},
    {"a/Foo/0x0000000800c03400", "f", "", "a.Foo.f"},
    {"", "a.Foo+0x0000000800c03400.f", "", "a.Foo.f"},
    {"java/lang/invoke/LambdaForm$MH.0x00007f00", "invoke", "", "java.lang.invoke.LambdaForm$MH.invoke"},
    {"jdk/internal/reflect/GeneratedMethodAccessor123", "invoke", "",
     "jdk.internal.reflect.GeneratedMethodAccessor.invoke"},
    {"", "sun.reflect.GeneratedConstructorAccessor7.newInstance", "",
     "sun.reflect.GeneratedConstructorAccessor.newInstance"},
    {"", "com/sun/proxy/$Proxy12.get", "", "com.sun.proxy.$Proxy.get"},
    {"", "a.Foo$$EnhancerBySpringCGLIB$$1f2e3d.f", "", "a.Foo$$EnhancerBySpringCGLIB.f"},
    {"a.Foo$1", "run", "", "a.Foo$1.run"},
    /* what is not Java's */
    {"", "main", "", own},
    {"", "ns::f(int, char const*)", "", own},
    {"", "Foo::bar(int)", "", own},
    {"", "std::vector<int>::push_back(int const&)", "", own},
    {"", "(anonymous namespace)::f()", "", own},
    {"", "operator new(unsigned long)", "", own},
    {"", "int max<int>(int, int)", "", own},
    {"", "f.constprop.0", "", own},
    {"", "net/http.HandlerFunc.ServeHTTP", "", own},
    {"", "encoding/json.Marshal", "", own},
    {"", "github.com/Foo/Bar.Baz", "", own},
    {"", "main.(*T).F", "", own},
    {"", "<T as U>::f", "", own},
    {"", "a/b.py:f:3", "", own},
    {"", "Object.f [as g]", "", own},
    {"", "-[NSObject init]", "", own},
    {"", "[unknown]", "", own},
    {"", "", "", own},
    {"", ".", "", own},
    {"", "L;.", "", own},
    {"", "<", "", own},
    {"", ">", "", own},
    {"", "a.(", "", own},
    {"", "a.b(", "", own},
};

int main(void)
{
    static struct normal_name normal, again;
    char text[METHOD_NAME_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct trace_method method = {names[i].class_name, names[i].name, names[i].signature, ""};
        const char *wanted = names[i].wanted ? names[i].wanted : names[i].name;
        normal_name(&method, &normal);
        const struct trace_method result = {normal.class_name, normal.name, normal.signature, ""};
        method_name(&result, text);
        if (!ok(strcmp(text, wanted) == 0, "%s %s %s: %s", method.class_name, method.name, method.signature, wanted))
            printf("# got %s\n", text);
        normal_name(&result, &again);
        ok(strcmp(again.class_name, normal.class_name) == 0 && strcmp(again.name, normal.name) == 0 &&
               strcmp(again.signature, normal.signature) == 0,
           "  it stays what it is");
    }
    return done_testing();
}
