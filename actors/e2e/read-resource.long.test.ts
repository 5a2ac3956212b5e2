import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import {
  launchedWith,
  startOverHttp,
  type RunningServer,
} from '../../scenarios/fixtures/resource-servers.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { createComputer as openComputer } from '../api/computer.ts';
import { createOffice, type Computer, type Office } from '../index.ts';
import { readOrThrow } from '../plans/plan.ts';
import { Runtime } from '../api/runtime.ts';
import { Tap } from '../runtime/directory.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of `client:read_resource` from a foreign agent, through an office, to real servers. */
const mark = crypto.randomUUID();
const secret = 'hunter2-hunter2';
const plan = 'dpe://h/reports%2F2026%20plan.pdf';
const refused: readonly (readonly [uri: string, code: number, details: object])[] = [
  ['dpe://h/nothing', 4201, { doc_ref: 'nothing' }],
  ['dpe://elsewhere/d', 4201, { host: 'elsewhere' }],
  [`${plan}/pages/9`, 4202, { page_index: 9, page_count: 2 }],
  [`${plan}/elements/x`, 4203, { element_id: 'x' }],
  [`${plan}?limit=101`, 4204, { uri: `${plan}?limit=101`, rule: 'limit' }],
  [`dpe://h/${secret}`, 4201, { doc_ref: '***' }],
];

let office: Office;
let agent: Socket;
let server: RunningServer | undefined;
const ask = (event: string, body: object): Promise<unknown> =>
  new Promise((resolve) => agent.emit(event, body, (...ack: unknown[]) => resolve(ack[0])));
const readResource = (req_id: string, uri: string): Promise<unknown> =>
  ask('client:read_resource', { agent: 'a1', req_id, computer: 'c1', uri });

beforeEach(async () => {
  office = await createOffice({ port: 0 });
  agent = io(`${office.url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'] });
  expect(await ask('server:join_office', { role: 'agent', name: 'a1', office_id: 'local' })).toBe(true);
});
afterEach(async () => {
  agent.disconnect();
  await office.close();
  await server?.stop();
  server = undefined;
  expect(pidsOf(mark)).toEqual([]);
});

describe.each(['stdio', 'http'] as const)(
  'an agent that reads through an office, at a server over %s',
  (how) => {
    const configOf = async (): Promise<object> => {
      if (how === 'stdio') {
        const docs = launchedWith('documents', mark, '--host', 'h');
        return { mcpServers: { docs: { ...docs, env: { ...docs.env, API_KEY: secret } } } };
      }
      server = await startOverHttp('documents', '--host', 'h');
      return { mcpServers: { docs: { type: 'http', url: server.url, headers: { 'X-Api-Key': secret } } } };
    };

    it('is answered with the contents, or with the code, the details and its own req_id', async () => {
      const config = await configOf();
      await using _computer: Computer = await bootedComputer({
        name: 'c1',
        config: foreign(config),
        office: { url: office.url },
      });
      // The computer joins the office while its servers still start, so the first requests may fail with 404.
      let first: unknown;
      do first = await readResource('r0', `${plan}/pages/1?format=markdown`);
      while ((first as { error?: { code: number } }).error?.code === 404);
      expect(first).toMatchObject({
        req_id: 'r0',
        contents: [{ mimeType: 'text/markdown', text: expect.stringContaining('| May | 3 |') }],
      });
      for (const [n, [uri, code, details]] of refused.entries()) {
        const failure = { code, message: expect.any(String), details, remedy: expect.any(String) };
        expect(await readResource(`r${n + 1}`, uri), uri).toEqual({
          ...failure,
          error: failure,
          req_id: `r${n + 1}`,
        });
      }
    });

    it('leaves a record of each refusal at each layer, without the secrets of the server', async () => {
      const records: DirectoryRecord[] = [];
      const tap = new Tap();
      tap.add({ record: (record) => void records.push(record) });
      const runtime = new Runtime({ tap });
      const config = readOrThrow(await configOf());
      const computer = await openComputer({ name: 'c1', office: { url: office.url } }, { config, runtime });
      while ('error' in ((await readResource('first', plan)) as object));
      records.length = 0;
      await readResource('r1', `${plan}/pages/9`);
      await readResource('r2', `dpe://h/${secret}`);
      const told = (has: (record: DirectoryRecord) => boolean): string[] =>
        records.filter(has).map((record) => JSON.stringify(record));
      const layers = [
        told((r) => r.k === 'in' && r.via === 'ask' && r.ev?.type === 'ask.refused'),
        told((r) => r.k === 'post' && r.ev.type === 'resource.read'),
        told((r) => r.k === 'out' && r.port === 'link' && r.ev.type === 'link.answer'),
      ];
      for (const [first = '', second = '', ...more] of layers) {
        expect(more).toEqual([]);
        expect(first).toContain('"page_count":2');
        expect(second).toContain('4201');
        expect(second).not.toContain(secret);
      }
      for (const answer of layers.slice(1).map(([first]) => first))
        expect(answer).toMatch(/"req_?[iI]d":"r1"/);
      await computer.close();
      await runtime.close();
    });
  },
);
