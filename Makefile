# assay: one Makefile, wildcard discovery. A new program, test or figure needs no edit here.
#   analyze/NAME/main.c, collect/NAME/main.c   a program: assay-NAME; the other files there belong to it
#   base, stats, trace, table, analyze, collect/X    libraries; collect/agents/native and collect/agents/jvm become the agents
#   docs/man/assay-NAME.1            its manual, whose section NAME has the line that `assay help` and assay(1) print
#   tests/**/NAME.t, NAME_test.c     tests (TAP), run with prove
SHELL = /bin/sh
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

VERSION := 0.1.0
BUILD ?= build
PREFIX ?= /usr/local
ZSH_COMPLETIONS ?= share/zsh/site-functions
CC = gcc
SANITIZE ?=
OPTIMIZE ?= -O2
V ?= 0
Q := $(if $(filter 0,$(V)),@)
# Uses both processors without -j. A sub-make shares the jobs of this one.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
ifeq ($(origin JAVA_HOME),undefined)
JAVA_HOME := $(shell readlink -f "$$(command -v javac)" 2>/dev/null | sed 's,/bin/javac$$,,')
endif

# WERROR=1: warnings are errors, as in CI.
WERROR ?= 0
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wformat=2 -Wundef $(if $(filter 0,$(WERROR)),,-Werror)
JAVAC_WERROR := $(if $(filter 0,$(WERROR)),,-Werror)
# quadmath.h is in gcc's own folder, where clang and clang-tidy do not look, and whose other headers they can't read.
GCC_HEADERS = $(shell mkdir -p $(BUILD)/headers && ln -sf "$$(gcc -print-file-name=include)/quadmath.h" $(BUILD)/headers) -isystem $(BUILD)/headers
CLANG_HEADERS := $(if $(findstring clang,$(CC)),$(GCC_HEADERS))
CFLAGS_ALL := -std=c17 -D_GNU_SOURCE -g $(OPTIMIZE) $(WARNINGS) $(SANITIZE) -fPIC -pthread -I. \
    -DASSAY_VERSION='"$(VERSION)"' $(CLANG_HEADERS) $(CPPFLAGS) $(CFLAGS)
LDFLAGS_ALL := -pthread $(SANITIZE) $(LDFLAGS)

TRACE_LIBS := -lzstd -ljansson
STATS_LIBS := -lgsl -lgslcblas -lgmp -lquadmath -lm
# Agents contain their libraries, hidden, so that they can't clash with the measured program's. Debian's archives are
# position independent except for Jansson's use of `stdin`; config.c stands in for that.
STATIC_LIBS := -Wl,--exclude-libs,ALL -Wl,--wrap=stdin -Wl,-Bstatic -lzstd -ljansson -Wl,-Bdynamic -static-libgcc

