import type { CallLimits } from '../../../machines/call/policy/call-limiters.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { PermissionData, PersonWord, Plan, ServerData, ToolData } from '../../stage/plan/plan.ts';
import type { Act, Cast } from './cast.ts';
import { between, chance, oneOf, spread, streamOf, type Random } from './streams.ts';

/** Drawn from streams of their own, so that the rest of a run stays as it was. */

const number = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } } as const;
const values = [{ n: 1 }, { n: 'one' }, {}] as const;

const answerOf = (random: Random): NonNullable<ToolData['answers']> => ({
  content: [{ type: 'text', text: 'x'.repeat(chance(random, 0.3) ? spread(random, 100, 6_000) : 5) }],
  ...(chance(random, 0.6) && { structuredContent: oneOf(random, values) }),
  ...(chance(random, 0.2) && { isError: true }),
});
const shapeOf = (random: Random): ToolData => ({
  ...(chance(random, 0.2) && { inputSchema: number }),
  ...(chance(random, 0.25) && { outputSchema: number }),
  ...(chance(random, 0.35) && { answers: answerOf(random) }),
  ...(chance(random, 0.25) && { progressEveryMs: spread(random, 20, 3_000) }),
});
const limitsOf = (random: Random): CallLimits => ({
  concurrency: between(random, 1, 3),
  queue: between(random, 0, 4),
});

export function withCalling(seed: number, server: ServerData): ServerData {
  const path = `computer/client:${server.name}`;
  const [shape, calling] = [streamOf(seed, path, 'shapes'), streamOf(seed, path, 'calling')];
  const tools = Object.entries(server.tools ?? {}).map(([name, tool]) => [
    name,
    { ...tool, ...shapeOf(shape) },
  ]);
  return {
    ...server,
    tools: Object.fromEntries(tools) as NonNullable<ServerData['tools']>,
    ...(chance(calling, 0.3) && { limits: limitsOf(calling) }),
    ...(chance(calling, 0.25) && { resultBytes: spread(calling, 300, 4_000) }),
    ...(chance(calling, 0.25) && { program: oneOf(calling, ['works', 'works', 'fails', 'hangs'] as const) }),
    ...(chance(calling, 0.15) && {
      autoApprove: [oneOf(calling, ['all', 'read', 'write', `${server.name}.t1`])],
    }),
    ...(chance(calling, 0.15) && { callTotalMs: spread(calling, 50, 10_000) }),
  };
}

const rules: readonly PermissionData[] = ['allow', 'ask', 'ask', 'deny', 'throws', 'never'];
const knobs: Readonly<Partial<Record<keyof Timing, readonly [low: number, high: number]>>> = {
  callIdleMs: [100, 10_000],
  lookMs: [10, 8_000],
  vrlMs: [10, 5_000],
};
export function drawCallTiming(seed: number): Partial<Timing> {
  const random = streamOf(seed, 'day', 'call timing');
  const turned = Object.entries(knobs).filter(() => chance(random, 0.25));
  return Object.fromEntries(turned.map(([knob, [low, high]]) => [knob, spread(random, low, high)]));
}
export function drawHouse(
  seed: number,
  person: PersonWord | undefined,
): Pick<Plan, 'person' | 'permission' | 'total'> {
  const random = streamOf(seed, 'day', 'calling');
  const isForGood = chance(random, 0.5);
  const said = person === 'yes' && isForGood ? 'always' : person;
  const thinks = streamOf(seed, 'day', 'person');
  const late = said && chance(thinks, 0.4) ? (` after ${spread(thinks, 20, 60_000)}` as const) : '';
  return {
    ...(said && { person: `${said}${late}` }),
    ...(chance(random, 0.25) && { permission: oneOf(random, rules) }),
    ...(chance(random, 0.2) && {
      total: { concurrency: between(random, 1, 4), queue: between(random, 0, 6) },
    }),
  };
}
export const drawParams = (seed: number, call: string): { params?: Record<string, unknown> } => {
  const random = streamOf(seed, call, 'params');
  return chance(random, 0.5) ? {} : { params: { ...oneOf(random, values) } };
};

export function drawBursts({ seed, forMs, servers, hasOffice }: Cast): Act[] {
  const run = streamOf(seed, 'day', 'bursts');
  const count = chance(run, 0.5) ? 0 : between(run, 1, 3);
  return Array.from({ length: count }, (_, n): Act[] => {
    const random = streamOf(seed, `burst:${n + 1}`, 'burst');
    const tool = oneOf(random, Object.keys(oneOf(random, servers).tools ?? {}));
    const by = hasOffice && chance(random, 0.5) ? 'agent' : 'host';
    const [from, size] = [between(random, 0, forMs), between(random, 2, 12)];
    return Array.from({ length: size }, (__, i): Act[] => {
      const call = `burst${n + 1}.${i + 1}`;
      const at = from + between(random, 0, 20);
      const timeoutMs = spread(random, 50, 30_000);
      const asked = {
        do: 'call',
        call,
        by,
        tool,
        reqId: call,
        timeoutMs,
        ...drawParams(seed, call),
      } as const;
      const isTakenBack = chance(random, 0.25);
      const after = spread(random, 1, 3_000) - 1;
      return [
        { at, step: asked },
        ...(isTakenBack ? [{ at: at + after, step: { do: 'cancel', call } as const }] : []),
      ];
    }).flat();
  }).flat();
}
