"""An agent of the Python SDK (`pip install a2c-smcp`): `python agent.py URL`. agent.mjs is the same with a2c-actors."""

import asyncio
import sys

from a2c_smcp.agent.auth import DefaultAgentAuthProvider
from a2c_smcp.agent.client import AsyncSMCPAgentClient


async def main(url: str) -> None:
    agent = AsyncSMCPAgentClient(auth_provider=DefaultAgentAuthProvider("helper", "team"))
    await agent.connect_to_server(url)
    await agent.join_office("team", "helper", namespace="/smcp")
    listed = await agent.get_tools_from_computer("laptop")
    # `greeter__greet` of a Python computer, `greet` of one of a2c-actors.
    name = next(tool["name"] for tool in listed["tools"] if tool["name"].endswith("greet"))
    result = await agent.emit_tool_call("laptop", name, {"name": "world"}, timeout=10)
    print(result.content[0].text)
    await agent.disconnect()


asyncio.run(main(sys.argv[1]))
