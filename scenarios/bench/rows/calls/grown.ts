import { echoed, textOf, type Chain } from '../../chain.ts';
import { computerOver, connected, echoTool, served, textFrom } from '../../inside.ts';
import { calls, comparedSlices, cpuMsOf, pairs, ratio, withBoth } from '../../measure.ts';
import { atMost, type Row } from '../../row.ts';

/**
 * Measures calls where something has grown: servers, tools, results. The yardstick is a computer in which that is
 * small.
 */

/** Opens a computer with this many servers and calls a tool of the middle one. */
const amongServers = (count: number) => async (): Promise<Chain> => {
  const names = Array.from({ length: count }, (_, n) => `s${n}`);
  const ends = names.map(
    (name) => [name, async () => (await served([echoTool(`${name}.echo`)])).end] as const,
  );
  const computer = await computerOver(Object.fromEntries(ends));
  const tool = `${names[Math.floor(count / 2)]}.echo`;
  return { call: (n) => textFrom(computer, tool, textOf(n)), close: () => computer.close() };
};
export const measureServers: Row['measure'] = async (plan, tell) => {
  for (const count of [50, 500])
    await withBoth([amongServers(1), amongServers(count)], async (chains) => {
      for (const chain of chains) await calls(chain, plan.warmCalls);
      const found = await comparedSlices(plan, chains, 'cpuUs');
      tell(ratio(`call with ${count} servers ÷ with 1, CPU`, found, 'µs', atMost(1.1)));
    });
};

const [kb, mb] = [1024, 1024 ** 2];
/** Builds a result of this many bytes, different for each call. */
const big = (bytes: number) => (text: string) => text.padEnd(bytes, '.');
/** Builds a result of this size that begins with the text of its call. */
const own = (bytes: number, n: number, text: string): string => {
  if (text.length !== bytes) throw new Error(`not a text of ${bytes} bytes: ${text.slice(0, 300)}`);
  return text.slice(0, textOf(n).length);
};
const bareResults = (bytes: number) => async (): Promise<Chain> => {
  const client = await connected((await served([echoTool()], big(bytes))).end);
  const call = async (n: number): Promise<string> =>
    own(bytes, n, echoed(await client.callTool({ name: 'echo', arguments: { text: textOf(n) } })));
  return { call, close: () => client.close() };
};
/** Opens a chain whose large results are passed on whole. */
const results = (bytes: number) => async (): Promise<Chain> => {
  const { end } = await served([echoTool()], big(bytes));
  const echo = { type: 'inmemory', autoApprove: ['all'], a2c: { resultBytes: 10 * mb } };
  const computer = await computerOver({ echo: async () => end }, { config: { mcpServers: { echo } } });
  const call = async (n: number): Promise<string> =>
    own(bytes, n, await textFrom(computer, 'echo', textOf(n)));
  return { call, close: () => computer.close() };
};
export const measureResults: Row['measure'] = async (plan, tell) => {
  for (const [name, bytes] of [
    ['1 KB', kb],
    ['100 KB', 100 * kb],
    ['1 MB', mb],
    ['8 MB', 8 * mb],
  ] as const)
    await withBoth([bareResults(bytes), results(bytes)], async (chains) => {
      for (const chain of chains) await calls(chain, Math.min(plan.warmCalls, Math.ceil((100 * mb) / bytes)));
      tell(ratio(`call with a result of ${name}, CPU`, await comparedSlices(plan, chains, 'cpuUs'), 'µs'));
    });
  await withBoth([results(mb), results(8 * mb)], async ([one, eight]) => {
    const times = plan.isQuick ? 1 : 4;
    const both = [
      () => cpuMsOf(() => calls(one, 8 * times)),
      () => cpuMsOf(() => calls(eight, times)),
    ] as const;
    for (const each of both) await each();
    tell(ratio('a result of 8 MB ÷ 8 of 1 MB, CPU', await pairs(plan.rounds, ...both), 'ms', atMost(1.1)));
  });
};

const [tools, together] = [10_000, 100];
/** Opens a server with this many tools; `call` uses the first one. */
const amongTools = (count: number) => async () => {
  const names = Array.from({ length: count }, (_, n) => `echo-${n}`);
  const { end } = await served(names.map((name) => echoTool(name)));
  const computer = await computerOver({ echo: async () => end });
  const ask = (tool: number, n: number): Promise<string> => textFrom(computer, `echo-${tool}`, textOf(n));
  return { call: (n: number) => ask(0, n), ask, close: () => computer.close() };
};
export const measureTools: Row['measure'] = async (plan, tell) => {
  const [few, many] = [await amongTools(1)(), await amongTools(tools)()];
  for (const chain of [few, many]) await calls(chain, plan.warmCalls);
  const known = await comparedSlices(plan, [few, many], 'cpuUs');
  tell(ratio('call to a known tool of 10,000 ÷ of 1, CPU', known, 'µs', atMost(1.1)));
  let next = 0;
  const first: Chain = {
    call: (n) => {
      next += 1;
      return many.ask(next, n);
    },
    close: async () => {},
  };
  const some = (chain: Chain) => async (): Promise<number> =>
    ((await cpuMsOf(() => calls(chain, together))) * 1_000) / together;
  // All schemas are equal, so nothing is compiled for the second tool.
  const fresh = await pairs(plan.rounds, some(many), some(first));
  tell(ratio('first call of each tool ÷ of a known one, CPU', fresh, 'µs', atMost(1.5)));
  await few.close();
  await many.close();
};
