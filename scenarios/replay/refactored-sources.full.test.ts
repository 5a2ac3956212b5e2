import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
type Edit = readonly [file: string, old: string, now: string];
interface Refactoring {
  readonly what: string;
  readonly edits: readonly Edit[];
}

const refactorings: readonly Refactoring[] = [
  {
    what: 'a message between machines has another name',
    edits: [
      ['machines/client/client.machine.ts', "type: 'permit.wanted'", "type: 'permit.asked'"],
      ['machines/computer/computer.rows.ts', "'permit.wanted':", "'permit.asked':"],
      ['machines/client/client.events.ts', "'permit.wanted'", "'permit.asked'"],
    ],
  },
  {
    what: 'two messages between machines are one',
    edits: [
      [
        'machines/client/client.machine.ts',
        "({ type: 'permit.released', server: c.server })",
        "({ type: 'permit.wanted', server: c.server, again: false, isReleased: true })",
      ],
      [
        'machines/computer/computer.rows.ts',
        "'permit.wanted': (c, { server, again }) =>\n    changePermits(c, (permits) => withWantedPermit(permits, server, again)),",
        "'permit.wanted': (c, { server, again, isReleased }: any) =>\n    changePermits(c, isReleased === true ? without(server) : (permits) => withWantedPermit(permits, server, again)),",
      ],
    ],
  },
  {
    what: 'a message goes past a machine that only passed it on',
    edits: [
      [
        'machines/computer/computer.calls.ts',
        `    messages: some.map((order) => refuseWaiting(order, 'cancelled', cancelledBy(order.reqId, why))),`,
        `    messages: [
      ...some.map((order) => refuseWaiting(order, 'cancelled', cancelledBy(order.reqId, why))),
      ...c.servers.map(({ rules: { server } }) => {
        const client = clientOf(c, server);
        return event.type === 'call.cancel'
          ? post(childOf(client, callKind, event.ticket), { type: 'call.cancel', reason: event.reason }, { optional: true })
          : post(client, event, { optional: true });
      }),
    ],`,
      ],
      [
        'machines/computer/computer.calls.ts',
        '    told: [isLost ? toOwned(clientKind, event) : toOwnersOf(clientKind, [callKind, event.ticket], event)],\n',
        '',
      ],
    ],
  },
  {
    what: 'every process, call and computer has one more timer',
    edits: [
      [
        'machines/process/process.machine.ts',
        "running: { tags: 'ready' },",
        "running: { after: { 777: {} }, tags: 'ready' },",
      ],
      [
        'machines/client/client.machine.ts',
        "launching: {\n          tags: 'connecting',",
        "launching: {\n          after: { 333: {} },\n          tags: 'connecting',",
      ],
      [
        'machines/computer/computer.machine.ts',
        "booting: {\n      tags: 'connecting',",
        "booting: {\n      after: { 3000: {} },\n      tags: 'connecting',",
      ],
    ],
  },
  {
    what: 'a kind of machine has another name, and with it all its addresses',
    edits: [
      ['machines/catalog/catalog.rules.ts', "CatalogOrder>('catalog')", "CatalogOrder>('listing')"],
      ['machines/client/client.machine.ts', "params.kind === 'catalog'", "params.kind === 'listing'"],
      ['actors/kinds/servers.ts', '  catalog: catalogMachine,', '  listing: catalogMachine,'],
    ],
  },
];
const broken: Edit = [
  'machines/client/client.machine.ts',
  "'call.cancel': { actions: cancelCall },",
  "'call.cancel': {},",
];

const folders: string[] = [];
function copyOf(edits: readonly Edit[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'a2c-refactored-'));
  folders.push(copy);
  for (const part of ['machines', 'adapters', 'actors', 'scenarios', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, old, now] of edits) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(old))
      throw new Error(`${file} has no ${old}: this refactoring has to be written again`);
    writeFileSync(path, text.replace(old, now));
  }
  return copy;
}
interface Replayed {
  readonly file: string;
  readonly verdict: string;
}
function verdictsOf(copy: string): Record<string, string> {
  const command = ['--import', 'tsx', 'actors/main.ts', 'replay', '--json', 'scenarios/recordings'];
  let printed: string;
  try {
    printed = execFileSync(process.execPath, command, { cwd: copy, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    // Exit code 1: something has changed.
    printed = (error as { stdout: string }).stdout;
  }
  const { replays } = JSON.parse(printed) as { replays: readonly Replayed[] };
  return Object.fromEntries(replays.map(({ file, verdict }) => [file.replace(/^.*\//, ''), verdict]));
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('a recording', () => {
  it.each(refactorings)('is the same where $what', ({ edits }) => {
    const verdicts = verdictsOf(copyOf(edits));
    expect(Object.keys(verdicts).length).toBeGreaterThanOrEqual(5);
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['same']));
  });
});
it('a change of behaviour changes the recordings that have been there, and no others', () => {
  expect(verdictsOf(copyOf([broken]))).toMatchObject({
    'cancel-and-time-out.trace.ndjson.gz': 'changed',
    'minute.trace.ndjson.gz': 'changed',
    'crash-loop.trace.ndjson.gz': 'same',
  });
});
