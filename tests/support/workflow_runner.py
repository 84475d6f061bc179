"""Runs the steps of a GitHub workflow or composite action in a folder, as a hosted runner would.

The `run:` lines are real: bash runs them with the environment that the step has. What `uses:` names is replaced by a
small local part with the same promises: a checkout is a clone, a cache is a folder of archives found by key and by
the newest match of a prefix, an artifact is a folder, and an action in the checkout has its own steps run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Context = dict[str, Any]

BLOCK_BYTES = 65_536


@dataclass
class StepResult:
    """What came of one step: `outcome` is success, failure or skipped."""

    name: str
    outcome: str
    output: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass
class Runner:
    """One runner with an empty workspace; `storage` (caches and artifacts) is shared by the runners of a repository.

    `environ` is the whole environment of every step but for what the workflow sets. `secrets` are empty for a fork.
    """

    workspace: Path
    storage: Path
    environ: dict[str, str]
    checkout: Callable[[Path, Mapping[str, Any]], None]
    github: Context = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    actions: dict[str, Path] = field(default_factory=dict)
    results: list[StepResult] = field(default_factory=list)
    summary: str = ""

    def run_job(self, workflow: Path, job: str) -> bool:
        """Run one job of a workflow file; returns whether it succeeded."""
        document = load(workflow)
        definition = document["jobs"][job]
        context = self._context() | {"env": {}}
        context["env"] = self._filled(document.get("env", {}) | definition.get("env", {}), context)
        defaults = definition.get("defaults", document.get("defaults", {})).get("run", {})
        _, succeeded = self._steps(definition["steps"], context, defaults)
        return succeeded

    def _context(self) -> Context:
        return {
            "github": {"event_name": "push", "ref_name": "main", "head_ref": "", "base_ref": ""} | self.github,
            "runner": {"os": "Linux", "temp": str(self._temp)},
            "secrets": self.secrets,
        }

    @property
    def _temp(self) -> Path:
        folder = self.workspace.parent / f"{self.workspace.name}-temp"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _steps(
        self, steps: list[dict[str, Any]], context: Context, defaults: Mapping[str, Any]
    ) -> tuple[Context, bool]:
        context = context | {"steps": {}, "job": {"status": "success"}}
        succeeded = True
        for step in steps:
            name = step.get("name") or step.get("id") or step.get("uses") or "run"
            if not _is_true(step.get("if", "success()"), context, succeeded):
                result = StepResult(name, "skipped")
            else:
                result = self._step(name, step, context, defaults)
            self.results.append(result)
            if result.outcome == "failure" and not _is_true(step.get("continue-on-error", "false"), context, True):
                succeeded = False
                context["job"]["status"] = "failure"
            if "id" in step:
                context["steps"][step["id"]] = {"outcome": result.outcome, "outputs": result.outputs}
        return context, succeeded

    def _step(
        self,
        name: str,
        step: dict[str, Any],
        context: Context,
        defaults: Mapping[str, Any],
    ) -> StepResult:
        env = context["env"] | self._filled(step.get("env", {}), context)
        context = context | {"env": env}
        if "run" in step:
            folder = step.get("working-directory", defaults.get("working-directory", "."))
            return self._bash(name, str(fill(step["run"], context)), env, str(fill(folder, context)))
        given = self._filled(step.get("with", {}), context)
        action = step["uses"].split("@")[0]
        if action in self.actions or action.startswith("./"):
            return self._composite(name, self.actions.get(action, self.workspace / action), given, context)
        return self._known(name, action, given)

    def _bash(self, name: str, script: str, env: Mapping[str, Any], folder: str) -> StepResult:
        files = {kind: self._temp / kind for kind in ("output", "env", "summary")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        environ = self.environ | {key: str(value) for key, value in env.items()}
        environ |= {f"GITHUB_{kind.upper()}": str(file) for kind, file in files.items() if kind != "summary"}
        environ |= {"GITHUB_STEP_SUMMARY": str(files["summary"]), "GITHUB_ACTIONS": "true", "CI": "true"}
        environ |= {"GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self._temp)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.workspace / folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=110,
        )
        self.summary += files["summary"].read_text(encoding="utf-8")
        outputs = _outputs(files["output"].read_text(encoding="utf-8"))
        outcome = "success" if done.returncode == 0 else "failure"
        return StepResult(name, outcome, done.stdout + done.stderr, outputs)

    def _composite(self, name: str, folder: Path, given: Context, context: Context) -> StepResult:
        document = load(folder / "action.yml")
        unknown = given.keys() - document["inputs"].keys()
        assert not unknown, f"{name} has no input {unknown}"
        inputs = {key: given.get(key, value.get("default", "")) for key, value in document["inputs"].items()}
        inner = context | {"inputs": inputs}
        inner["github"] = inner["github"] | {"action_path": str(folder)}
        after, succeeded = self._steps(document["runs"]["steps"], inner, {})
        outputs = {key: str(fill(value["value"], after)) for key, value in document.get("outputs", {}).items()}
        return StepResult(name, "success" if succeeded else "failure", outputs=outputs)

    def _known(self, name: str, action: str, given: Context) -> StepResult:
        if action == "actions/checkout":
            self.checkout(self.workspace / given.get("path", "."), given)
        elif action == "actions/cache/restore":
            return StepResult(name, "success", outputs=self._restore(given))
        elif action == "actions/cache/save":
            self._save(given)
        elif action == "actions/upload-artifact":
            self._copy(given["path"], self.storage / "artifacts" / given["name"])
        elif action == "actions/download-artifact":
            copy_folder(self.storage / "artifacts" / given["name"], self.workspace / given.get("path", "."))
        else:
            assert action in ("actions/setup-python", "actions/github-script"), f"what is {action}?"
        return StepResult(name, "success")

    def _restore(self, given: Context) -> dict[str, str]:
        """The archive of this key, else the newest whose key begins with the first prefix that has any."""
        kept = sorted((self.storage / "caches").glob("*"), key=lambda folder: folder.stat().st_mtime_ns)
        prefixes = [given["key"], *str(given.get("restore-keys", "")).split()]
        for prefix in prefixes:
            found = [folder for folder in kept if folder.name.startswith(_as_name(prefix))]
            if found:
                copy_folder(found[-1], self.workspace)
                return {"cache-hit": str(found[-1].name == _as_name(given["key"])).lower()}
        return {"cache-hit": ""}

    def _save(self, given: Context) -> None:
        target = self.storage / "caches" / _as_name(given["key"])
        assert not target.exists(), "a cache is never written twice"
        self._copy(given["path"], target)

    def _copy(self, paths: str, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        for path in paths.split():
            source = self.workspace / path
            if source.is_dir():
                copy_folder(source, target / path)
            elif source.exists():
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target / path)

    def _filled(self, values: Mapping[str, Any], context: Context) -> Context:
        return {key: fill(value, context) for key, value in values.items()}

    def failures(self) -> str:
        """Return the output of the steps that failed."""
        return "\n".join(f"{result.name}:\n{result.output}" for result in self.results if result.outcome == "failure")

    def result(self, name: str) -> StepResult:
        """Return what came of the step with this name."""
        return next(result for result in self.results if result.name == name)


def copy_folder(source: Path, target: Path) -> None:
    """Copy what a folder holds, holes as holes: the engine's files are gigabytes long and nearly empty."""

    def copy_file(old: str, new: str) -> None:
        with open(old, "rb") as reader, open(new, "wb") as writer:
            while block := reader.read(BLOCK_BYTES):
                if block.count(0) == len(block):
                    writer.seek(len(block), os.SEEK_CUR)
                else:
                    writer.write(block)
            writer.truncate()
        shutil.copystat(old, new)

    shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True, copy_function=copy_file)


