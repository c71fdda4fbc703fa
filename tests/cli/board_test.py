"""Does ridge board serve its page to this machine alone, and write it as a file?"""

import http.client
import json
import re
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ENVIRONMENT, RIDGE, ridge

PAGE = '<!doctype html>\n<html lang="en" data-version="1">\n<p>the page</p>\n'


class Board(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.page = Path(self.temporary.name) / "page.html"
        self.page.write_text(PAGE)

    def serve(self, *words):
        server = subprocess.Popen([RIDGE, "board", *words, "--no-open", "--page", str(self.page)], env=ENVIRONMENT, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        return server, line, int(re.search(r"127\.0\.0\.1:(\d+)/", line)[1])

    def ask(self, port, method="GET", path="/", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())
        finally:
            connection.close()

    def test_it_serves_one_page_to_its_own_address(self):
        server, line, port = self.serve()
        self.assertRegex(line, r"^The board: http://127\.0\.0\.1:\d+/$")
        status, body, headers = self.ask(port)
        self.assertEqual((status, body), (200, PAGE))
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.ask(port, Host=f"localhost:{port}")[0], 200)
        self.assertEqual(self.ask(port, Origin=f"http://127.0.0.1:{port}")[0], 200)
        self.assertEqual(self.ask(port, "HEAD")[1], "")
        for path in ("/etc/passwd", "/../../etc/passwd", "/web/", "//", "/board.html"):
            self.assertEqual(self.ask(port, path=path)[0], 404, path)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(20), ANSWERED)

    def test_it_answers_to_nobody_else(self):
        _, _, port = self.serve()
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{port}"}, {"Host": "127.0.0.1"}, {"Host": f"127.0.0.1:{port + 1}"},
                        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"https://127.0.0.1:{port}"}):
            status, body, _ = self.ask(port, **headers)
            self.assertEqual((status, "the page" in body), (403, False), headers)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
            self.assertEqual(self.ask(port, method)[0], 405, method)
        for garbage in (b"\r\n\r\n", b"GET /\r\n\r\n", b"\xff" * 100 + b"\r\n\r\n", f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil\r\n\r\n".encode()):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(garbage)
                self.assertRegex(connection.recv(1000), rb"^HTTP/1.1 400 ")
        self.assertEqual(self.ask(port)[0], 200)
        with self.assertRaises(OSError):  # another address of this machine: nobody listens
            socket.create_connection(("127.0.0.2", port), timeout=5)

    def test_it_says_its_address_as_json_and_opens_in_a_state(self):
        _, line, _ = self.serve("batch=4096&machine=hgx-b200")
        self.assertRegex(line, r"/#batch=4096&machine=hgx-b200$")

    def test_it_writes_one_file(self):
        out = Path(self.temporary.name) / "board.html"
        run = ridge("board", "--page", str(self.page), "--out", str(out), "http://x/#batch=4096&isl=100", "--json")
        self.assertEqual(run.code, ANSWERED, run)
        self.assertEqual(json.loads(run.out)["state"], "batch=4096&isl=100")
        self.assertIn('<html lang="en" data-state="batch=4096&amp;isl=100" data-version="1">', out.read_text())

    def test_what_is_no_link_is_refused(self):
        for state in ('"><script>', "a b", "batch=1\n", "x" * 5000):
            run = ridge("board", "--page", str(self.page), "--out", "/dev/null", state)
            self.assertEqual(run.code, BAD_INPUT, run)
            self.assertIn("hint:", run.err)

    def test_a_report_of_an_answer_refuses_what_no_link_can_carry(self):
        for words, said in ((["--set", "hbm.bandwidth=3 TB/s"], "--set: does not go with --html"), (["--tp", "4", "--rate", "3"], "--rate: does not go with --html"),
                            (["--tp", "4", "--cached", "50%"], "--cached: does not go with --html")):
            out = Path(self.temporary.name) / "report.html"
            run = ridge("why", "llama-3.1-70b", "--on", "hgx-h100", *words, "--html", str(out))
            self.assertEqual(run.code, BAD_INPUT, run)
            self.assertIn(said, run.err)
            self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
