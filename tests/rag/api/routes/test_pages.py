"""The files of the page and the widget over HTTP: types, caching, security headers, and that a wheel holds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from rag.api.http.bundles import SCRIPTS as SCRIPTS_MADE
from rag.api.http.bundles import STYLES, script_bundle
from rag.api.http.static_files import TYPES, static_files
from rag.api.routes.pages import CONTENT_POLICY
from tests.support.paths import ROOT

STATIC = ROOT / "rag" / "api" / "static"
SCRIPTS = sorted(STATIC.rglob("*.js"))
REFERENCE = re.compile(r"""(?:from |import\(|href=|src=)["'`]([^"'`$]+\.(?:js|css|svg))["'`]""")
MAX_LINES = 300
UNSAFE = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setHTMLUnsafe")


@pytest.fixture
def client(clean_surroundings: Path) -> TestClient:
    """A server without an index, which does not even start its other work: its page is there all the same."""
    app = create_app(load_settings({}, environ={}), clean_surroundings, open_to_all=True)
    return TestClient(app, base_url="http://127.0.0.1")


def test_the_page_may_load_from_its_own_server_alone(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"] == CONTENT_POLICY
    assert "default-src 'none'" in CONTENT_POLICY and "unsafe" not in CONTENT_POLICY
    assert page.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*src=)", page.text)


@pytest.mark.parametrize(
    ("site", "allowed"),
    [
        ("https://book.example.org/course", "img-src 'self' https://book.example.org;"),
        ("https://a;script-src *", "img-src 'self';"),
        ("https://user:secret@book.example.org", "img-src 'self';"),
    ],
)
def test_pictures_come_from_the_book_s_own_site_besides(clean_surroundings: Path, site: str, allowed: str) -> None:
    app = create_app(load_settings({"book.base_url": site}, environ={}), clean_surroundings, open_to_all=True)
    policy = TestClient(app, base_url="http://127.0.0.1").get("/").headers["content-security-policy"]
    assert allowed in policy and "script-src 'self';" in policy and policy.count("script-src") == 1


@pytest.mark.parametrize("path", ["/openapi.json", "/book/openapi.json"])
def test_the_description_names_its_server_relative_to_itself_under_a_path_prefix(
    clean_surroundings: Path, path: str
) -> None:
    settings = load_settings({"api.root_path": "/book"}, environ={})
    app = create_app(settings, clean_surroundings, open_to_all=True)
    document = TestClient(app, base_url="http://127.0.0.1").get(path).json()
    assert [server["url"] for server in document["servers"]] == ["."]


def test_every_file_that_is_named_is_served_with_its_type(client: TestClient) -> None:
    pages = [client.get(path).text for path in ("/", "/owner", "/docs")]
    named = {f"/{name}" for page in pages for name in REFERENCE.findall(page) if name.startswith("static/")}
    for script in SCRIPTS:
        for name in REFERENCE.findall(script.read_text(encoding="utf-8")):
            if name.startswith("."):
                named.add("/static/" + (script.parent / name).resolve().relative_to(STATIC).as_posix())
    assert len(named) > 20
    for name in sorted(named):
        reply = client.get(name)
        assert reply.status_code == 200, name
        assert reply.headers["content-type"] == TYPES[Path(name).suffix]


def test_files_are_kept_for_good_under_a_path_that_changes_with_them(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["cache-control"] == "no-cache"
    [script] = re.findall(r'src="(static/[0-9a-f]{16}/app\.bundle\.js)"', page.text)
    assert client.get(f"/{script}").headers["cache-control"] == "public, max-age=31536000, immutable"
    other = f"/static/{'0' * 16}/app.bundle.js"
    assert client.get(other).status_code == 200 and client.get(other).headers["cache-control"] == "no-cache"
    assert script.split("/")[1] in client.get("/widget.js").text


@pytest.mark.parametrize(("bundle", "entry"), [("app.bundle.js", "app.js"), ("panel.bundle.js", "widget/panel.js")])
def test_a_bundle_holds_what_its_modules_do_and_asks_for_no_other(
    client: TestClient, bundle: str, entry: str
) -> None:
    text = client.get(f"/static/{bundle}").text
    assert not re.search(r"^import ", text, re.M)
    assert ("export async function makePanel" in text) is (entry != "app.js")
    assert text.count("export class Conversation") == 0 and text.count("class Conversation ") == 1


def test_two_modules_that_use_one_name_are_no_bundle() -> None:
    files = {
        "a.js": 'import { b } from "./b.js";\nconst LIMIT = 1;\nfunction c() {}\n',
        "b.js": "export const b = 2;\n",
    }
    assert script_bundle(files, "a.js") == "const b = 2;\n\nconst LIMIT_1 = 1;\nfunction c() {}\n"
    with pytest.raises(ValueError, match=r"c is in b\.js and in a\.js"):
        script_bundle(files | {"b.js": "export const b = 2;\nconst c = 3;\n"}, "a.js")


def test_files_are_compressed_for_those_who_can_read_it(client: TestClient) -> None:
    plain = client.get("/static/app.js", headers={"Accept-Encoding": "identity"})
    packed = client.get("/static/app.js", headers={"Accept-Encoding": "br, gzip"})
    assert plain.text == packed.text and "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip" and "Accept-Encoding" in packed.headers["vary"]
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


def test_a_browser_that_has_a_file_is_told_so_and_sent_nothing(client: TestClient) -> None:
    first = client.get("/static/app.js")
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = client.get("/static/app.js", headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert client.get("/static/app.js", headers={"If-None-Match": '"other"'}).status_code == 200
    head = client.head("/static/app.js")
    assert (head.content, head.headers["content-length"]) == (b"", first.headers["content-length"])


@pytest.mark.parametrize("name", ["missing.js", "", "..%2fapp.py", "%2e%2e/%2e%2e/keys.py", "/etc/passwd", "chat"])
def test_nothing_else_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_the_widget_may_be_loaded_by_other_sites_and_the_page_be_framed_by_none(client: TestClient) -> None:
    assert client.get("/widget.js").headers["cross-origin-resource-policy"] == "cross-origin"
    assert "frame-ancestors 'none'" in client.get("/").headers["content-security-policy"]


def test_the_page_needs_no_key_but_what_it_shows_does(clean_surroundings: Path) -> None:
    client = TestClient(create_app(load_settings({}, environ={}), clean_surroundings, open_to_all=False))
    assert client.get("/").status_code == client.get("/widget.js").status_code == 200
    assert client.get("/books").status_code == client.get("/books/any").status_code == 401


def test_all_files_are_package_data() -> None:
    """A wheel holds the patterns of pyproject.toml, two folders deep."""
    on_disk = {each.relative_to(STATIC).as_posix() for each in STATIC.rglob("*") if each.is_file()}
    assert set(static_files()) - {*SCRIPTS_MADE, *STYLES} == on_disk
    assert all(name.count("/") <= 1 for name in on_disk)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_scripts_are_small_say_their_job_and_make_no_markup_of_text(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith(("/**", "//"))
    assert text.count("\n") <= MAX_LINES
    assert not [word for word in UNSAFE if word in text]
