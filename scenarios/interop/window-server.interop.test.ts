import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { environmentOf, isPypiReached } from '../fixtures/python-peers.ts';
import { expectNotebook } from '../fixtures/window-server.ts';

const server = fileURLToPath(new URL('../../examples/window_server.py', import.meta.url));
const notebook = async () => ({
  command: await environmentOf('fastmcp-4', ['fastmcp~=4.2']),
  args: [server],
});

describe.runIf(await isPypiReached())('the server of FastMCP with windows and documents', () => {
  it('shows both, and what changes about them', async () => expectNotebook(await notebook()));
});
