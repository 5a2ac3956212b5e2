import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { RegistryStart } from '../../../machines/registry/registry.rules.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Bounds, Found, Invariant, Judge, Said } from '../invariant.ts';
import { opens, posts, story } from '../record-builders.ts';

class RegistryInTime implements Judge {
  readonly #slackMs: number;
  /** By machine: what it may take, and until when whoever waits has to have an answer. */
  readonly #machines = new Map<Address, { readonly limitMs: number; readonly due: Map<string, number> }>();

  constructor({ slackMs }: Bounds) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): readonly Found[] | undefined {
    if (record.k === 'open') {
      if (record.kind !== 'registry') return undefined;
      const { limitMs } = record.input as RegistryStart;
      this.#machines.set(nameOf(record.a), { limitMs, due: new Map() });
    } else if (record.k === 'end') this.#machines.delete(nameOf(record.a));
    else if (record.k === 'post') {
      const { type, ticket = '' } = record.ev as Said<{ ticket: string }>;
      const machine = this.#machines.get(nameOf(type === 'registry.want' ? record.a : record.from));
      if (type === 'registry.want') machine?.due.set(ticket, at + machine.limitMs + this.#slackMs);
      else {
        const due = machine?.due.get(ticket);
        machine?.due.delete(ticket);
        if (due !== undefined && at > due) return [late(record.from, at - due)];
      }
    }
    return undefined;
  }
  quiescent(at: number): readonly Found[] {
    return [...this.#machines].flatMap(([a, { due }]) =>
      [...due.values()].filter((end) => at > end).map((end) => late(a, at - end)),
    );
  }
}
const late = (at: Address, ms: number): Found => ({
  at,
  what: `a start has waited for a registry ${Math.round(ms)} ms longer than it may`,
  kind: 'liveness',
});

const born = opens('registry#1', 'registry', 'host:r', { limitMs: 3_000 });
const wants = (ticket: string) => posts('host', 'registry', 'registry.want', { ticket, list: [] });
const says = (ticket: string) => posts('registry#1', 'host:r', 'registry.chosen', { ticket });

export const registryInTime: Invariant = {
  invariant: 'no start waits for a registry beyond its limit',
  why: 'A network that swallows probes must not delay servers that may not even need it.',
  sees: ['open', 'end', 'post registry.want', 'post registry.chosen'],
  open: (bounds) => new RegistryInTime(bounds),
  violating: [
    {
      how: 'an answer that comes too late',
      seen: story(born, wants('a'), 3_001, says('a')),
      said: 'a start has waited for a registry 1 ms longer than it may',
    },
    {
      how: 'an answer that never comes',
      seen: story(born, wants('a'), says('a'), wants('b'), 4_000, posts('host', 'c', 'x')),
      until: 'quiescent',
      said: 'longer than it may',
    },
  ],
  passing: [
    {
      how: 'an answer in the last moment',
      seen: story(born, wants('a'), 3_000, says('a')),
      until: 'quiescent',
    },
    {
      how: 'late, as late as timers are here',
      seen: story(born, wants('a'), 3_500, says('a')),
      bounds: { slackMs: 500 },
    },
    { how: 'a machine from before the first record', seen: story(wants('a'), 9_000, says('a')) },
  ],
};
