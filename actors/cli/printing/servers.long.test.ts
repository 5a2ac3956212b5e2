import { expect, it } from 'vitest';
import { atPrompt } from '../../e2e/at-prompt.ts';
import { NewsLines } from './servers.ts';

it('a server that crashes is told of at its first try and at its end', async () => {
  const script = "console.error('Error: DATABASE_URL is not set'); process.exit(1)";
  const crash = { command: process.execPath, args: ['-e', script], a2c: { restartBudget: 2 } };
  const up = atPrompt({ mcpServers: { crash } }, { isRead: true });
  const shown = await up.until(/(?=[^]*a2c> )(?=[^]*gave up)/);
  const lines = shown.split('\n').filter((line) => line.includes('server crash'));
  const why = "Server 'crash' ended with exit code 1; stderr: Error: DATABASE_URL is not set";
  expect(lines.map((line) => line.replace(/ within \d+ s$/, '').replace(/ {2,}/, ' '))).toEqual([
    'server crash starting',
    `server crash failed: ${why} (try 1 of 2); next try`,
    `server crash gave up: ${why}; next try`,
  ]);
});

const failed = (message: string) => ({ failure: { code: 'ServerLost', message }, reason: message });
const server = (state: string, more: object = {}) =>
  ['server.changed', { name: 's', state, ...more }] as const;
const office = (state: string, reason: string | null = null) => ['link.changed', { state, reason }] as const;
it.each([
  [
    'another reason is told, and the same one after it was ready',
    [
      server('waiting', failed('a')),
      server('connecting', failed('a')),
      server('recovering', failed('b')),
      server('waiting', failed('b')),
      server('waiting', failed('b')),
      server('ready', { failure: null }),
      server('recovering', failed('b')),
      server('open', failed('b')),
    ],
    ['failed: a', 'failed: b', 'ready', 'gave up: b'],
  ],
  [
    'an office that is not reached is told of once for each reason, and when it is joined',
    [
      office('connecting'),
      office('waiting', 'a'),
      office('connecting'),
      office('waiting', 'a'),
      office('connecting'),
      office('waiting', 'b'),
      office('connecting'),
      office('joined'),
      office('connecting'),
    ],
    ['connecting', 'not reached, trying again: a', 'not reached, trying again: b', 'joined', 'connecting'],
  ],
])('%s', (_, heard, told) => {
  const news = new NewsLines();
  const lines = heard.flatMap(([name, value]) => news.of(name, value) ?? []);
  expect(lines.map((line) => line.replace(/^(server s +|office )/, ''))).toEqual(told);
});
