# The two commands of the README are `make demo` and `make test`; both set up what they need and no more.
BIN := .venv/bin
# Images of containers often forbid Python to write byte code: each process would translate SymPy again, two seconds.
unexport PYTHONDONTWRITEBYTECODE

# What `make quick` runs: imports, names, the symbolic stage, one model of each family and under each scheme. The proofs
# about rotations take as long as half of all that.
QUICK := tests/packaging/test_imports.py tests/packaging/test_repository.py tests/test_names.py tests/test_every_kind.py \
    $(filter-out tests/symbolic/test_rotations.py,$(wildcard tests/symbolic/test_*.py))

.PHONY: demo quick test test-all oldest-sympy sanitize lint examples audit audit-formulas audit-report benchmarks docs gallery generated release clean setup tools

# A file of examples/ is a model, except those called *_audit.py, which hold claims for `nsdgen verify`.
MODELS := $(filter-out %_audit.py,$(wildcard examples/*.py examples/mechanisms/*.py))
WORLDS := $(wildcard examples/worlds/*.py)
# Those whose packages are committed, for all to read.
EMITTED := $(filter $(patsubst generated/%,examples/%.py,$(wildcard generated/*)),$(MODELS))

setup:
	@./bootstrap.sh

tools:
	@./bootstrap.sh dev

demo: setup  ## the cam follower at three speeds: what was derived, how long it took, plots in demo/
	@mkdir -p demo
	@$(BIN)/nsdgen inspect examples/cam_follower.py
	@for rpm in 358 660 700; do \
	    printf '\n--- %s rpm\n' $$rpm; \
	    $(BIN)/nsdgen run examples/cam_follower.py -p "omega=2*pi*$$rpm/60" --out demo/cam_follower_$$rpm.nc \
	        --plot follower.u,cam.impulse --plot-file demo/cam_follower_$$rpm.png || exit 1; \
	done
	@printf '\nLook at demo/cam_follower_358.png, demo/cam_follower_660.png and demo/cam_follower_700.png\n'

quick: tools  ## what breaks first, in less than a minute
	@$(BIN)/python -m pytest -q -n 2 -m "not slow" $(QUICK)

test: tools  ## the default suite
	@$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: tools  ## the default suite and the long campaigns: all models compiled, other examples drawn every time
	@$(BIN)/python -m pytest -n 2 -m "" --kernels=compiled --hypothesis-profile=random

oldest-sympy: tools  ## the committed packages emitted again with the oldest SymPy that pyproject.toml allows
	@oldest=$$(sed -n 's/.*"sympy>=\([0-9.]*\)".*/\1/p' pyproject.toml) && \
	    $(BIN)/python -m pip install --quiet --no-deps --target "build/sympy-$$oldest" --upgrade "sympy==$$oldest" && \
	    PYTHONPATH="build/sympy-$$oldest" $(BIN)/python -m pytest -q tests/emit/test_generated.py

sanitize: tools  ## what is compiled built with the compiler's sanitizers, default tests of runtime, solvers, worlds and events
	@$(BIN)/python -m pytest -q -m slow tests/packaging/test_sanitizers.py

lint: tools
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy

examples: setup  ## run every example from end to end, two at a time
	@mkdir -p demo
	@printf '%s\n' $(MODELS) $(WORLDS) | xargs -P 2 -I FILE sh -c \
	    'said=$$(cd demo && ../$(BIN)/python ../FILE 2>&1); code=$$?; printf -- "--- %s\n%s\n" FILE "$$said"; exit $$code'

audit-formulas: setup  ## decide the claims about published formulas again, against docs/audit
	@$(BIN)/python examples/developer_notes_audit.py --only undecided

audit: audit-formulas  ## those, and the claims about plugins
	@$(BIN)/nsdgen verify examples/plugin_audit --only undecided --expect docs/audit/plugin_audit.verdicts

audit-report: setup  ## write docs/audit again; refuted claims are what it is about, so exit code 4 is no failure
	@for name in developer_notes_audit.py plugin_audit; do \
	    $(BIN)/nsdgen verify examples/$$name --verdicts docs/audit/$${name%.py}.verdicts --markdown docs/audit/$${name%.py}.md -q \
	        || [ $$? -eq 4 ] || exit 1; done

benchmarks: setup
	@$(BIN)/python benchmarks/steps.py

gallery: setup  ## pictures of all examples in docs/gallery, pages that move in build/gallery: minutes
	@./bootstrap.sh docs
	@$(BIN)/python docs/site/pictures.py

docs: setup  ## the pages of docs/ as a site in build/docs
	@./bootstrap.sh docs
	@$(BIN)/python docs/site build/docs

generated: setup  ## emit the packages of the examples again
	@for file in $(EMITTED); do $(BIN)/nsdgen compile $$file -o generated || exit 1; done
	@$(BIN)/python -m tools.solver_kernels.text

release: tools  ## what is checked before a version is tagged; sdist and wheel in dist/
	@$(BIN)/python tests/packaging/release.py

clean:
	@rm -rf .venv build dist demo *.egg-info
	@find nsdgen -name '*.so' -delete
