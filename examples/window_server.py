"""An MCP server with a window and documents, made with FastMCP, as docs/windows-and-documents.md describes them."""

import json
from urllib.parse import quote

from fastmcp import Context, FastMCP
from mcp.shared.exceptions import MCPError
from mcp_types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

WINDOW = "window://notebook/latest?priority=50"
JSON = "application/json"
notes: dict[str, str] = {}
mcp = FastMCP("notebook")


# FastMCP does not answer `resources/subscribe`. Once it does, it declares it, too.
async def subscribed(_context, _params) -> EmptyResult:
    return EmptyResult()


mcp._mcp_server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribed)
mcp._mcp_server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, subscribed)


def uri_of(name: str) -> str:
    return f"dpe://notebook/{quote(name, safe='')}"


def document_of(name: str) -> dict:
    if name not in notes:
        raise MCPError(4201, "no such note", {"doc_ref": name})
    own = {"doc_ref": name, "uri": uri_of(name), "title": name, "page_count": 1}
    return {**own, "file_uri": f"note:{quote(name)}", "file_type": "txt"}


def element_of(name: str) -> dict:
    return {"element_id": "text", "category": "text", "content": {"text": notes[name]}}


def page_of(name: str) -> dict:
    uri = f"{uri_of(name)}/pages/0"
    return {"page_index": 0, "title": name, "doc_ref": name, "uri": uri, "element_count": 1}


# The templates name all parts of a query: FastMCP refuses a URI with others.
@mcp.resource("dpe://notebook/{name}{?format,depth,offset,limit}", mime_type=JSON)
def document(name: str, depth: str = "", offset: int = 0, limit: int = 20, format: str = "") -> str:
    if depth != "pages":
        return json.dumps(document_of(name))
    listing = {"page_offset": offset, "page_limit": limit, "page_total": 1}
    return json.dumps({**document_of(name), **listing, "pages": [page_of(name)][offset:]})


@mcp.resource("dpe://notebook/{name}/pages/{index}{?format,categories}", mime_type=JSON)
def page(name: str, index: int, format: str = "", categories: str = "") -> str:
    if document_of(name)["page_count"] <= index:
        raise MCPError(4202, "no such page", {"page_index": index, "page_count": 1})
    return json.dumps({**page_of(name), "elements": [element_of(name)]})


@mcp.resource("dpe://notebook/{name}/elements/{element_id}{?format}", mime_type=JSON)
def element(name: str, element_id: str, format: str = "") -> str:
    if document_of(name) and element_id != "text":
        raise MCPError(4203, "no such element", {"element_id": element_id})
    uri = f"{uri_of(name)}/elements/text"
    return json.dumps({**element_of(name), "doc_ref": name, "page_index": 0, "uri": uri})


@mcp.resource(WINDOW, name="latest note", mime_type="text/plain")
def latest() -> str:
    return list(notes.values())[-1]


def keep(name: str, text: str) -> bool:
    """Keeps a note, lists a new one, and tells whether it is new."""
    is_new = name not in notes
    notes[name] = text
    if is_new:
        mcp.resource(uri_of(name), name=name, mime_type=JSON)(lambda: json.dumps(document_of(name)))
    return is_new


@mcp.tool
async def write_note(name: str, text: str, context: Context) -> str:
    # The list where it is another one, a content where it is: never both for one change.
    if keep(name, text):
        await context.session.send_resource_list_changed()
    else:
        await context.session.send_resource_updated(uri_of(name))
    await context.session.send_resource_updated(WINDOW)
    return "written"


keep("tea", "Boil water and wait.")
mcp.run(show_banner=False)
