"""A real SPARQL endpoint on loopback: pyoxigraph behind an HTTP server that can misbehave."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pyoxigraph
import pytest

from drawn_worlds import DrawnWorld
from taskloom.algebra import CHAIN, LOR, UNION
from taskloom.core import UserError, open_suite
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import open_graph
from taskloom.sources.knowledge.remote import SparqlEndpoint
from taskloom.sources.knowledge.vocabulary import predicate, relation
from taskloom.sources.knowledge.world.draft import WorldSettings

LABEL = pyoxigraph.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
Trouble = Callable[["Handler", bytes], bool]


class Server(ThreadingHTTPServer):
    """Answers queries over a store; `troubles` are used up one per request, then all goes well."""

    daemon_threads = True

    def __init__(self, ntriples: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.store = pyoxigraph.Store()
        self.store.load(input=ntriples, format=pyoxigraph.RdfFormat.N_TRIPLES)
        self.queries: list[str] = []
        self.troubles: list[Trouble] = []
        self.most_rows: int | None = None
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/sparql"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        query = parse_qs(body.decode())["query"][0]
        self.server.queries.append(query)
        if self.server.most_rows is not None:
            limit = int(re.search(r" LIMIT (\d+) ", query)[1])
            query = query.replace(f" LIMIT {limit} ", f" LIMIT {min(limit, self.server.most_rows)} ")
        try:
            answer = self.server.store.query(query).serialize(format=pyoxigraph.QueryResultsFormat.JSON)
        except SyntaxError as error:
            self.reply(400, str(error).encode())
            return
        if self.server.troubles and self.server.troubles.pop(0)(self, answer):
            return
        self.reply(200, answer)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def status(code: int, **headers: str) -> Trouble:
    return lambda handler, _: handler.reply(code, b"not now", **headers) or True


def cut(handler: Handler, answer: bytes) -> bool:
    handler.reply(200, answer[: len(answer) // 2], Content_Length=str(len(answer)))
    handler.close_connection = True
    return True


def cut_without_length(handler: Handler, answer: bytes) -> bool:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/sparql-results+json\r\n\r\n")
    handler.wfile.write(answer[: len(answer) // 2])
    handler.close_connection = True
    return True


def hang_up(handler: Handler, _: bytes) -> bool:
    handler.close_connection = True
    return True


def hang(handler: Handler, _: bytes) -> bool:
    handler.server.release.wait(20)
    return True


def drip(handler: Handler, answer: bytes) -> bool:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
    for byte in answer[:200]:
        handler.wfile.write(bytes([byte]))
        if handler.server.release.wait(0.05):
            break
    return True


def html(handler: Handler, _: bytes) -> bool:
    handler.reply(200, b"<html>Service temporarily odd</html>")
    return True


def part_of_it(handler: Handler, answer: bytes) -> bool:
    handler.reply(200, answer, X_SQL_State="S1TAT")
    return True


@pytest.fixture(scope="module")
def world() -> DrawnWorld:
    return DrawnWorld(WorldSettings(seed=8, people=200))


@pytest.fixture
def server(world: DrawnWorld) -> Iterator[Server]:
    with Server(world.ntriples()) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.release.set()
        running.shutdown()
        thread.join()


def remote(server: Server, **settings) -> KnowledgeGraph:
    waits: list[float] = []
    endpoint = SparqlEndpoint(server.url, **{"backoff": 0.01, "sleep": waits.append, **settings})
    graph = KnowledgeGraph(endpoint)
    graph.waits = waits  # type: ignore[attr-defined]
    return graph


QUERY = CHAIN(relation("mother"), UNION(relation("father"), relation("mother")))
TEST = LOR(predicate("is-birthplace-london"), predicate("is-occupation-actor"))


def test_an_endpoint_answers_like_the_store_in_this_process(server: Server, world: DrawnWorld) -> None:
    graph = remote(server)
    assert graph.stand_ins == world.stand_ins
    assert graph.words(QUERY) == world.graph.words(QUERY)
    assert graph.word_truth(TEST) == world.graph.word_truth(TEST)
    name = next(iter(graph.words(QUERY)))
    assert graph.find(name) == world.graph.find(name)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_pages_join_to_the_whole(server: Server, world: DrawnWorld, size: int) -> None:
    query = relation("head of state")
    assert remote(server, page_size=size).function(query) == world.graph.function(query)
    assert len(server.queries) > len(world.graph.function(query)) // size


def test_a_server_that_gives_fewer_rows_than_asked_for_loses_nothing(server: Server, world: DrawnWorld) -> None:
    server.most_rows = 11
    assert remote(server, page_size=50).function(QUERY) == world.graph.function(QUERY)


def test_a_limit_asks_for_no_more(server: Server, world: DrawnWorld) -> None:
    graph = remote(server, page_size=5)
    part = graph.function(relation("mother"), limit=12)
    assert part.items() <= world.graph.function(relation("mother")).items()
    assert 0 < sum(map(len, part.values())) <= 12
    assert all(int(n) <= 5 for q in server.queries for n in re.findall(r"LIMIT (\d+)", q))


def test_a_sample_asks_the_server_to_sort_nothing_but_small_answers(server: Server, world: DrawnWorld) -> None:
    graph = remote(server, page_size=40)
    truth = graph.truth(TEST, limit=30)
    part = graph.function(QUERY, limit=50)
    # What is sorted names its inputs; everything else comes in whatever order the server finds it.
    assert all("VALUES" in query or "stands-for" in query for query in server.queries if "ORDER BY" in query)
    assert part.items() <= world.graph.function(QUERY).items()
    assert 20 < sum(map(len, part.values())) <= 50
    whole = world.graph.truth(TEST)
    assert 0 < len(truth.true) <= 30 == len(truth.false)
    assert set(truth.true) <= set(whole.true)
    assert set(truth.false) <= set(whole.false)


def test_a_name_that_others_bear_is_not_asked_of_a_sample_either(server: Server, world: DrawnWorld) -> None:
    mothers = world.graph.function(relation("mother"))
    first = remote(server).function(relation("mother"), limit=5)
    other = next(x for x in mothers if x not in first)
    name = world.graph.label(next(iter(first)))
    (label,) = server.store.quads_for_pattern(pyoxigraph.NamedNode(f"urn:taskloom:world:{other}"), LABEL, None)
    server.store.remove(label)
    server.store.add(pyoxigraph.Quad(label.subject, LABEL, pyoxigraph.Literal(name, language="en")))
    words = remote(server).words(relation("mother"), limit=5)
    assert len(words) == len(first) - 1
    assert name not in words


def test_timeout_page_size_and_row_limit_are_options_of_a_suite(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    options = {"knowledge": server.url, "page_size": 25, "row_limit": 60, "timeout": 30.0, "train": 20, "test": 5}
    for text in ("mother(mother)", "is-occupation-actor", "map{father}(filter{is-instance-human})"):
        suite = open_suite(f"taskbench/{text}", options=options)
        assert suite["train"][:3]
        assert list(suite.tasks)
    assert all(int(n) <= 60 for q in server.queries for n in re.findall(r"LIMIT (\d+)", q))
    server.troubles = [hang] * 99
    slow = open_suite("taskbench/father", options={**options, "timeout": 0.05})
    monkeypatch.setattr("taskloom.sources.knowledge.remote.SparqlEndpoint._wait", lambda *_: 0.0)
    with pytest.raises(UserError, match=r"no answer within 0\.05 s"):
        list(slow.tasks)
    for wrong in ({"page_size": 0}, {"timeout": 0.0}, {"row_limit": -1}):
        with pytest.raises(UserError):
            open_suite("taskbench/father", options=wrong)


TROUBLES = [
    status(429, Retry_After="3"), status(500), status(502), status(503), status(504), cut, cut_without_length, hang_up,
    html, part_of_it,
]  # fmt: skip


@pytest.mark.parametrize("trouble", TROUBLES)
def test_passing_troubles_are_waited_out(server: Server, world: DrawnWorld, trouble: Trouble) -> None:
    graph = remote(server)
    server.troubles = [lambda *_: False, trouble, trouble]
    assert graph.function(QUERY) == world.graph.function(QUERY)
    assert len(graph.waits) == 2


def test_the_server_says_how_long_to_wait(server: Server) -> None:
    graph = remote(server)
    server.troubles = [status(429, Retry_After="7"), status(503, Retry_After="86400")]
    graph.function(relation("mother"))
    assert graph.waits == [7.0, 60.0]


def test_waits_grow(server: Server) -> None:
    graph = remote(server, backoff=4.0)
    server.troubles = [status(503)] * 4
    graph.function(relation("mother"))
    assert all(low <= wait <= 2 * low for wait, low in zip(graph.waits, (2, 4, 8, 16), strict=True))


def test_a_slow_server_is_given_up_after_the_timeout(server: Server) -> None:
    graph = remote(server, timeout=0.2, retries=1)
    server.troubles = [hang] * 9
    with pytest.raises(UserError, match=r"2 tries: no answer within 0\.2 s"):
        graph.function(relation("mother"))


def test_a_server_that_drips_is_given_up_too(server: Server) -> None:
    graph = remote(server, timeout=0.3, retries=0)
    server.troubles = [drip]
    with pytest.raises(UserError, match=r"one try: no answer within 0\.3 s"):
        graph.function(relation("mother"))


def test_a_moved_endpoint_says_where_it_is(server: Server) -> None:
    for code in (301, 302, 303, 307, 308):
        server.troubles = [status(code, Location="https://elsewhere.example/sparql")]
        with pytest.raises(UserError, match="moved to https://elsewhere"):
            remote(server).function(relation("mother"))
    assert len(server.queries) == 5


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (status(503), "503"),
        (cut, "cut off"),
        (html, "broken or cut off"),
        (hang_up, "connection"),
        (part_of_it, "part"),
    ],
)
def test_lasting_trouble_is_reported_and_gives_no_half_answer(server: Server, trouble: Trouble, reason: str) -> None:
    graph = remote(server, retries=2)
    server.troubles = [trouble] * 9
    with pytest.raises(UserError, match=reason) as caught:
        graph.function(relation("mother"))
    assert server.url in str(caught.value)
    assert len(server.queries) == 3


def test_a_refused_query_is_not_asked_again(server: Server) -> None:
    endpoint = SparqlEndpoint(server.url, sleep=lambda _: None)
    with pytest.raises(UserError, match="status 400"):
        list(endpoint.select("SELECT nonsense {", ("x",)))
    assert len(server.queries) == 1


def test_nobody_at_home() -> None:
    graph = KnowledgeGraph(SparqlEndpoint("http://127.0.0.1:9/sparql", retries=1, sleep=lambda _: None))
    with pytest.raises(UserError, match="2 tries: the connection failed"):
        graph.function(relation("mother"))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/", "sparql", "http://"])
def test_only_http_addresses_are_opened(url: str) -> None:
    with pytest.raises(UserError, match="http"):
        SparqlEndpoint(url)


def test_an_order_that_changes_between_pages_is_noticed(server: Server) -> None:
    shuffled = [0]

    def repeat(handler: Handler, _: bytes) -> bool:
        shuffled[0] += 1
        query = server.queries[0]
        handler.reply(200, server.store.query(query).serialize(format=pyoxigraph.QueryResultsFormat.JSON))
        return True

    server.troubles = [lambda *_: False, repeat]
    with pytest.raises(UserError, match="not stable"):
        remote(server, page_size=5).function(relation("mother"))
    assert shuffled == [1]


def test_answers_are_kept_and_damage_is_noticed(server: Server, world: DrawnWorld, tmp_path: Path) -> None:
    expected = world.graph.function(QUERY)
    assert remote(server, cache=tmp_path, page_size=40).function(QUERY) == expected
    asked = len(server.queries)
    assert remote(server, cache=tmp_path, page_size=40).function(QUERY) == expected
    assert len(server.queries) == asked
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert files
    assert {path.suffix for path in files} == {".json"}
    files[0].write_bytes(files[0].read_bytes()[:-9])
    assert remote(server, cache=tmp_path, page_size=40).function(QUERY) == expected
    assert len(server.queries) == asked + 1


def test_a_broken_evening_goes_on_where_it_stopped(server: Server, world: DrawnWorld, tmp_path: Path) -> None:
    server.troubles = [*[lambda *_: False] * 3, *[status(503)] * 3]
    with pytest.raises(UserError, match="503"):
        remote(server, cache=tmp_path, page_size=20, retries=2).function(QUERY)
    server.queries.clear()
    assert remote(server, cache=tmp_path, page_size=20).function(QUERY) == world.graph.function(QUERY)
    assert not any("OFFSET 0" in query for query in server.queries)


def test_an_address_is_a_graph(server: Server, world: DrawnWorld, tmp_path: Path) -> None:
    graph = open_graph(server.url, cache=tmp_path)
    assert graph.words(relation("capital")) == world.graph.words(relation("capital"))
