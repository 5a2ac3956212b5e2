"""An MCP server made with FastMCP, as most servers in Python are."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("fast")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run()
