import { describe, expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { installedClients } from './clients.ts';
import { judge, type Verdict, type Word } from './judge.ts';
import { driverOf, faultServer } from './players.ts';

const clients = ['sdk1', 'sdk2', 'ai-sdk', 'langchain', 'mcp-use', 'openai-agents'] as const;
const needsInstall = new Set<string>(['ai-sdk', 'langchain', 'mcp-use', 'openai-agents']);
/** Cases about the end of servers and of their host, in which clients alone fail. */
const ends = [
  ...['clean', 'wrapped', 'grandchild', 'stopWorst', 'hostKilledWorst', 'hostTerm'],
  ...['exitMidCall', 'idleKill', 'stdoutClosed'],
];
/** Verdicts for each client without us: what the transport changes. */
const alone: readonly (readonly [name: string, verdict: Word])[] = [
  ['wrapped', 'wrong'],
  ['hostKilledWorst', 'wrong'],
  ['exitMidCall', 'partly'],
];

const installed = await installedClients();
if ('why' in installed) process.stderr.write(`some clients are left out: ${installed.why}\n`);
else process.env['A2C_CLIENTS'] = installed.folder;
const play = (client: string, how: 'bare' | 'supervised', name: string): Promise<Verdict> => {
  const one = cases[name];
  if (!one) throw new Error(`there is no case ${name}`);
  return judge({ driver: [...driverOf('any-client'), client, how], faultServer }, one);
};

for (const client of clients) {
  const isThere = 'folder' in installed || !needsInstall.has(client);
  // One client is judged in all cases: what is not about ends is the same for each.
  const names = client === 'sdk2' ? Object.keys(cases) : ends;
  describe.runIf(isThere).concurrent(`the client ${client}`, () => {
    it.concurrent.each(names)('with a supervised transport is right in %s', async (name) => {
      const { verdict, facts } = await play(client, 'supervised', name);
      expect({ verdict, facts }).toEqual({ verdict: 'right', facts });
    });
    it.concurrent.each(alone)('alone in %s is %s', async (name, verdict) => {
      const seen = await play(client, 'bare', name);
      expect(seen).toEqual({ verdict, facts: seen.facts });
    });
  });
}
