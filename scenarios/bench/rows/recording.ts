import { Frames } from '../../../actors/inspector/live-stream.ts';
import { FlightRecorder, KnownSecrets } from '../../../actors/recording/flight-recorder.ts';
import { Runtime } from '../../../actors/api/runtime.ts';
import { Tap } from '../../../actors/runtime/directory.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { textOf, type Chain } from '../chain.ts';
import { computerOver, served, textFrom } from '../inside.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';
import { bareClient } from './calls/calls.ts';

/** Number of calls recorded per measurement: reading the clock costs about as much as one of them. */
const together = 100;

/** Records that the directory of a computer reports while it answers this number of calls. */
async function reported(): Promise<readonly DirectoryRecord[]> {
  const tap = new Tap();
  const runtime = new Runtime({ tap, record: false, stateDir: false, reaper: false });
  const { end } = await served();
  const computer = await computerOver({ echo: async () => end }, {}, { runtime });
  await textFrom(computer, 'echo', textOf(0));
  const records: DirectoryRecord[] = [];
  const stop = tap.add({ record: (record) => records.push(record) });
  for (let n = 1; n <= together; n += 1) await textFrom(computer, 'echo', textOf(n));
  stop();
  await computer.close();
  if (messagesOf(records).length !== 2 * together) throw new Error('not every call passed the session');
  return records;
}
/** Returns the JSON-RPC message that a session passes for a question or its answer. */
function messageOf({ k, ...record }: DirectoryRecord): object | undefined {
  if (k !== 'in' && k !== 'out') return undefined;
  const { type, id, method, params, result } = (('ev' in record && record.ev) || {}) as Readonly<
    Record<string, unknown>
  >;
  if (method === 'tools/call') return { method, params, jsonrpc: '2.0', id };
  return type === 'ask.answered' && (result as { content?: unknown } | undefined)?.content !== undefined
    ? { result, jsonrpc: '2.0', id }
    : undefined;
}
const messagesOf = (records: readonly DirectoryRecord[]): object[] =>
  records.flatMap((record) => messageOf(record) ?? []);

/**
 * Creates a recorder as in a host: news decide whether a trace is kept, and messages on the wire are recorded too.
 */
async function recorder(): Promise<Chain> {
  const tap = new Tap();
  const flight = new FlightRecorder({ record: {}, stateDir: false }, new KnownSecrets(), tap);
  const frames = new Frames();
  frames.kept = flight.frame;
  const records = (await reported()).map((record) => [record, messageOf(record)] as const);
  return {
    call: async (n) => {
      for (const [record, message] of records) {
        tap.record(record);
        const dir = record.k === 'in' ? 'in' : 'out';
        if (message) frames.take('computer/client:echo#1/session#1', 'mcp', dir, message);
      }
      return textOf(n);
    },
    close: async () => {},
  };
}
/** Makes as many calls of the SDK's client as produced the records. */
async function asManyBare(): Promise<Chain> {
  const chain = await bareClient();
  return {
    ...chain,
    call: async (n) => {
      let text = '';
      for (let nth = 0; nth < together; nth += 1) text = await chain.call(n);
      return text;
    },
  };
}
export const measureRecorder: Row['measure'] = (plan, tell) =>
  withBoth([asManyBare, recorder], async (chains) => {
    for (const chain of chains) await calls(chain, Math.ceil(plan.warmCalls / together));
    const found = await comparedSlices(plan, chains, 'cpuUs');
    const perCall = found.map((pair) => ({
      yardstick: pair.yardstick / together,
      ours: pair.ours / together,
    }));
    tell(ratio('recorder: what a call tells it ÷ a bare call, CPU', perCall, 'µs', atMost(0.15)));
  });
