"""
Plugin of pytest for the tests of the Python SDK: the server that they start is an office of this project.
`A2C_OFFICE` is the command that starts it, a JSON list without the port.
"""

import asyncio
import json
import os

import a2c_smcp.testing


class OurOffice:
    """Office in a process of its own, with the members of the server that it replaces."""

    def __init__(self, _app, *_rest, port, **_more):
        self.port = port
        self.process = None

    async def up(self):
        command = [*json.loads(os.environ["A2C_OFFICE"]), "--port", str(self.port)]
        self.process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        await asyncio.wait_for(self.process.stdout.readline(), 60)

    async def down(self, *_rest, **_more):
        self.process.kill()
        await self.process.wait()


a2c_smcp.testing.UvicornTestServer = OurOffice
