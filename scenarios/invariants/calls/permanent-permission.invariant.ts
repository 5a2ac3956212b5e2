import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Caller } from '../../../machines/call/call-request.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { ComputerStart } from '../../../machines/computer/computer.machine.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';
import { asks, ends, learns, opens, posts, story } from '../record-builders.ts';

type Facts = ReadonlyMap<string, number>;
interface Open extends Caller {
  readonly computer: Address;
  readonly server: string;
  readonly tool: string;
  readonly generation: number;
  /** Allowed to this caller before it was asked for. */
  readonly isAllowed: boolean;
}
const factsIn = (servers: ComputerStart['servers'] = []): Facts =>
  new Map(servers.map(({ rules, client }) => [rules.server, client.generation]));

type Allowed = Caller & Pick<Open, 'tool'>;
const facts = ({ tool, replyTo, agent, conversation }: Allowed): string =>
  JSON.stringify({ tool, replyTo, agent, conversation });
const covers = (call: Allowed) => (one: Allowed) => facts(one) === facts(call);

class PermanentPermission implements Judge {
  readonly #calls = new Map<Address, Open>();
  /** By computer: the launch config of its servers as its config has them, and which of their tools were allowed to whom. */
  readonly #facts = new Map<Address, Facts>();
  readonly #allowed = new Map<Address, Map<string, Allowed[]>>();
  /** Tickets of calls that whoever asks has confirmed. */
  readonly #confirmed = new RecentMap<string, true>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') return this.#open(record);
    if (record.k === 'post') this.#post(record);
    else if (record.k === 'in') this.#hear(record);
    else if (record.k === 'out') return this.#ask(record);
    else if (record.k === 'end') {
      this.#calls.delete(record.a);
      this.#facts.delete(record.a);
      this.#allowed.delete(record.a);
    }
    return undefined;
  }
  #open({ a, kind, input }: RecordOf<'open'>): Found | undefined {
    if (kind === 'computer') this.#facts.set(a, factsIn((input as Partial<ComputerStart>).servers));
    if (kind !== 'call') return undefined;
    const call = input as CallStart;
    const { server, ticket, policy, keeper } = call;
    // Of a computer that was there before the first record nobody knows what was allowed.
    if (!policy || !this.#facts.has(keeper)) return undefined;
    const isAllowed = this.#allowed.get(keeper)?.get(server)?.some(covers(call)) ?? false;
    this.#calls.set(a, { ...call, computer: keeper, generation: policy.generation, isAllowed });
    return policy.isConfirmed && !isAllowed && !this.#confirmed.get(ticket)
      ? {
          at: a,
          what: `'${call.tool}' counts as allowed, and nobody allowed it to this caller and this launch config`,
        }
      : undefined;
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>): void {
    const { type, ticket, isConfirmed } = ev as Said<{ ticket: string; isConfirmed: boolean }>;
    if (type === 'call.request')
      return void (isConfirmed && from === 'host' && this.#confirmed.set(String(ticket), true));
    const known = [...this.#facts].find(([computer]) => computer === a || nameOf(computer) === a);
    if (!known || dead !== undefined) return;
    const [computer, before] = known;
    if (type === 'asker.lost') return this.#leave(computer, ev);
    const facts = factsIn((ev as Said<{ servers: ComputerStart['servers'] }>).servers);
    this.#facts.set(computer, facts);
    for (const [server] of this.#allowed.get(computer) ?? [])
      if (facts.get(server) !== before.get(server)) this.#allowed.get(computer)?.delete(server);
  }
  #leave(computer: Address, { asker }: Said<{ asker: Address }>): void {
    for (const [server, some] of this.#allowed.get(computer) ?? [])
      this.#allowed.get(computer)?.set(
        server,
        some.filter(({ replyTo }) => replyTo !== asker),
      );
  }
  #hear({ a, id, ev }: RecordOf<'in'>): void {
    const { result } = (ev ?? {}) as Said<{ result: { decision?: string } | null }>;
    const call = id === 'confirm' && result?.decision === 'allowForSession' ? this.#calls.get(a) : undefined;
    if (!call || this.#facts.get(call.computer)?.get(call.server) !== call.generation) return;
    const servers = this.#allowed.get(call.computer) ?? new Map<string, Allowed[]>();
    const some = servers.get(call.server) ?? [];
    this.#allowed.set(call.computer, servers.set(call.server, [...some, call]));
  }
  #ask({ a, ev }: RecordOf<'out'>): Found | undefined {
    const { id } = ev as Said<{ id: string }>;
    const call = this.#calls.get(a);
    if (!call) return undefined;
    if (id === 'confirm' && call.isAllowed)
      return { at: a, what: `a person was asked about '${call.tool}', which was allowed for good` };
    return undefined;
  }
}

