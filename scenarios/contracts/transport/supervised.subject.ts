import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import type { SupervisedOptions, Supervisor } from '../../../actors/transport/index.ts';

const faultServer = fileURLToPath(new URL('../../fault-server/fault-server.mjs', import.meta.url));
export const server = (config: object) => ({
  command: process.execPath,
  args: [faultServer, JSON.stringify({ tools: { read: { takes: 50 } }, lifeMs: 60_000, ...config })],
});
export const calmly = { stateDir: false, reaper: false } as const;
export const client = (): Client => new Client({ name: 'test', version: '1.0.0' });
export async function connected(supervisor: Supervisor, config: object, options: SupervisedOptions = {}) {
  const transport = supervisor.supervised(server(config), { name: 'shaky', ...options });
  const one = client();
  await one.connect(transport);
  return { transport, client: one };
}
