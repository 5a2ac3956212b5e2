import { createDigest, sha256Of, systemClock } from '../../../adapters/index.ts';
import { Recorder } from '../../../actors/recording/recorder.ts';
import { Tap } from '../../../actors/runtime/tap.ts';
import type { DirectoryRecord, Profile } from '../../../machines/trace/index.ts';
import { textOf, type Chain } from './chain.ts';
import { oursInMemory } from '../memory-harness.ts';

/** So many calls are recorded at a time: the clock of the benchmark costs about as much as one of them. */
const callsAtATime = 100;
/** An order of the host, and the answer of the server. The word of the policy is drawn, and no input. */
export const inputsAtATime = 2 * callsAtATime;

export const recorderOf = (profile: Profile): Recorder =>
  new Recorder({
    profile,
    now: systemClock.now,
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    charts: () => ({}),
    about: {
      runtime: '',
      xstate: '',
      node: '',
      clock: 'real',
      started: null,
      redaction: { keyId: null },
    },
  });

/** What a directory reports while it answers so many calls. */
async function reported(): Promise<readonly DirectoryRecord[]> {
  const records: DirectoryRecord[] = [];
  const tap = new Tap();
  const chain = await oursInMemory(tap);
  const stop = tap.add({ record: (record) => records.push(record) });
  for (let n = 1; n <= callsAtATime; n++) await chain.call(n);
  stop();
  await chain.close();
  const inputs = records.filter(({ k }) => k === 'in').length;
  if (inputs !== inputsAtATime) throw new Error(`${inputs} inputs where ${inputsAtATime} were expected`);
  return records;
}
const chainOf = async (take: (record: DirectoryRecord) => void): Promise<Chain> => {
  const records = await reported();
  return {
    pids: [],
    call: async (n) => {
      for (const record of records) take(record);
      return textOf(n);
    },
    close: async () => {},
  };
};
/** Somebody who hears every record and does nothing with it. */
export const heardByNobody = (): Promise<Chain> => {
  let heard = 0;
  return chainOf((record) => {
    if (record.k === 'in') heard += 1;
  });
};
export const heardBy = (profile: Profile) => (): Promise<Chain> => {
  const recorder = recorderOf(profile);
  return chainOf((record) => recorder.record(record));
};
export const recorded = (): Promise<Chain> => {
  const tap = new Tap();
  tap.add(recorderOf('inputs'));
  return oursInMemory(tap);
};
