"""A computer of the Python SDK (`pip install a2c-smcp`): `python computer.py URL`. computer.mjs is the same with a2c-actors."""

import asyncio
import sys
from pathlib import Path

from a2c_smcp.computer.computer import Computer
from a2c_smcp.computer.mcp_clients.model import StdioServerConfig
from a2c_smcp.computer.socketio.client import SMCPComputerClient
from mcp import StdioServerParameters

server = str(Path(__file__).parent.parent / "greeter.mjs")


def confirm(_call: str, _server: str, tool: str, _arguments: dict) -> bool:
    return tool == "greet"


async def main(url: str) -> None:
    greeter = StdioServerConfig(
        name="greeter",
        server_parameters=StdioServerParameters(command="node", args=[server]),
    )
    computer = Computer(name="laptop", mcp_servers={greeter}, confirm_callback=confirm)
    await computer.boot_up()
    client = SMCPComputerClient(computer=computer)
    await client.connect(url, namespaces=["/smcp"])
    await client.join_office("team")
    print("laptop is in the office", flush=True)
    # Until its input ends.
    await asyncio.to_thread(sys.stdin.read)
    await client.disconnect()
    await computer.shutdown()


asyncio.run(main(sys.argv[1]))
