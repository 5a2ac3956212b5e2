import { registered } from '../registered.ts';
import { remoteSessionContract, sessionMcpContract } from './session-mcp.contract.ts';
import { sessionContract } from './session.contract.ts';
import { createHttpWorld, createLinkedWorld } from './session.world.ts';

const worlds = {
  'streamable HTTP': () => createHttpWorld('streamable'),
  'HTTP and SSE': () => createHttpWorld('sse'),
  'servers of this process': () => createLinkedWorld(),
};
for (const [name, createWorld] of Object.entries(worlds)) {
  registered(`session port: ${name}`, sessionContract({ createWorld }));
  registered(`session port, the whole of MCP: ${name}`, sessionMcpContract({ createWorld }));
}
for (const name of ['streamable HTTP', 'HTTP and SSE'] as const)
  registered(`session port, a remote server: ${name}`, remoteSessionContract({ createWorld: worlds[name] }));
// News come on another connection than answers, in any order: no judge of progress.
registered(
  'session port: streamable HTTP that answers as JSON',
  sessionContract({ createWorld: () => createHttpWorld('streamable', { serves: { json: true } }) }),
);
