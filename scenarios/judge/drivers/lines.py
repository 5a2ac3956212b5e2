"""The driver's half of the line protocol (docs/judge.md) for Python: one JSON object a line, on stdin and stdout."""

import asyncio
import json
import os
import sys
import tempfile
from importlib.metadata import version


def served(server):
    """Puts `a2c serve` between the host and a server, in a driver that is started with the word `served`."""
    if "served" not in sys.argv:
        return server
    a2c = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dist/actors/main.js")
    mark = {"A2C_JUDGE": os.environ.get("A2C_JUDGE", ""), "XDG_STATE_HOME": STATE}
    words = [server["url"]] if "url" in server else ["--", server["command"], *server.get("args", [])]
    return {"command": "node", "args": [a2c, "serve", *words], "env": {**mark, **server.get("env", {})}}


STATE = tempfile.mkdtemp(prefix="served-") if "served" in sys.argv else ""


def drive(name, package, can, host):
    """Says hello and answers orders until stdin ends; `host` has a coroutine for each order, which gets the order.

    What it raises is an answer, too. A cancel cancels the task of the call, unless the host has a `cancel` of its own.
    """
    out = sys.stdout.buffer

    def write(message):
        out.write((json.dumps(message) + "\n").encode())
        out.flush()

    async def take(order):
        if order["do"] == "start":
            order["servers"] = {name: served(one) for name, one in order["servers"].items()}
        try:
            said = await getattr(host, order["do"])(order)
            write({"id": order["id"], "ok": True, **(said or {})})
        except BaseException as error:
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            write({"id": order["id"], "ok": False, "error": f"{type(error).__name__} {error}"[:2000]})

    async def main():
        tasks = {}
        reader = asyncio.StreamReader(limit=2**24)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        write({"hello": {"name": name, "version": version(package), "pid": os.getpid(), "can": can}})
        while line := await reader.readline():
            order = json.loads(line)
            if order["do"] == "cancel" and not hasattr(host, "cancel"):
                tasks[order["of"]].cancel()
                write({"id": order["id"], "ok": True})
            else:
                tasks[order["id"]] = asyncio.create_task(take(order))
        os._exit(0)

    asyncio.run(main())


def told(result):
    """Converts a `CallToolResult` to an answer of the line protocol."""
    text = "".join(getattr(content, "text", "") or "" for content in result.content)
    failed = getattr(result, "is_error", None)
    failed = getattr(result, "isError", False) if failed is None else failed
    return {"text": text[:300], "bytes": len(text), "isError": bool(failed)}


async def each(servers, opened):
    """Opens all servers at once; raises the first error when all are over."""
    results = await asyncio.gather(
        *(opened(name, server) for name, server in servers.items()), return_exceptions=True
    )
    for result in results:
        if isinstance(result, BaseException):
            raise result


class Held:
    """A context manager that is entered and left in one task, as anyio wants it."""

    def __init__(self, manager):
        self.ready = asyncio.get_running_loop().create_future()
        self.end = asyncio.Event()
        self.task = asyncio.create_task(self.run(manager))

    async def run(self, manager):
        try:
            async with manager as value:
                self.ready.set_result(value)
                await self.end.wait()
        except BaseException as error:
            if self.ready.done():
                raise
            self.ready.set_exception(error)

    async def close(self):
        self.end.set()
        await self.task
