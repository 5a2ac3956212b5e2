"""
Plays agents and computers of one version of the Python SDK, all in one process. Reads one JSON object per line on stdin,
`{"id", "do", ...}`, and answers each with one on stdout, `{"id", "ok"}` or `{"id", "error"}`.
"""

import asyncio
import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path

answers = sys.stdout
sys.stdout = sys.stderr  # What the SDK prints, already while it is imported, must not get between the answers.

from a2c_smcp.agent.auth import DefaultAgentAuthProvider
from a2c_smcp.agent.client import AsyncSMCPAgentClient
from a2c_smcp.computer.computer import Computer
from a2c_smcp.computer.mcp_clients.model import StdioServerConfig
from a2c_smcp.computer.socketio.client import SMCPComputerClient

agents, computers = {}, {}
patience = 15


class Hearing:
    """Keeps the tools that an agent was told without asking."""

    def __init__(self):
        self.tools = {}

    async def on_tools_received(self, computer, tools, _client):
        self.tools[computer] = [tool["name"] for tool in tools]

    def __getattr__(self, name):
        async def ignores(*_):
            pass

        if name.startswith("on_"):
            return ignores
        raise AttributeError(name)


heard = {}


async def agent_joins(one):
    provider = DefaultAgentAuthProvider(one["name"], one["office"], api_key=one.get("token"))
    heard[one["name"]] = Hearing()
    client = AsyncSMCPAgentClient(auth_provider=provider, event_handler=heard[one["name"]])
    await client.connect_to_server(one["url"])
    ok = await client.call(
        "server:join_office",
        {"role": "agent", "name": one["name"], "office_id": one["office"]},
        namespace="/smcp",
        timeout=patience,
    )
    agents[one["name"]] = client
    return ok


def server_of(name, one):
    parameters = {"command": one["command"], "args": one["args"], "env": None, "cwd": None,
                  "encoding": "utf-8", "encoding_error_handler": "strict"}
    whole = {"name": name, "disabled": False, "forbidden_tools": [], "tool_meta": {},
             "server_parameters": parameters}
    return StdioServerConfig(**whole)


async def computer_joins(one):
    folder = Path(tempfile.mkdtemp(prefix="a2c-interop-"))
    servers = {server_of(name, server) for name, server in one["servers"].items()}
    options = {"mcp_servers": servers, "auto_connect": True, "confirm_callback": lambda *_: True}
    if "skill_home" in Computer.__init__.__annotations__:
        options["skill_home"] = folder / "skills"
        skill = folder / "skills" / "user" / "drawing"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text("---\nname: drawing\ndescription: Draws.\n---\nDraw.\n")
        (skill / "template.bin").write_bytes(bytes(i % 251 for i in range(300_000)))
    if "flag_settings_path" in Computer.__init__.__annotations__:
        (folder / "settings.json").write_text(json.dumps({"landingRoot": str(folder / "landed")}))
        options["flag_settings_path"] = folder / "settings.json"
    computer = Computer(name=one["name"], **options)
    await computer.boot_up()
    client = SMCPComputerClient(computer=computer)
    auth = {"token": one["token"]} if "token" in one else None
    await client.connect(one["url"], namespaces=["/smcp"], auth=auth)
    await client.join_office(one["office"])
    computers[one["name"]] = (computer, client)


async def tools(one):
    reply = await agents[one["name"]].get_tools_from_computer(one["computer"])
    return [tool["name"] for tool in reply["tools"]]


async def calls(one):
    result = await agents[one["name"]].emit_tool_call(one["computer"], one["tool"], one["params"], one["timeout"])
    seen = []
    for item in result.content:
        held = getattr(item, "data", None) or getattr(getattr(item, "resource", None), "blob", None)
        data = base64.b64decode(held or "")
        seen.append({"type": item.type, "text": getattr(item, "text", None), "bytes": len(data),
                     "sha256": hashlib.sha256(data).hexdigest()})
    return {"isError": result.isError, "content": seen}


