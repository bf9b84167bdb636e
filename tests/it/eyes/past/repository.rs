//! A repository with a past: commits that fix, revert and decide, documents, plans, a build file, and two languages.

use super::super::lab::Lab;

pub(super) const AGENTS: &str = "# Agents\n\n## Style\n\n- Use four spaces for indentation in Python files\n\
    - Prefer small functions over large ones\n\n## Hard rules\n\n- NEVER push directly to the main branch\n";

const FIX: &str = "fix: crash when the list of samples is empty\n\nThe mean divided by the length of the list, which \
    fails with a ZeroDivisionError because nobody checked for an empty list.\nNow an empty list has the mean zero.";
const REVERT: &str = "Revert \"Cache the results of the mean in memory\"\n\nThis reverts commit COMMIT.\n\n\
    The cache grew without bounds and the worker ran out of memory after two days.";
const DECISION: &str = "Store samples in SQLite\n\nWe decided to use SQLite instead of Postgres because it needs no \
    server, so that the tests run anywhere without a container.";

pub(super) fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.write("src/app.py", "from src.stats import mean\n\n\ndef main():\n    print(mean([1]))\n");
    lab.write("web/greet.ts", "export function greet(name: string): string {\n  return `hi ${name}`;\n}\n");
    lab.write("web/main.ts", "import { greet } from \"./greet\";\nconsole.log(greet(\"x\"));\n");
    lab.commit("Add the statistics and the greeting");
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n");
    lab.commit(FIX);
    lab.append("src/app.py", "# cached\n");
    lab.commit("Cache the results of the mean in memory");
    let cached = lab.git(&["rev-parse", "HEAD"]);
    lab.git(&["revert", "--no-edit", "HEAD"]);
    lab.git(&["commit", "-q", "--amend", "-m", &REVERT.replace("COMMIT", cached.trim())]);
    lab.write("src/db.py", "NAME = \"samples\"\n");
    lab.commit(DECISION);
    for (path, text) in DOCUMENTS {
        lab.write(path, text);
    }
    lab.write("AGENTS.md", AGENTS);
    lab.commit("Write down how we work");
    lab
}

const DOCUMENTS: &[(&str, &str)] = &[
    (
        "docs/adr/0001-one-file.md",
        "# 1. Keep the samples in one file\n\nDate: 2026-01-05\n\n## Status\n\nAccepted\n\n## Context\n\n\
         The samples have to be stored somewhere and the team is small.\n\n## Decision\n\n\
         All samples are kept in one file through the standard library.\n\n## Consequences\n\nThere is no server.\n",
    ),
    (
        "CONTRIBUTING.md",
        "# Contributing\n\n## Pull requests\n\n- Every fix must come with a test that fails without it\n- Keep each commit below 200 lines\n",
    ),
    (
        "README.md",
        "# Sampler\n\nSampler keeps samples of measurements and tells their mean to whoever asks.\n\n## Testing\n\n\
         Run the tests with:\n\n```sh\nmake test\n```\n",
    ),
    (
        "Makefile",
        ".PHONY: test build release\ntest:\n\tpython -m pytest tests\n\nbuild:\n\tpython -m build\n\n\
         release: test build\n\tgit tag v1\n\ttwine upload dist/*\n",
    ),
    (
        "plans/01-storage.md",
        "---\nphase: 01-storage\nprovides:\n  - sample-store\n---\n\n# Storage of samples\n\n\
         The store keeps every sample that was ever measured.\n",
    ),
    (
        "plans/02-reports.md",
        "---\nphase: 02-reports\nrequires:\n  - sample-store\nprovides:\n  - reports\n---\n\n# Reports on samples\n\n\
         A report shows the mean of the samples of a day.\n",
    ),
];