source_of = $(wildcard $(addsuffix /*.c,$(1)))
objects = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))
object_of = $(call objects,$(wildcard $(addsuffix /*.c,$(1)) $(addsuffix /*.S,$(1))))

# A library has the files of its folders and of those below them, but for those of another library. It comes before those
# that it needs, as the linker wants them; agents have the last ones.
AGENT_DIRS := collect/methods collect/sample collect/calls collect/watch collect/pool collect/perf collect/x86 collect/bursts trace base
JVM_DIRS := collect/inspect/heapdump collect/inspect/classfile collect/inspect/inspection collect/inspect/interpret
COLLECT_DIRS := collect/experiment $(JVM_DIRS) collect/seccomp collect/inject collect/record collect/keep collect/exact/convert collect/chosen_functions collect/symbols $(AGENT_DIRS)
ANALYZE_DIRS := analyze plots table stats trace base
LIBRARY_DIRS := analyze plots table stats $(COLLECT_DIRS)
# Readers and writers of other tools' profiles, and what analyzers need of names and metrics, are no part of the agents' trace.
apart_trace := trace/import/% trace/export/% trace/names/% trace/metrics/%
folders_analyze := analyze trace/import trace/export trace/names trace/metrics
folders = $(or $(folders_$(1)),$(1))
pick = $(foreach dir,$(1),$(BUILD)/lib/$(subst /,-,$(dir)).a)
PROGRAM_SOURCES := $(wildcard analyze/*/main.c collect/*/main.c)
apart := $(PROGRAM_SOURCES) analyze/driver/mpi/% collect/inject/jvm/% collect/inject/native/% collect/rewrite/%
sources_below = $(filter-out $(apart) $(apart_$(1)) $(addsuffix /%,$(filter $(1)/%,$(LIBRARY_DIRS))),$(sort $(shell find $(call folders,$(1)) -name '*.[cS]')))
EXECUTABLES := $(foreach main,$(PROGRAM_SOURCES),$(BUILD)/libexec/assay/assay-$(notdir $(patsubst %/main.c,%,$(main))))
AGENTS := $(BUILD)/lib/assay/libassay-native.so \
    $(if $(JAVA_HOME),$(BUILD)/lib/assay/libassay-jvm.so $(BUILD)/lib/assay/libassay-inject.so $(BUILD)/lib/assay/libassay-accesses.so $(BUILD)/lib/assay/libassay-inspect.so) \
    $(BUILD)/lib/assay/libassay-inject-native.so
# From this small program the commands are executed whose memory is measured.
EXEC := $(BUILD)/lib/assay/assay-exec
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(shell find tests -name '*_test.c' 2>/dev/null))
TEST_TOOLS := $(addprefix $(BUILD)/tests/,inspect/layout_text make_trace make_events make_pairs make_accesses sample/trace_text sample/kept symbols/places symbols/loops \
    fuzz/seed_file x86/decode_text x86/loops_text exact/tool/pairs exact/tool/machine machines/machine)
TEST_SCRIPTS := $(shell find tests -name '*.t' 2>/dev/null)

# The rewriter of classes, with the parts of ASM that it uses: the JVM agent loads it in a separate class loader.
ASM := $(wildcard $(addprefix /usr/share/java/,asm.jar asm-tree.jar asm-analysis.jar))
REWRITER := $(if $(JAVA_HOME),$(if $(ASM),$(BUILD)/lib/assay/assay-methods.jar))
# The one that makes classes report their accesses, with what rewritten code calls: classes of java.lang.
ACCESSES := $(if $(REWRITER),$(BUILD)/lib/assay/assay-accesses.jar)
ACCESSES_DIR := $(BUILD)/obj/accesses
# TYPE, NAME and the kind of their accesses (collect/rewrite/methods.h).
ARRAY_TYPES := int:Int:2 long:Long:3 float:Float:6 double:Double:7 char:Char:1 short:Short:1 byte:Byte:0 boolean:Boolean:0

# Several analyzers as one job, if MPI is installed.
MPICC := $(shell command -v mpicc 2>/dev/null)
MPI_LINK := $(if $(MPICC),$(BUILD)/lib/assay/libassay-mpi.so)

# The exact tool is our own Valgrind tool, linked like Valgrind's with the archives of Debian's package.
VALGRIND_ARCHIVES := $(patsubst %/libcoregrind-amd64-linux.a,%,$(firstword \
    $(wildcard $(addsuffix /libcoregrind-amd64-linux.a,/usr/lib/*/valgrind /usr/lib/valgrind /usr/libexec/valgrind))))
