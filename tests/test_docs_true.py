"""What docstrings and comments say about the code is so: packages name their modules; decisions and names exist."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
FILES = sorted(SRC.rglob("*.py"))
PACKAGES = [path.parent for path in FILES if path.name == "__init__.py"]

PAGES = [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/formats/*.md")), *sorted(ROOT.glob("*.md"))]
"""Without the decisions, which tell what was, and with what."""

NAMED_BY_A_RULE = {"ottla/protocol/messages"}
"""One module per API, whose name it has: tests/protocol/test_apis.py compares them."""

FOREIGN = {
    "ConnectionHandler._connect",
    "ConnectionHandler._read_response",
    "String.hashCode",
    "__share_group_state",
    "selectors.EpollSelector",
    "zkCli",
}
"""Names of Kafka, of the JDK, of ZooKeeper and of libraries that stand in prose only."""

LISTED = re.compile(r"^(?: {4})?(\w+)/?  +\S", re.MULTILINE)
"""A line of a package's list: the module, two or more spaces, what it holds."""

DECISION = re.compile(r"\bdecisions? (\d+)", re.IGNORECASE)
QUOTED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*\w|[\w/]+\.pyi?)(?:\(\))?`(?!`)")
WORD = re.compile(r"[A-Za-z_][\w.]*\w")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def prose_and_words(path: Path) -> tuple[list[str], set[str]]:
    """The docstrings and comments of a file; the names in its code and the words of its other strings."""
    texts: list[str] = []
    words: set[str] = set()
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            texts.append(node.value.value)
            skipped.add(node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and node not in skipped:
            words.update(WORD.findall(str(node.value)))
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type == tokenize.COMMENT:
            texts.append(token.string)
        elif token.type == tokenize.NAME:
            words.add(token.string)
    return texts, words


def prose(path: Path) -> list[str]:
    return prose_and_words(path)[0]


def name_of(path: Path) -> str:
    return str(path.relative_to(SRC))


def modules_of(package: Path) -> set[str]:
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_package_docstring_names_exactly_its_modules_one_line_each(package: Path) -> None:
    if name_of(package) in NAMED_BY_A_RULE or not modules_of(package):
        return
    listed = LISTED.findall(ast.get_docstring(tree_of(package / "__init__.py")) or "")
    assert sorted(set(listed) - {"__main__"}) == sorted(modules_of(package))
    assert len(listed) == len(set(listed))


def test_a_decision_that_is_cited_is_in_docs_decisions() -> None:
    """Cited by four digits, as its file is named."""
    there = {path.name[:4] for path in (ROOT / "docs/decisions").glob("*.md")}
    cited = {(name_of(path), number) for path in FILES for text in prose(path) for number in DECISION.findall(text)}
    assert sorted((path, number) for path, number in cited if number not in there) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_and_the_files_it_names_exist(page: Path) -> None:
    text = page.read_text()
    links = [link for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) if not (page.parent / link).exists()]
    files = [file for file in re.findall(r"`([\w/]+\.py)`", text) if not any(ROOT.glob(f"[!.]*/**/{file}"))]
    assert (links, [file for file in files if not (ROOT / file).exists()]) == ([], [])


@cache
def known_words() -> frozenset[str]:
    """Every name in the code, every word of its strings (keys, files) and the name of every module."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    words = {part for path in FILES for part in path.relative_to(SRC).with_suffix("").parts} | FOREIGN
    return frozenset(words.union(*(prose_and_words(path)[1] for path in [*FILES, *SRC.rglob("*.pyi"), *tests])))


def is_in_its_module(reference: str) -> bool:
    """`ottla.x.y`: a package, a module, or what stands in one."""
    parts = reference.split(".")
    for length in range(len(parts), 0, -1):
        place = SRC.joinpath(*parts[:length])
        module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if module.exists():
            return set(parts[length:]) <= prose_and_words(module)[1]
    return False


def exists(reference: str) -> bool:
    if reference.endswith((".py", ".pyi")):
        return any(f"/{path}".endswith(f"/{reference}") for path in [*FILES, *(ROOT / "tests").rglob("*.py")])
    if reference in known_words():
        return True
    if reference.startswith("ottla."):
        return is_in_its_module(reference)
    return all(part in known_words() for part in reference.split("."))


def test_a_name_in_backticks_exists() -> None:
    """A module, class, function, field or key of ours, or a word that stands somewhere in code."""
    named = {(name_of(path), name) for path in FILES for text in prose(path) for name in QUOTED.findall(text)}
    assert sorted((path, name) for path, name in named if not exists(name)) == []