async def hears(one):
    """Waits until it was told of these tools of a computer by itself."""
    for _ in range(100):
        told = heard[one["name"]].tools.get(one["computer"], [])
        if all(any(name.endswith(tool) for name in told) for tool in one["tools"]):
            return
        await asyncio.sleep(0.1)
    raise TimeoutError("not told of all tools within 10 s")


async def sees(one):
    """Waits until a computer has this tool, no matter who tells of it."""
    for _ in range(100):
        try:
            if any(name.endswith(one["tool"]) for name in await tools(one)):
                return
        except Exception:  # noqa: BLE001: it is not there yet.
            pass
        await asyncio.sleep(0.1)
    raise TimeoutError(f"no {one['tool']} within 10 s")


async def config(one):
    reply = await agents[one["name"]].get_config_from_computer(one["computer"])
    return sorted(server["name"] for server in reply["servers"].values())


async def desktop(one):
    reply = await agents[one["name"]].get_desktop_from_computer(one["computer"])
    return reply["desktops"]


async def resources(one):
    """Reads the URIs of the resources of a server, page by page."""
    uris, cursor = [], None
    while True:
        page = await agents[one["name"]].get_resources(one["computer"], one["server"], cursor)
        uris += [each["uri"] for each in page["resources"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            return uris


async def skill_text(one):
    """Reads a file of a skill that the computer lists, the entry by default."""
    agent = agents[one["name"]]
    listed = await agent.get_skills(one["computer"])
    name = next(each["name"] for each in listed["skills"] if each["name"] == one["skill"])
    return (await agent.get_skill(one["computer"], name, rel_path=one.get("path")))["body"]


async def puts(one):
    data = bytes(i % 251 for i in range(one["bytes"]))
    put = await agents[one["name"]].put_blob(one["computer"], data, name_hint="x.bin")
    landed = Path(put["landing_path"] if isinstance(put, dict) else put.landing_path).read_bytes()
    return {"isSame": landed == data}


async def skill(one):
    """Reads a binary file of a skill, which comes as a handle, in chunks."""
    agent = agents[one["name"]]
    listed = await agent.get_skills(one["computer"])
    name = next(each["name"] for each in listed["skills"] if each["name"].endswith("drawing"))
    got = await agent.get_skill(one["computer"], name, rel_path="template.bin")
    from a2c_smcp.utils.blob import drain_blob  # Not in the older versions.

    data, _mime_type = await drain_blob(agent._make_blob_call(), one["computer"], got["blob_handle"])
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "said": got["sha256"]}


async def asks(one):
    return await agents[one["name"]].call(one["event"], one["payload"], namespace="/smcp", timeout=patience)


async def connected(one):
    """Waits until its connection is there again; it never rejoins by itself."""
    client = agents.get(one["name"]) or computers[one["name"]][1]
    for _ in range(300):
        if "/smcp" in client.namespaces and client.get_sid("/smcp") != one["not"]:
            return client.get_sid("/smcp")
        await asyncio.sleep(0.1)
    raise TimeoutError("not connected within 30 s")


async def leaves(one):
    client = agents.pop(one["name"], None)
    if client is None:
        computer, client = computers.pop(one["name"])
        await client.disconnect()
        return await computer.shutdown()
    await client.disconnect()


doings = {"agent": agent_joins, "computer": computer_joins, "tools": tools, "call": calls, "put": puts, "skill": skill, "skillText": skill_text, "resources": resources, "ask": asks,
          "connected": connected, "hear": hears, "see": sees, "config": config, "desktop": desktop, "leave": leaves}


async def answer(one):
    try:
        said = {"id": one["id"], "ok": await doings[one["do"]](one)}
    except Exception as error:  # noqa: BLE001: whatever it is, the suite wants to read it.
        said = {"id": one["id"], "error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(said, default=str) + "\n")
    answers.flush()


async def main():
    running = set()
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        task = asyncio.create_task(answer(json.loads(line)))
        running.add(task)
        task.add_done_callback(running.discard)
    for name in [*agents, *computers]:
        await answer({"id": 0, "do": "leave", "name": name})


asyncio.run(main())
