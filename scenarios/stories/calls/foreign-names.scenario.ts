import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { computerStage, everybody } from '../../stage/watching.ts';

const names = [
  ...['a/b', 'a#1', '50%', '%2F', '文件 系统', '🐢', 'a b', '../../x', 'call:x#2/process'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
];
const said = (text: string) => ({ content: [{ type: 'text', text }] });
const slowly = (answers: unknown) => ({ answers, afterMs: 50 });

const servers = Object.fromEntries(
  names.map((name) => [name, { tools: Object.fromEntries([[name, slowly(said(`of ${name}`))]]) }]),
);
scenario('any text names a server, tool or req_id, and none is taken for another', { servers }, async (s) => {
  await everybody(s);
  expect(computerStage(s)).toBe('whole');
  const own = names.map((name) => s.call(name, { reqId: name }));
  const remote = names.map((name) => s.agentCall(name, { reqId: name }));
  await s.run(100);
  for (const [n, name] of names.entries()) {
    const answer = { outcome: 'succeeded', reqId: name, result: said(`of ${name}`) };
    expect(own[n]?.settled).toMatchObject([{ ...answer, server: name, tool: name }]);
    expect(remote[n]?.settled).toMatchObject([answer]);
  }
});

scenario('orders by any name reach the call and the server of that name only', { servers }, async (s) => {
  await s.up(100);
  const kept = names.map((name) => s.call(name, { reqId: name }));
  const cancelled = names.map((name) => s.call(name, { reqId: `${name}/2` }));
  for (const call of cancelled) call.cancel();
  await s.run(100);
  expect(new Set(kept.map((call) => call.settled[0]?.end))).toEqual(new Set(['succeeded']));
  expect(new Set(cancelled.map((call) => call.settled[0]?.end))).toEqual(new Set(['cancelled']));
  for (const [n, name] of names.entries()) {
    s.order('computer', { type: 'server.stop', server: name });
    await s.run(10);
    expect(s.servers.alive).toBe(names.length - n - 1);
  }
});

for (const [what, nth] of [
  ['at once', 1],
  ['in mid-call', 100],
] as const) {
  const blunder = (count: { n: number }) => () => {
    if ((count.n += 1) === nth) throw new Error('I cannot look');
  };
  for (const of of ['record', 'step'] as const)
    scenario(
      `an observer of ${of}s that throws ${what} is left out, and disturbs nothing`,
      {
        servers: { fs: { tools: { read: slowly(said('x')) } } },
        observer: () => ({ [of]: blunder({ n: 0 }) }),
        blunders: 1,
      },
      async (s) => {
        await everybody(s);
        const calls = Array.from({ length: 10 }, () => s.agentCall('read'));
        await s.run(100);
        expect(calls.map((call) => call.settled[0]?.outcome)).toEqual(calls.map(() => 'succeeded'));
        expect(s.blunders.map(String)).toEqual(['Error: I cannot look']);
      },
    );
}