def load(path: Path) -> dict[str, Any]:
    """Read a workflow; YAML 1.1 reads its `on` as true, which nothing here asks for."""
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def fill(value: Any, context: Context) -> Any:
    """Replace each `${{ … }}` of a value."""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else value
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: _as_text(evaluate(found[1], context)), value)


def evaluate(expression: str, context: Context, succeeded: bool = True) -> Any:
    """The value of an expression: literals, contexts, `!`, `==`, `!=`, `&&`, `||`, brackets and status functions."""
    tokens = re.findall(r"'(?:[^']|'')*'|\|\||&&|==|!=|[!()]|[\w.-]+(?:\(\))?", expression)
    return _Parser(tokens, context, succeeded).either()


@dataclass
class _Parser:
    tokens: list[str]
    context: Context
    succeeded: bool

    def either(self) -> Any:
        left = self._both()
        while self._take("||"):
            right = self._both()
            left = left or right
        return left

    def _both(self) -> Any:
        left = self._equal()
        while self._take("&&"):
            right = self._equal()
            left = right if left else left
        return left

    def _equal(self) -> Any:
        left = self._value()
        for operator in ("==", "!="):
            if self._take(operator):
                return (_as_text(left) == _as_text(self._value())) == (operator == "==")
        return left

    def _value(self) -> Any:
        token = self.tokens.pop(0)
        if token == "!":
            return not self._value()
        if token == "(":
            value = self.either()
            assert self._take(")")
            return value
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        states = {
            "always()": True,
            "success()": self.succeeded,
            "failure()": not self.succeeded,
            "cancelled()": False,
        }
        if token in states | {"true": True, "false": False}:
            return (states | {"true": True, "false": False})[token]
        value: Any = self.context
        for part in token.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value

    def _take(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False


def _is_true(condition: Any, context: Context, succeeded: bool) -> bool:
    text = re.sub(r"^\$\{\{|\}\}$", "", str(condition).strip())
    asks_status = re.search(r"\b(always|success|failure|cancelled)\(\)", text)
    return bool(evaluate(text, context, succeeded)) and (succeeded or asks_status is not None)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _as_name(key: str) -> str:
    return key.strip().replace("/", "%")


def _outputs(text: str) -> dict[str, str]:
    """`name=value` lines, and `name<<END` blocks."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if match := re.fullmatch(r"(\w[\w-]*)<<(.+)", line):
            block: list[str] = []
            for inner in lines:
                if inner == match[2]:
                    break
                block.append(inner)
            found[match[1]] = "\n".join(block)
        elif "=" in line:
            name, _, value = line.partition("=")
            found[name] = value
    return found
