"""Drives `Computer` of a2c-smcp, the reference implementation of A2C-SMCP in Python."""

import inspect
import logging
import pathlib
import sys
import tempfile

from a2c_smcp.computer.computer import Computer
from a2c_smcp.computer.mcp_clients import model

from lines import drive, told

for handler in logging.getLogger("a2c_smcp").handlers:
    if hasattr(handler, "setStream"):
        handler.setStream(sys.stderr)


def config(name, server):
    common = {"name": name, "default_tool_meta": {"auto_apply": True}}
    if "url" in server:
        parameters = model.StreamableHttpParameters(url=server["url"])
        return model.StreamableHttpServerConfig(**common, type="streamable", server_parameters=parameters)
    parameters = model.StdioServerParameters(**server)
    return model.StdioServerConfig(**common, type="stdio", server_parameters=parameters)


class Host:
    async def start(self, order):
        servers = {config(name, server) for name, server in order["servers"].items()}
        root = pathlib.Path(tempfile.mkdtemp())
        options = {"auto_connect": True, "auto_reconnect": True, "project_root": root}
        self.computer = Computer("judged", mcp_servers=servers, **options)
        await self.computer.boot_up()

    async def call(self, order):
        limit = order["timeoutMs"] / 1000 if "timeoutMs" in order else None
        name = f"{order['server']}__{order['tool']}"
        result = await self.computer.aexecute_tool(str(order["id"]), name, order["args"], timeout=limit)
        answer = told(result)
        if not answer["isError"]:
            return answer
        return {**answer, "ok": False, "error": f"{answer['text']} {result.meta or ''}"}

    async def cancel(self, order):
        await self.computer.acancel_tool(str(order["of"]))

    async def tools(self, _order):
        return {"tools": [tool["name"] for tool in await self.computer.aget_available_tools()]}

    async def status(self, _order):
        found = self.computer.get_server_runtime_statuses()
        found = await found if inspect.isawaitable(found) else found
        return {"ready": [each.name for each in found if each.connection.value == "connected"]}

    async def stop(self, _order):
        await self.computer.shutdown()


drive("a2c-smcp (Python)", "a2c-smcp", ["status", "timeout", "cancel", "http"], Host())
