import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { HeapSizes } from '../fixtures/heap-sizes.ts';
import { pidsOf } from '../fixtures/hosted.ts';
import { fixtureFile, testFolder } from '../fixtures/test-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = testFolder('growth');
/** Rounds before the first snapshot, and between it and each of the next two. */
const rounds = 6;

/** Fields and variables whose contents have a limit that these rounds do not reach, with that limit. */
const limited = {
  'Frames.#ring': 'bytes, an option',
  'Recorder.#entries': 'bytes, an option',
  'Recorder.#frames': 'bytes',
  'ForgottenRecords.#answers': '2,000 answers',
  'Reasons.#gone': '1,000 names of tools',
  'Object.gone': '100 entries of a list (`mostGone`)',
  'ListTimes.#changed[each]': '100 entries of a list (`mostGone`)',
  'ChannelNames.#requests': '20,000 calls',
  'Story.all': '500 incidents',
  'Story.all[each]': '500 incidents',
  'Story.#gone[each]': '100 tools of a server',
  'Object.texts': '10 texts of an incident',
  'Buckets.#all': 'swept each minute',
  // One for each name of a server that there ever was: what is named so later must be known as the same.
  'Servers.#generations': 'names of servers',
  'KnownSecrets.#names': 'names of servers',
  'SecretRedactor.#plain': 'names of servers',
  // What the stepper has worked out about a machine: as much as its chart has states and events.
  'variable chart': 'the chart',
  'Configuration.#chart': 'the chart',
  'Configuration.#plans': 'the chart',
  'Configuration.#branches': 'the chart',
  // The servers of the fixture remember what they were asked.
  'Object.methods': 'the test',
};

it('calls, starts, losses, changed lists, subscriptions, traces and seats leave nothing behind: every map, list and set of the hosts is as long as before', async () => {
  const mark = crypto.randomUUID();
  const host = fixtureFile('growing-host.ts');
  const counts = [rounds, rounds, rounds].map(String);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', host, folder, mark, ...counts],
    { cwd: root },
  );
  const ends = JSON.parse(stdout) as Record<string, number>;
  for (const end of ['succeeded', 'failed', 'cancelled'])
    for (const who of ['host', 'agent']) expect(ends[`${who} ${end}`], `${who} ${end}`).toBeGreaterThan(0);
  expect(ends['host timedOut']).toBeGreaterThan(0);

  const [before, between, after] = [0, 1, 2].map(
    (n) => new HeapSizes(join(folder, `${n}.heapsnapshot`), Object.keys(limited)),
  ) as [HeapSizes, HeapSizes, HeapSizes];
  // What each round leaves behind has grown as much in the first half as in the second; what only comes and goes has not.
  const grown = [...after.sizes].flatMap(([name, size]) => {
    const sizes = [before.sizes.get(name) ?? 0, between.sizes.get(name) ?? 0, size] as const;
    const isGrown = sizes[1] - sizes[0] >= rounds && sizes[2] - sizes[1] >= rounds;
    return isGrown ? [`${name}: ${sizes.join(', ')}`] : [];
  });
  expect(grown).toEqual([]);
  expect(pidsOf(mark)).toEqual([]);
});
