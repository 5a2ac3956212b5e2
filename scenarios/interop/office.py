"""
An office of one version of the Python SDK, on a free port of loopback: says its address on stdout, and serves until it is
ended. `office.py TOKEN` lets in peers that have this token, by the rule that the version has by default.
"""

import asyncio
import socket
import sys

answers = sys.stdout
sys.stdout = sys.stderr

import socketio
import uvicorn
from a2c_smcp import server as smcp
from a2c_smcp.server.auth import AuthenticationProvider, DefaultAuthenticationProvider


class Open(AuthenticationProvider):
    async def get_agent_id(self, sio, environ):
        return "agent"

    async def authenticate(self, *_, **__):
        return True


sio = socketio.AsyncServer(async_mode="asgi")
provider = DefaultAuthenticationProvider(sys.argv[1]) if len(sys.argv) > 1 else Open()
sio.register_namespace(smcp.SMCPNamespace(auth_provider=provider))
app = socketio.ASGIApp(sio)
check = getattr(smcp, "A2CProtocolVersionASGIMiddleware", None)

listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
answers.write(f"http://127.0.0.1:{listening.getsockname()[1]}\n")
answers.flush()
config = uvicorn.Config(check(app) if check else app, log_level="error", lifespan="off")
asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
