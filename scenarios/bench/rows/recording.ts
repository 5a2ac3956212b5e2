import { createDigest, sha256Of, systemClock } from '../../../adapters/index.ts';
import { Frames } from '../../../actors/inspector/frames.ts';
import { FlightRecorder } from '../../../actors/recording/flight-recorder.ts';
import { KnownSecrets } from '../../../actors/recording/known-secrets.ts';
import { Recorder } from '../../../actors/recording/recorder.ts';
import { Tap } from '../../../actors/runtime/tap.ts';
import type { DirectoryRecord, Profile } from '../../../machines/trace/index.ts';
import { bareClient } from './calls.ts';
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
const chainOf = async (
  take: (record: DirectoryRecord, message: object | undefined) => void,
): Promise<Chain> => {
  const records = (await reported()).map((record) => [record, messageOf(record)] as const);
  return {
    pids: [],
    call: async (n) => {
      for (const [record, message] of records) take(record, message);
      return textOf(n);
    },
    close: async () => {},
  };
};
/** JSON-RPC that a session passes with a question and with its answer. */
function messageOf(record: DirectoryRecord): object | undefined {
  if (record.k !== 'in' && record.k !== 'out') return undefined;
  const { type, id, method, params, result } = (record.ev ?? {}) as Readonly<Record<string, unknown>>;
  if (method === 'tools/call') return { method, params, jsonrpc: '2.0', id };
  return type === 'ask.answered' ? { result, jsonrpc: '2.0', id } : undefined;
}
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
/** Recorder as a host has it: news decide whether a trace is kept, and messages on the wire are beside it. */
export const heardByHost = (): Promise<Chain> => {
  const tap = new Tap();
  const flight = new FlightRecorder({ record: {}, stateDir: false }, new KnownSecrets(), tap);
  const frames = new Frames();
  frames.kept = flight.frame;
  let passed = 0;
  const chain = chainOf((record, message) => {
    tap.record(record);
    if (!message) return;
    passed += 1;
    frames.take('computer/client:echo#1/session#1', 'mcp', record.k === 'in' ? 'in' : 'out', message);
  });
  return chain.then((each) => ({
    ...each,
    call: async (n) => {
      passed = 0;
      const text = await each.call(n);
      if (passed !== 2 * callsAtATime) throw new Error(`${passed} messages`);
      return text;
    },
  }));
};
/** Calls of the SDK's client, as many as the records of one call of `heardByHost` come from. */
export const asManyBare = async (): Promise<Chain> => {
  const chain = await bareClient();
  return {
    ...chain,
    call: async (n) => {
      let text = '';
      for (let nth = 0; nth < callsAtATime; nth += 1) text = await chain.call(n);
      return text;
    },
  };
};
export const recorded = (): Promise<Chain> => {
  const tap = new Tap();
  tap.add(recorderOf('boundary'));
  return oursInMemory(tap);
};
