"""Drives `MultiServerMCPClient` of langchain-mcp-adapters, with a session that is kept for each server."""

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

from lines import Held, drive, each


def connection(server):
    if "url" in server:
        return {"transport": "streamable_http", "url": server["url"]}
    return {"transport": "stdio", **server}


class Host:
    held = {}
    sessions = {}
    loaded = {}

    async def start(self, order):
        servers = order["servers"]
        client = MultiServerMCPClient({name: connection(server) for name, server in servers.items()})

        async def opened(name, _server):
            self.held[name] = Held(client.session(name))
            self.sessions[name] = await self.held[name].ready
            await self.load(name)

        await each(servers, opened)

    async def load(self, name):
        tools = await load_mcp_tools(self.sessions[name])
        self.loaded[name] = {tool.name: tool for tool in tools}

    async def call(self, order):
        result = await self.loaded[order["server"]][order["tool"]].ainvoke(order["args"])
        parts = [result] if isinstance(result, str) else result
        text = "".join(part.get("text", "") if isinstance(part, dict) else str(part) for part in parts)
        return {"text": text[:300], "bytes": len(text), "isError": False}

    async def tools(self, _order):
        for name in self.sessions:
            await self.load(name)
        return {"tools": [name for tools in self.loaded.values() for name in tools]}

    async def stop(self, _order):
        for held in self.held.values():
            await held.close()


drive("langchain-mcp-adapters (Python)", "langchain-mcp-adapters", ["cancel", "http"], Host())
