import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { expectNotebook } from '../scenarios/fixtures/window-server.ts';

const server = fileURLToPath(new URL('window-server.mjs', import.meta.url));
const notebook = { command: process.execPath, args: [server] };

it('the server with windows and documents shows both, and what changes about them', () =>
  expectNotebook(notebook));
