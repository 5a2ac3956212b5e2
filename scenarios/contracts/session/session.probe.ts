import type { Timers } from '../../../adapters/clock.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import type { SessionFact } from '../../../machines/ports/session.ts';
import { observed, type ObservedSession, type ServerBehaviour } from './session.harness.ts';
import type { RealSessionWorld } from './session.port.ts';
import type { HttpWorld } from './session.world.ts';

export async function openIn(
  world: RealSessionWorld,
  behaviour: ServerBehaviour = 'echo',
): Promise<ObservedSession> {
  const session = observed(world, (emit) => world.open(behaviour, emit));
  const fact = await session.first();
  if (fact.type !== 'session.opened') throw new Error(JSON.stringify(fact));
  await world.ready?.();
  return session;
}
/** The failure of a session that cannot be opened. */
export async function failureIn(world: RealSessionWorld, behaviour: ServerBehaviour = 'echo') {
  const fact = await observed(world, (emit) => world.open(behaviour, emit)).first();
  if (fact.type !== 'session.failed') throw new Error(JSON.stringify(fact));
  return fact.failure;
}
export const refusalOf = (fact: RequestFact) => {
  if (fact.type !== 'ask.refused') throw new Error(JSON.stringify(fact));
  return fact;
};
export const typesOf = (facts: readonly SessionFact[]): readonly string[] => facts.map(({ type }) => type);

export const seenBy = ({ server }: HttpWorld, method: string) =>
  server.seen.filter((one) => one.method === method);
export const callsSeen = (world: HttpWorld, tool: string): number =>
  seenBy(world, 'POST').filter(
    ({ body }) => (body?.['params'] as { name?: string } | undefined)?.name === tool,
  ).length;

/** Creates timers that fire only when a test lets time pass. */
export function handTimers() {
  const waiting = new Map<number, { readonly fire: () => void; readonly ms: number }>();
  let count = 0;
  let heard = (): void => {};
  const timers: Timers = {
    setTimeout: (fire, ms) => {
      waiting.set((count += 1), { fire, ms });
      heard();
      return count;
    },
    clearTimeout: (timer) => waiting.delete(timer as number),
  };
  const isAwaited = (ms: number): boolean => [...waiting.values()].some((one) => one.ms === ms);
  return {
    timers,
    /** Lets everything pass that waits for this long or less. */
    pass: (ms: number): void => {
      for (const [id, { fire, ms: due }] of [...waiting]) if (due <= ms && waiting.delete(id)) fire();
    },
    waitsFor: (ms: number): boolean => isAwaited(ms),
    awaited: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        heard = () => isAwaited(ms) && resolve();
        heard();
      }),
  };
}
