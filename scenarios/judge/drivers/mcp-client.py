"""Drives `Client` of the Python SDK, one for each server."""

from mcp import Client, StdioServerParameters

from lines import Held, drive, each, told


class Host:
    held = {}
    clients = {}

    async def start(self, order):
        async def opened(name, server):
            client = Client(server["url"] if "url" in server else StdioServerParameters(**server))
            self.held[name] = Held(client)
            self.clients[name] = await self.held[name].ready

        await each(order["servers"], opened)

    async def call(self, order):
        limit = {"read_timeout_seconds": order["timeoutMs"] / 1000} if "timeoutMs" in order else {}
        client = self.clients[order["server"]]
        return told(await client.call_tool(order["tool"], order["args"], **limit))

    async def tools(self, _order):
        lists = [await client.list_tools() for client in self.clients.values()]
        return {"tools": [tool.name for found in lists for tool in found.tools]}

    async def stop(self, _order):
        for held in self.held.values():
            await held.close()


drive("mcp (Python)", "mcp", ["timeout", "cancel", "http"], Host())
