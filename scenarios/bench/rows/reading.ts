import { Session } from 'node:inspector/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { calls } from '../measure.ts';
import { atMost, type Figure, type Row } from '../row.ts';
import { oursFull } from './chain.ts';

const root = pathToFileURL(fileURLToPath(new URL('../../../', import.meta.url))).href;
const product = /^(machines|adapters|actors)\//;

/** Function with a name that ran during a measurement, with its file and the number of its calls. */
export interface Run {
  readonly file: string;
  readonly name: string;
  readonly count: number;
}
/** Reads the name of an arrow function from the call of `__name`, in which the compiler keeps it. */
const givenName = (source: string, start: number, end: number): string | undefined =>
  source.slice(0, start).endsWith('__name(') ? /^,\s*"(\w+)"/.exec(source.slice(end))?.[1] : undefined;
/** Takes the functions that ran since the last time. */
async function ranNow(session: Session): Promise<Run[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran: Run[] = [];
  for (const { url, scriptId, functions } of result) {
    const file = url.startsWith(root) ? url.slice(root.length) : '';
    if (!product.test(file)) continue;
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, endOffset, count } = { startOffset: 0, endOffset: 0, count: 0 }] = ranges;
      const name = functionName || givenName(scriptSource, startOffset, endOffset);
      // Names of the compiler and of V8 begin with these.
      if (count > 0 && name !== undefined && !/^(__|<)/.test(name)) ran.push({ file, name, count });
    }
  }
  return ran;
}
/**
 * Lists the named functions of this project that one call of an agent runs in agent, office and computer, as V8
 * counts them. The server is a process of its own. Functions without a name, such as callbacks, are not counted.
 */
export async function ranInOneCall(): Promise<Run[]> {
  const session = new Session();
  session.connect();
  const chain = await oursFull();
  try {
    // The first calls load, compile and remember.
    await calls(chain, 20);
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // A timer may run during a call: the shortest of five is the call alone.
    let shortest: Run[] | undefined;
    for (let n = 0; n < 5; n += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await chain.call(n);
      const ran = await ranNow(session);
      if (!shortest || ran.length < shortest.length) shortest = ran;
    }
    return shortest ?? [];
  } finally {
    session.disconnect();
    await chain.close();
  }
}

const one = (what: string, unit: string, value: number, limit: number): Figure => ({
  what,
  unit,
  values: [value],
  aim: atMost(limit),
});
/** Counts what somebody has to open to read the way of one call. */
export const measureReading: Row['measure'] = async (_plan, tell) => {
  const ran = await ranInOneCall();
  tell(one('files that one call of an agent runs', 'files', new Set(ran.map(({ file }) => file)).size, 45));
  tell(one('functions that it runs', 'functions', ran.length, 170));
};
