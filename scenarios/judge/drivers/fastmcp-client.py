"""Drives `Client` of fastmcp, one for each server."""

from fastmcp import Client

from lines import Held, drive, each, told


class Host:
    held = {}
    clients = {}

    async def start(self, order):
        async def opened(name, server):
            client = Client({"mcpServers": {name: server}})
            self.held[name] = Held(client)
            await self.held[name].ready
            self.clients[name] = client

        await each(order["servers"], opened)

    async def call(self, order):
        limit = {"timeout": order["timeoutMs"] / 1000} if "timeoutMs" in order else {}
        client = self.clients[order["server"]]
        return told(await client.call_tool_mcp(order["tool"], order["args"], **limit))

    async def tools(self, _order):
        lists = [await client.list_tools() for client in self.clients.values()]
        return {"tools": [tool.name for tools in lists for tool in tools]}

    async def status(self, _order):
        return {"ready": [name for name, client in self.clients.items() if client.is_connected()]}

    async def stop(self, _order):
        for name, held in self.held.items():
            await held.close()
            await self.clients[name].close()


drive("fastmcp (Python)", "fastmcp", ["status", "timeout", "cancel", "http"], Host())