const computer = 'c#1';
const host = { replyTo: 'host', agent: null };
const agent = { replyTo: 'c/link#1', agent: 'a1' };
const config = (generation: number, name = 'fs') => ({
  servers: [{ rules: { server: name }, client: { generation } }],
});
const born = opens(computer, 'computer', 'host', config(1));
const opened = (n: number, more: object = {}, by: object = {}) =>
  opens(`c/client:fs/call:t${n}#${n}`, 'call', 'c/client:fs#1', {
    server: 'fs',
    tool: 'read',
    ticket: `t${n}`,
    keeper: computer,
    ...host,
    ...by,
    policy: { isConfirmed: false, generation: 1, ...more },
  });
const asked = (n: number) => asks(`c/client:fs/call:t${n}#${n}`, 'confirm', 'confirm', 'confirm');
const says = (n: number, decision = 'allowForSession') =>
  learns(`c/client:fs/call:t${n}#${n}`, 'confirm', 'ask.answered', { result: { decision } });
const allowed = [born, opened(1), asked(1), says(1)];
const set = (generation: number, name?: string) =>
  posts('host', 'c', 'servers.set', config(generation, name));
const left = posts('c/link#1', 'c', 'asker.lost', { asker: 'c/link#1' });
const allowedAgent = [born, opened(1, {}, agent), asked(1), says(1)];
const again = 'which was allowed for good';
const unasked = 'nobody allowed it to this caller and this launch config';

export const permanentPermission: Invariant = {
  invariant:
    'a permanent permission is not asked for again, and covers only the same caller and launch facts',
  why: 'A person says it once; another program under the same name, or another caller, is not what was allowed.',
  sees: ['open', 'end', 'in ask', 'out ask', 'post servers.set', 'post call.request', 'post asker.lost'],
  open: () => new PermanentPermission(),
  violating: [
    { how: 'a computer that forgets it', seen: story(...allowed, opened(2), asked(2)), said: again },
    {
      how: 'one that forgets it with a config that changes nothing',
      seen: story(...allowed, set(1), opened(2), asked(2)),
      said: again,
    },
    {
      how: 'a program that was put in the place of another one',
      seen: story(...allowed, set(2), opened(2, { isConfirmed: true, generation: 2 })),
      said: unasked,
    },
    {
      how: 'one about which the person was asked before it came',
      seen: story(
        ...[born, opened(1), asked(1), set(2), says(1)],
        opened(2, { isConfirmed: true, generation: 2 }),
      ),
      said: unasked,
    },
    {
      how: 'a server that was gone in between',
      seen: story(...allowed, set(1, 'git'), set(1), opened(2, { isConfirmed: true })),
      said: unasked,
    },
    {
      how: 'another agent',
      seen: story(...allowedAgent, opened(2, { isConfirmed: true }, { ...agent, agent: 'a2' })),
      said: unasked,
    },
    {
      how: 'the host, where an agent was meant',
      seen: story(...allowedAgent, opened(2, { isConfirmed: true })),
      said: unasked,
    },
    {
      how: 'another conversation',
      seen: story(...allowed, opened(2, { isConfirmed: true }, { conversation: 'b' })),
      said: unasked,
    },
    {
      how: 'an agent that has left and come again',
      seen: story(...allowedAgent, left, opened(2, { isConfirmed: true }, agent)),
      said: unasked,
    },
    {
      how: 'a word that was meant for once',
      seen: story(born, opened(1), asked(1), says(1, 'allow'), opened(2, { isConfirmed: true })),
      said: unasked,
    },
  ],
  passing: [
    { how: 'one that runs unasked', seen: story(...allowed, opened(2, { isConfirmed: true })) },
    {
      how: 'one that was asked about meanwhile',
      seen: story(born, opened(1), opened(2), asked(1), says(1), asked(2)),
    },
    {
      how: 'the host, when an agent leaves',
      seen: story(...allowed, left, opened(2, { isConfirmed: true })),
    },
    { how: 'another launch config', seen: story(...allowed, set(2), opened(2, { generation: 2 }), asked(2)) },
    {
      how: 'one that whoever asks has confirmed',
      seen: story(
        born,
        posts('host', 'c', 'call.request', { ticket: 't1', isConfirmed: true }),
        opened(1, { isConfirmed: true }),
      ),
    },
    {
      how: 'another computer of the same name',
      seen: story(
        ...allowed,
        ends(computer),
        opens('c#2', 'computer', 'host', config(1)),
        opened(2),
        asked(2),
      ),
    },
    {
      how: 'a computer from before the first record',
      seen: story(opened(1, { isConfirmed: true }), asked(1)),
    },
  ],
};
