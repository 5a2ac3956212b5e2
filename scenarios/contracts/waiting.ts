import type { Emit } from '../../machines/kernel/ports.ts';

export function createWaiting() {
  const open = new Set<{ holds: () => boolean; resolve: () => void }>();
  return {
    heard:
      <Fact>(emit: Emit<Fact>): Emit<Fact> =>
      (fact) => {
        emit(fact);
        for (const waiting of open) {
          if (!waiting.holds()) continue;
          open.delete(waiting);
          waiting.resolve();
        }
      },
    until: (holds: () => boolean): Promise<void> =>
      holds() ? Promise.resolve() : new Promise((resolve) => open.add({ holds, resolve })),
  };
}