VALGRIND_HOME := $(patsubst %/vgpreload_core-amd64-linux.so,%,$(firstword \
    $(wildcard $(addsuffix /vgpreload_core-amd64-linux.so,/usr/libexec/valgrind /usr/lib/*/valgrind /usr/lib/valgrind))))
comma := ,
TOOL_DIR := $(BUILD)/lib/assay/valgrind
TOOL := $(if $(VALGRIND_ARCHIVES),$(if $(VALGRIND_HOME),$(TOOL_DIR)/assay-amd64-linux))
TOOL_CFLAGS := -std=gnu17 -g -O2 -fno-tree-slp-vectorize $(WARNINGS) -fno-pic -fno-stack-protector -fno-strict-aliasing -fno-builtin \
    -fomit-frame-pointer -I. -isystem /usr/include/valgrind -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 \
    -DASSAY_VERSION='"$(VERSION)"'
TOOL_OBJECTS := $(patsubst %.c,$(BUILD)/obj-tool/%.o,$(sort $(shell find collect/bursts collect/exact/tool collect/seccomp collect/x86 -name '*.c')) base/program_image.c)
# Functions of the core that the tool stands in for (collect/exact/tool/state/core.h).
TOOL_WRAPS := $(addprefix -Wl$(comma)--wrap=vgPlain_,client_syscall should_we_trace_this_child do_exec do_syscall \
    gdbserver_report_signal getrlimit init_log_xml_sinks mkstemp sigprocmask) -Wl,--wrap=vgModuleLocal_read_debuginfo_dwarf3
# The tool doing less at an access, for exact.bench: lower bounds of its cost.
BOUNDS := $(if $(TOOL),$(patsubst %,$(BUILD)/tests/peers/bound/%/assay-amd64-linux,empty bare inline contexts))

# What each program is for, from the manuals: for `assay help`, and for the list of verbs in assay(1).
MANUALS := $(wildcard docs/man/*.1)
SUMMARIES := $(BUILD)/lib/assay/summaries
PAGES := $(patsubst docs/%,$(BUILD)/%,$(MANUALS))

PAPERS := profilers phases waste variance strides
.PHONY: all help demo reproduce $(PAPERS:%=reproduce-%) reproduce-waste-figures reproduce-warmup reproduce-strides-collectors \
    test bench layers words shape format-check format check-san install uninstall dist clean setup missing

all: $(EXECUTABLES) $(AGENTS) $(EXEC) $(MPI_LINK) $(REWRITER) $(ACCESSES) $(TOOL) $(BUILD)/share/assay $(SUMMARIES) \
    $(PAGES)

-include $(shell find $(BUILD)/obj $(BUILD)/obj-tool $(BUILD)/tests -name '*.d' 2>/dev/null)

# A file that changes only when the compiler or its flags do: editing this Makefile does not rebuild everything. Tests,
# which build single tools, leave it as it is (KEEP_FLAGS=1), and so do checks of the sources.
FLAGS := $(BUILD)/flags
FLAGS_TEXT := $(CC) $(filter-out -Werror,$(CFLAGS_ALL) $(TOOL_CFLAGS)) $(LDFLAGS_ALL)
CHECKS := layers words shape format-check format help missing
ifneq ($(filter-out $(CHECKS),$(or $(MAKECMDGOALS),all)),)
ifeq ($(and $(KEEP_FLAGS),$(wildcard $(FLAGS))),)
$(shell mkdir -p $(BUILD); printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' | cmp -s - $(FLAGS) || printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' > $(FLAGS))
endif
endif

$(BUILD)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  cc   $<"
	$(Q)$(CC) $(CFLAGS_ALL) $(call flags_of_file,$<) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.S $(FLAGS)
	@mkdir -p $(@D)
	@echo "  as   $<"
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Pages are in the programs as they are here.
$(BUILD)/obj/table/write/page/table_page_files.o: $(wildcard $(addprefix table/write/page/*.,html css js))
$(BUILD)/obj/analyze/waste/page/waste_page_files.o: $(wildcard $(addprefix analyze/waste/page/*.,html css js))

# Those of its folder, and its own.
flags_of_file = $(CFLAGS_$(subst /,_,$(patsubst %/,%,$(dir $(1))))) $(CFLAGS_$(subst /,_,$(basename $(1))))
# Interposed functions are marked; everything else in an agent is hidden.
# The C library renames what a packager's -D_FORTIFY_SOURCE checks: longjmp() would be __longjmp_chk(), which is one of them.
CFLAGS_collect_agents_native = -fvisibility=hidden -U_FORTIFY_SOURCE
CFLAGS_collect_agents_native_interpose = $(CFLAGS_collect_agents_native)
# Probes may change no register of the program that these files do not save. A pragma says so to gcc alone.
CFLAGS_collect_agents_native_hook = -mgeneral-regs-only
CFLAGS_collect_methods_plain = -mgeneral-regs-only
# Agents do without libm.
CFLAGS_collect_methods = -fno-math-errno
# The JDK's headers do not compile cleanly with our warnings.
CFLAGS_collect_agents_jvm = -isystem $(JAVA_HOME)/include -isystem $(JAVA_HOME)/include/linux
CFLAGS_collect_inject_jvm = $(CFLAGS_collect_agents_jvm) -fvisibility=hidden
CFLAGS_collect_rewrite = $(CFLAGS_collect_agents_jvm) -fvisibility=hidden
CFLAGS_collect_inspect_agent = $(CFLAGS_collect_rewrite)
# Frame pointers, so that a profiler that follows them finds the function whose hook is running.
CFLAGS_collect_inject_native = $(CFLAGS_collect_agents_native) -fno-omit-frame-pointer

define library
$(BUILD)/lib/$(subst /,-,$(1)).a: $(call objects,$(call sources_below,$(1)))
	@mkdir -p $$(@D)
	@rm -f $$@
	$(Q)ar rcs $$@ $$^
endef
$(foreach dir,$(LIBRARY_DIRS),$(eval $(call library,$(dir))))

$(BUILD)/libexec/assay/assay-%: $(BUILD)/obj/analyze/%/main.o $(call pick,$(ANALYZE_DIRS))
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(TRACE_LIBS) $(STATS_LIBS) -lz -llz4 -llzma -lZydis -lyajl -lexpat

$(BUILD)/libexec/assay/assay-%: $(BUILD)/obj/collect/%/main.o $(call pick,$(COLLECT_DIRS))
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(TRACE_LIBS) $(LIBS_$*) -ldw -lelf -liberty -lpfm -lm
LIBS_inspect := -lzip -lz
LIBS_experiment := -lyaml -lnettle -lzip

$(BUILD)/lib/assay/libassay-%.so: $(call pick,$(AGENT_DIRS))
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-z,nodelete,-z,defs -o $@ $(filter %.o,$^) \
	    -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(STATIC_LIBS)
$(BUILD)/lib/assay/libassay-native.so: $(call object_of,collect/agents/native collect/agents/native/interpose) $(call pick,collect/chosen_functions collect/symbols) collect/agents/native/versions
$(BUILD)/lib/assay/libassay-native.so: STATIC_LIBS += -liberty -Wl,--version-script=collect/agents/native/versions,-z,initfirst,-z,now,-Bsymbolic-functions,--export-dynamic-symbol=free
$(BUILD)/lib/assay/libassay-jvm.so: $(call object_of,collect/agents/jvm)
$(BUILD)/lib/assay/libassay-inject.so: $(call object_of,collect/inject/jvm) $(BUILD)/obj/collect/agents/jvm/role.o
$(BUILD)/lib/assay/libassay-accesses.so: $(call object_of,collect/rewrite)
$(BUILD)/lib/assay/libassay-inspect.so: $(call object_of,collect/inspect/agent) $(BUILD)/obj/collect/agents/jvm/perf_counters.o \
    $(BUILD)/obj/collect/rewrite/addresses.o $(call pick,collect/inspect/inspection collect/inspect/interpret)
$(BUILD)/lib/assay/libassay-inspect.so: STATIC_LIBS += -lm
$(BUILD)/lib/assay/libassay-inject-native.so: $(call object_of,collect/inject/native) $(call pick,collect/symbols)
$(BUILD)/lib/assay/libassay-inject-native.so: STATIC_LIBS += -liberty

$(EXEC): collect/exec/exec.c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -std=gnu17 -O2 $(WARNINGS) -ffreestanding -fno-stack-protector -fno-tree-loop-distribute-patterns -fcf-protection=none \
	    -fno-pie -no-pie -static -nostdlib -Wl,--build-id=none -o $@ $<

# MPI's compiler wrapper knows where its headers and libraries are.
$(MPI_LINK): $(call source_of,analyze/driver/mpi) analyze/driver/cluster_link.h
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(MPICC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -shared -o $@ $(filter %.c,$^)

$(REWRITER): $(wildcard collect/agents/jvm/java/assay/methods/*.java)
	@mkdir -p $(@D)
	@echo "  jar  $@"
	$(Q)rm -rf $(BUILD)/obj/rewriter && mkdir -p $(BUILD)/obj/rewriter
	$(Q)cd $(BUILD)/obj/rewriter && for jar in $(ASM); do $(JAVA_HOME)/bin/jar xf $$jar; done && rm -rf META-INF module-info.class
	$(Q)$(JAVA_HOME)/bin/javac -Xlint:all $(JAVAC_WERROR) --release 11 -cp $(BUILD)/obj/rewriter -d $(BUILD)/obj/rewriter $^
	$(Q)$(JAVA_HOME)/bin/jar cf $@ -C $(BUILD)/obj/rewriter .

$(ACCESSES): $(wildcard collect/rewrite/java/assay/accesses/*.java collect/rewrite/runtime/java/lang/*)
	@mkdir -p $(@D)
	@echo "  jar  $@"
	$(Q)rm -rf $(ACCESSES_DIR) && mkdir -p $(addprefix $(ACCESSES_DIR)/,sources/java/lang jar/runtime)
	$(Q)cp $(filter %.java,$(filter collect/rewrite/runtime/%,$^)) $(ACCESSES_DIR)/sources/java/lang
	$(Q)for each in $(ARRAY_TYPES); do type=$${each%%:*}; kind=$${each##*:}; name=$${each#*:}; name=$${name%:*}; \
	    sed "s/@type@/$$type/g; s/@Type@/$$name/g; s/@kind@/$$kind/g" collect/rewrite/runtime/java/lang/AssayArray.template \
	        > $(ACCESSES_DIR)/sources/java/lang/Assay$${name}Array.java; done
	$(Q)$(JAVA_HOME)/bin/javac -Xlint:-options $(JAVAC_WERROR) -source 17 -target 17 --patch-module java.base=$(ACCESSES_DIR)/sources \
	    -d $(ACCESSES_DIR)/jar/runtime $(ACCESSES_DIR)/sources/java/lang/*.java
	$(Q)cd $(ACCESSES_DIR)/jar/runtime && find java -name '*.class' | sed 's/[.]class$$//' | LC_ALL=C sort > list
	$(Q)cd $(ACCESSES_DIR)/jar && for jar in $(ASM); do $(JAVA_HOME)/bin/jar xf $$jar; done && rm -rf META-INF module-info.class
	$(Q)$(JAVA_HOME)/bin/javac -Xlint:all $(JAVAC_WERROR) --release 11 -cp $(ACCESSES_DIR)/jar -d $(ACCESSES_DIR)/jar $(filter %.java,$(filter collect/rewrite/java/%,$^))
	$(Q)$(JAVA_HOME)/bin/jar cf $@ -C $(ACCESSES_DIR)/jar .

$(BUILD)/obj-tool/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  cc   $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MMD -MP -c -o $@ $<

# Valgrind looks for everything in one directory. VERSION: the version of the archives.
$(TOOL): $(TOOL_OBJECTS)
$(BOUNDS): $(BUILD)/tests/peers/bound/%/assay-amd64-linux: $(BUILD)/obj-tool/tests/peers/bound/%.o \
    $(filter-out %/access.o %/wide_access.o,$(TOOL_OBJECTS))
WRAPPED := $(filter %/inline/assay-amd64-linux %/contexts/assay-amd64-linux,$(BOUNDS))
$(WRAPPED): $(BUILD)/obj-tool/tests/peers/bound/empty.o
$(WRAPPED): LDFLAGS_BOUND := -Wl,--wrap=ir_call
# The tool hiding nothing of Valgrind from the program, which then does the same as under cachegrind, for cachegrind.t.
VISIBLE := $(if $(TOOL),$(BUILD)/tests/analyze/cache/valgrind/assay-amd64-linux)
$(VISIBLE): $(BUILD)/obj-tool/tests/analyze/cache/visible.o $(filter-out %/process/begin.o,$(TOOL_OBJECTS))
$(TOOL) $(BOUNDS) $(VISIBLE):
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -static -nodefaultlibs -nostartfiles -u _start -Wl,-Ttext-segment=0x58000000 -Wl,--build-id=none $(TOOL_WRAPS) $(LDFLAGS_BOUND) -o $@ \
	    $^ $(patsubst %,$(VALGRIND_ARCHIVES)/lib%-amd64-linux.a,coregrind vex gcc-sup) -lgcc
	$(Q)ln -sf $(VALGRIND_HOME)/vgpreload_core-amd64-linux.so $(VALGRIND_HOME)/default.supp $(@D)
	$(Q)valgrind --version > $(@D)/VERSION

# Programs find plots and scripts by the same relative path in the checkout and when installed.
$(BUILD)/share/assay:
	@mkdir -p $(@D)
	@ln -sfn $(CURDIR) $@

# A test links its own folder's libraries, and those that they need.
test_libraries = $(call pick,$(if $(filter base/%,$(1)),base,$(if $(filter stats/%,$(1)),stats base,\
    $(if $(filter trace/import/% trace/names/% analyze/% table/% plots/%,$(1)),$(ANALYZE_DIRS),$(if $(filter trace/%,$(1)),trace base,\
    $(LIBRARY_DIRS))))))
.SECONDEXPANSION:
$(BUILD)/tests/%: tests/%.c $$(call test_libraries,$$*) tests/tap.h
	@mkdir -p $(@D)
	@echo "  test $<"
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d $(LDFLAGS_ALL) -Wl,--as-needed -o $@ $(filter %.c,$^) $(filter %.a,$^) \
	    $(TRACE_LIBS) $(STATS_LIBS) -lz -llz4 -llzma -lzip -lyaml -lnettle -lZydis -lyajl -lexpat -ldw -lelf -liberty -lpfm -lm

# The reference model of the exact tool is not a library, but two programs use it.
$(BUILD)/tests/exact/tool/model_test: tests/exact/tool/model.c tests/exact/tool/model.h
$(BUILD)/tests/exact/tool/machine: tests/exact/tool/model.c tests/exact/tool/program.c $(wildcard tests/exact/tool/*.h)

$(SUMMARIES): $(filter-out docs/man/assay.1,$(MANUALS))
	@mkdir -p $(@D)
	$(Q)sed -n '/^\.SH NAME/{n;s/\\-/-/g;s/^assay-\([a-z]*\) - /\1\t/p;}' $^ > $@

$(BUILD)/man/assay.1: docs/man/verbs.awk $(SUMMARIES) docs/man/assay.1
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@

# The columns of a program's tables come from the program.
$(filter-out $(BUILD)/man/assay.1,$(PAGES)): $(BUILD)/man/%.1: docs/man/columns.awk docs/man/%.1 $(BUILD)/libexec/assay/%
	@mkdir -p $(@D)
	$(Q)if grep -q '^\.\\" COLUMNS' docs/man/$*.1; then LC_ALL=C $(BUILD)/libexec/assay/$* --columns help; fi > $@.columns
	$(Q)awk -f docs/man/columns.awk - docs/man/$*.1 < $@.columns > $@.new
	$(Q)rm $@.columns && mv $@.new $@

# Only `demo` and `test` install packages; all others print which ones are missing.
INSTALL ?= yes
setup:
	@INSTALL=$(INSTALL) .ci/setup
missing:
	@INSTALL=no .ci/setup

define HELP
  make                   builds everything into $(BUILD)/, and installs nothing; make missing lists packages that are not there
  make demo              records three programs, prints tables and findings (installs missing packages; INSTALL=no refuses)
  make test, check       runs all tests (installs missing packages; INSTALL=no refuses); TESTS=tests/analyze chooses
  make fuzz TIME=60      fuzzes each reader of foreign bytes that many seconds and prints its coverage (needs clang); TARGETS=trace chooses
  make bench             prints the figures of docs/measurements anew; takes hours
  make reproduce         repeats the tables of five papers in ten minutes, on a page beside the published ones; SCALE=1 (default
                         0.05) is the full size, of many hours; reproduce-NAME: profilers, phases, waste, variance, strides alone
  make reproduce-NAME    repeats others in full: waste-figures, strides-collectors, warmup
  make install           below PREFIX (/usr/local), DESTDIR before it; uninstall removes it
  make dist              the committed tree as assay-$(VERSION).tar.gz
  make compile_commands.json, format, layers, tidy, words, shape, check-san
Variables: CC, CFLAGS, LDFLAGS, OPTIMIZE (-O2), SANITIZE, WERROR=1 (warnings are errors), V=1 (shows commands), BUILD (build)
endef
export HELP
help:
	@printf '%s\n' "$$HELP"

# --- tests: TAP, run with prove; no test depends on time. Those in C are short, so they come last ---
# Two at a time, but for those that say `# alone:` and why: these come afterwards, one after the other.
TESTS_ALONE := $(if $(TEST_SCRIPTS),$(shell grep -l '^# alone: ' $(TEST_SCRIPTS)))
# MACHINE=no-traps, paranoid-3 …: on an imitated machine (tests/machines/opening.h). TESTS: those below these folders.
TESTS ?= tests
ON_MACHINE := $(if $(MACHINE),$(BUILD)/tests/machines/machine $(MACHINE))
chosen = $(sort $(filter $(addsuffix %,$(TESTS)) $(addprefix $(BUILD)/,$(addsuffix %,$(TESTS))),$(1)))
run_tests = $(if $(strip $(2)),$(ON_MACHINE) prove --timer $(1) --failures --comments $(PROVE_FLAGS) $(2) || status=1;)
test: setup
	@$(MAKE) --no-print-directory all test-programs
	@$(MAKE) --no-print-directory layers words shape format-check
	@status=0; \
	$(call run_tests,-j2,$(call chosen,$(filter-out $(TESTS_ALONE),$(TEST_SCRIPTS))) $(call chosen,$(TEST_PROGRAMS))) \
	$(call run_tests,,$(call chosen,$(TESTS_ALONE))) \
	exit $$status

.PHONY: test-programs
test-programs: $(TEST_PROGRAMS) $(TEST_TOOLS)

.PHONY: check
check: test

# The C tests under ASan and UBSan, and those of the trace's writer under TSan.
SAN_OPTIONS := ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
check-san: missing
	@$(MAKE) --no-print-directory BUILD=build/asan OPTIMIZE=-O1 \
	    SANITIZE='-fsanitize=address,undefined -fno-omit-frame-pointer' test-programs programs
	$(SAN_OPTIONS) ASSAY_BUILD=build/asan prove $(sort $(TEST_PROGRAMS:$(BUILD)/%=build/asan/%)) tests/analyze
	@$(MAKE) --no-print-directory BUILD=build/tsan OPTIMIZE=-O1 SANITIZE=-fsanitize=thread \
	    build/tsan/tests/trace/roundtrip_test
	prove build/tsan/tests/trace/roundtrip_test

# A library that lets calls fail, for tests/faults/every.
$(BUILD)/tests/faults/fail.so: tests/faults/fail.c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  test $<"
	$(Q)$(CC) $(CFLAGS_ALL) -shared -o $@ $<

# Fuzzing by coverage, with clang's libFuzzer: TIME seconds for each target of TARGETS.
TIME ?= 60
FUZZ_TARGETS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
TARGETS ?= $(FUZZ_TARGETS)
# Not pointer-overflow: glibc's obstack adds to a null pointer.
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined -fprofile-instr-generate \
    -fcoverage-mapping
.PHONY: fuzz fuzz-programs
fuzz: missing
	@command -v clang llvm-profdata llvm-cov >/dev/null || { echo "make fuzz: needs clang and llvm; run: apt-get install clang llvm" >&2; exit 1; }
	@$(MAKE) --no-print-directory all test-programs
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang OPTIMIZE=-O1 SANITIZE='-fsanitize=fuzzer-no-link $(FUZZ_SANITIZE)' fuzz-programs
	@ASSAY_BUILD=$(BUILD) tests/fuzz/run $(TIME) $(TARGETS)

fuzz-programs: $(patsubst %,$(BUILD)/tests/fuzz/%_fuzz,$(FUZZ_TARGETS))
$(BUILD)/tests/fuzz/%_fuzz: LDFLAGS_ALL += -fsanitize=fuzzer

.PHONY: programs
programs: $(EXECUTABLES) $(BUILD)/share/assay

bench: missing
	@$(MAKE) --no-print-directory all
	@for bench in $(sort $(wildcard tests/peers/*.bench)); do echo "== $$bench"; $$bench || exit 1; done

demo: setup
	@$(MAKE) --no-print-directory all
	@datasets/demo

# The papers' tables and figures beside ours, on one page: all parts, or one. SCALE=1 is the full size.
reproduce: missing
	@$(MAKE) --no-print-directory all
	@datasets/papers/reproduce

$(PAPERS:%=reproduce-%): reproduce-%: missing
	@$(MAKE) --no-print-directory all
	@datasets/papers/reproduce $*

# The papers' figures of whole programs, native and Java, which waste.
reproduce-waste-figures: missing
	@$(MAKE) --no-print-directory all
	@datasets/waste/figures

# Steady states of real programs.
reproduce-warmup: missing
	@$(MAKE) --no-print-directory all
	@datasets/warmup/reproduce

# Whether strides outlive collections.
reproduce-strides-collectors: missing
	@$(MAKE) --no-print-directory all
	@datasets/strides/collectors

DESTINATION = $(DESTDIR)$(PREFIX)
# The scripts of `assay audit profiler`, which it finds by the same relative path in the checkout and when installed.
AUDIT := analyze/audit/profiler
install: all
	install -d $(DESTINATION)/bin $(DESTINATION)/libexec/assay $(DESTINATION)/lib/assay \
	    $(DESTINATION)/share/assay/plots $(DESTINATION)/share/man/man1
	sed 's/@VERSION@/$(VERSION)/' assay > $(DESTINATION)/bin/assay
	chmod 755 $(DESTINATION)/bin/assay
	install $(EXECUTABLES) $(DESTINATION)/libexec/assay
	install $(EXEC) $(DESTINATION)/lib/assay
	install -m 644 $(AGENTS) $(MPI_LINK) $(REWRITER) $(ACCESSES) $(SUMMARIES) $(DESTINATION)/lib/assay
	$(if $(TOOL),install -d $(DESTINATION)/lib/assay/valgrind)
	$(if $(TOOL),cp -P $(TOOL_DIR)/* $(DESTINATION)/lib/assay/valgrind)
	install -m 644 plots/*.gp $(DESTINATION)/share/assay/plots
	install -d $(DESTINATION)/share/assay/$(AUDIT)/drivers
	install $(addprefix $(AUDIT)/,audit run points) $(DESTINATION)/share/assay/$(AUDIT)
	install -m 644 $(AUDIT)/programs.sh $(AUDIT)/*.awk $(DESTINATION)/share/assay/$(AUDIT)
	install -m 644 $(AUDIT)/drivers/*.sh $(DESTINATION)/share/assay/$(AUDIT)/drivers
	install -m 644 $(PAGES) $(DESTINATION)/share/man/man1
	install -d $(DESTINATION)/share/bash-completion/completions $(DESTINATION)/$(ZSH_COMPLETIONS)
	completion/generate bash $(DESTINATION)/libexec/assay $(DESTINATION)/bin/assay > $(DESTINATION)/share/bash-completion/completions/assay
	completion/generate zsh $(DESTINATION)/libexec/assay $(DESTINATION)/bin/assay > $(DESTINATION)/$(ZSH_COMPLETIONS)/_assay

uninstall:
	rm -f $(addprefix $(DESTINATION)/bin/,assay) $(addprefix $(DESTINATION)/share/man/man1/,$(notdir $(MANUALS)))
	rm -rf $(addprefix $(DESTINATION)/,libexec/assay lib/assay share/assay)
	rm -f $(DESTINATION)/share/bash-completion/completions/assay $(DESTINATION)/$(ZSH_COMPLETIONS)/_assay

# The committed tree as an archive.
dist:
	git archive --prefix=assay-$(VERSION)/ -o assay-$(VERSION).tar.gz HEAD
	@echo assay-$(VERSION).tar.gz

# For editors and clang-tidy: how each file is compiled.
.PHONY: compile_commands.json tidy
FOLDERS := base stats trace table plots collect analyze tests
CFLAGS_analyze_driver_mpi = $(if $(MPICC),$(filter -I%,$(shell $(MPICC) -show)))
FOR_TOOL := collect/exact/tool/% tests/peers/bound/% tests/analyze/cache/visible.c
tidy_headers := $(if $(filter compile_commands.json tidy,$(MAKECMDGOALS)),$(GCC_HEADERS))
flags_of = $(if $(filter $(FOR_TOOL),$(1)),$(TOOL_CFLAGS),$(CFLAGS_ALL) $(tidy_headers) $(CFLAGS_collect_agents_jvm) \
    $(call flags_of_file,$(1)))
json_text = $(subst ",\",$(subst \,\\,$(1)))
compile_command = {"directory":"$(CURDIR)","file":"$(1)","command":"$(call json_text,$(CC) $(call flags_of,$(1)) -c $(1))"},
compile_commands.json:
	$(file >$@.new)$(foreach file,$(sort $(shell find $(FOLDERS) -name '*.c')),$(file >>$@.new,$(call compile_command,$(file))))
	@sed '1s/^/[/; $$s/,$$/]/' $@.new > $@ && rm $@.new

# The checks of .clang-tidy. TIDY=collect/record chooses a folder or file; everything takes half an hour of two processors.
CLANG_TIDY ?= clang-tidy
TIDY ?= $(FOLDERS)
tidy: compile_commands.json
	@find $(TIDY) -name '*.c' | LC_ALL=C sort | xargs -n 4 -P "$$(nproc)" $(CLANG_TIDY) --quiet -p . 2>$(BUILD)/tidy.log || \
	    { grep -v 'warnings* generated' $(BUILD)/tidy.log >&2; exit 1; }

layers:
	@tests/layers

words:
	@tests/words

shape:
	@tests/shape

FORMATTED = $(shell find $(FOLDERS) -name '*.[ch]')
format-check:
	@clang-format --dry-run -Werror $(FORMATTED)
format:
	clang-format -i $(FORMATTED)

clean:
	rm -rf $(BUILD)
