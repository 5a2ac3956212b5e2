"""Drives `MCPServerManager` of openai-agents, which has all servers."""

from agents.mcp import MCPServerManager, MCPServerStdio, MCPServerStreamableHttp

from lines import drive, told


def made(name, server):
    if "url" in server:
        return MCPServerStreamableHttp({"url": server["url"]}, name=name)
    return MCPServerStdio(server, name=name)


class Host:
    servers = {}

    async def start(self, order):
        self.servers = {name: made(name, server) for name, server in order["servers"].items()}
        self.manager = MCPServerManager(list(self.servers.values()), connect_in_parallel=True)
        await self.manager.__aenter__()

    async def call(self, order):
        return told(await self.servers[order["server"]].call_tool(order["tool"], order["args"]))

    async def tools(self, _order):
        lists = [await server.list_tools() for server in self.manager.active_servers]
        return {"tools": [tool.name for tools in lists for tool in tools]}

    async def stop(self, _order):
        await self.manager.__aexit__(None, None, None)


drive("openai-agents (Python)", "openai-agents", ["cancel", "http"], Host())
