import { expect, it } from 'vitest';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { NoiseMeter } from '../../adapters/mcp/messages/noise.ts';
import { serverStatus } from './computer-status.ts';

it.each([
  [{ code: 'Crashed', message: 'Its machine failed too often' }, 'open'],
  [{ code: 'ServerNotActive', message: 'Its process ended' }, 'closing'],
] as const)('a server whose machine is gone with %o is shown as %s', (failure, state) => {
  const server = { name: 'x', disabled: false, kind: 'stdio' } as ServerConfig;
  const facts = { failure, noise: new NoiseMeter().of('x'), pid: undefined, waits: undefined, nextTryMs: 0 };
  expect(serverStatus(server, undefined, facts, undefined)).toMatchObject({
    state,
    reason: failure.message,
  });
});
