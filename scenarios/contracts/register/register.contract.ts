import assert from 'node:assert/strict';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import type {
  ClaimAnswer,
  Holder,
  NodeMessage,
  Register,
  RegisterNews,
  RenewedLease,
  RegisterCallback,
} from '../../../machines/office/rooms/register.ts';
import { casesOf, type ContractCase, type Rule } from '../contract.ts';

export interface RegisterWorld {
  open(): Promise<Register>;
  answer<T>(ask: (told: RegisterCallback<T>) => void): Promise<T | undefined>;
  /** Time passes meanwhile, so that leases that are not renewed end. */
  until(holds: () => Promise<boolean> | boolean): Promise<void>;
  forget(): Promise<void>;
}
export interface OpenedRegisterWorld extends RegisterWorld, AsyncDisposable {}

const seat = (role: SeatFacts['role'], name: string, office = 'o'): SeatFacts => ({ office, role, name });
const far = seat('computer', 'far');

class Node {
  readonly news: RegisterNews[] = [];
  readonly register: Register;
  readonly #world: RegisterWorld;
  private constructor(world: RegisterWorld, register: Register) {
    this.#world = world;
    this.register = register;
  }
  static async open(world: RegisterWorld): Promise<Node> {
    const node = new Node(world, await world.open());
    await node.#world.answer<true>((told) => node.register.listen((news) => node.news.push(news), told));
    await node.renew();
    return node;
  }
  get name(): string {
    return this.register.node;
  }
  renew = (): Promise<RenewedLease | undefined> =>
    this.#world.answer<RenewedLease>((told) => this.register.renew(told));
  claim(wanted: SeatFacts, socket = 's', minAgeMs = 0): Promise<ClaimAnswer | undefined> {
    return this.#world.answer((told) => this.register.claim({ socket, seat: wanted, minAgeMs }, told));
  }
  async holds(wanted: SeatFacts, socket = 's'): Promise<number> {
    const answer = await this.claim(wanted, socket);
    assert.equal(answer?.ok, true, JSON.stringify(answer));
    return answer.ok ? answer.fence : 0;
  }
  release = (of: SeatFacts, fence: number) =>
    this.#world.answer<true>((told) => this.register.release(of, fence, told));
  at = (of: SeatFacts) => this.#world.answer<Holder | 'nobody'>((told) => this.register.at(of, told));
  async seats(): Promise<readonly Holder[]> {
    const found = await this.#world.answer<readonly Holder[]>((told) => this.register.seats(told));
    return (found ?? []).toSorted((a, b) => a.fence - b.fence);
  }
  isDead = async (node: string): Promise<boolean> => {
    const dead = await this.#world.answer<readonly string[]>((told) => this.register.dead([node], told));
    return dead?.includes(node) === true;
  };
  heard = (type: RegisterNews['type'], count = 1): Promise<void> =>
    this.#world.until(() => this.news.filter((one) => one.type === type).length >= count);
}
interface Nodes {
  readonly world: RegisterWorld;
  readonly a: Node;
  readonly b: Node;
}
const rule = (title: string, holds: Rule<Nodes>['holds']): Rule<Nodes> => ({ title, holds });

const claims = [
  rule('give a free place, and tell all nodes who has it', async ({ a, b }) => {
    const answer = await a.claim(far, 'socket 1');
    assert.ok(answer?.ok);
    const holder: Holder = { node: a.name, socket: 'socket 1', seat: far, fence: answer.fence };
    for (const node of [a, b]) {
      await node.heard('taken');
      assert.deepEqual(node.news, [{ type: 'taken', holder }]);
    }
    assert.deepEqual(await b.seats(), [holder]);
  }),

  rule('refuse a place that somebody has, and say who', async ({ a, b }) => {
    const fence = await a.holds(far);
    const taken = { ok: false, holder: { node: a.name, socket: 's', seat: far, fence } };
    assert.deepEqual(await b.claim(far, 'mine'), taken);
    assert.deepEqual(await a.claim(far, 'another of this node'), taken);
  }),

  rule('give one place to one of all who want it at once', async ({ a, b }) => {
    const wants = Array.from({ length: 20 }, (_, n) => (n % 2 ? a : b).claim(far, `s${n}`));
    const answers = await Promise.all(wants);
    assert.equal(answers.filter((one) => one?.ok).length, 1);
  }),

  rule('give it again to the same connection, with a larger fence', async ({ a }) => {
    const first = await a.holds(far);
    assert.ok((await a.holds(far)) > first);
    assert.equal((await a.seats()).length, 1);
  }),

  rule('keep apart what has another name, role or office; an office has one agent', async ({ a, b }) => {
    const wanted = [far, seat('agent', 'far'), seat('computer', 'near'), seat('computer', 'far', 'p')];
    for (const one of wanted) await a.holds(one);
    assert.equal((await b.claim(seat('agent', 'of another name')))?.ok, false);
    assert.deepEqual(
      (await b.seats()).map((one) => one.seat),
      wanted,
    );
    const found = await b.at(seat('computer', 'far', 'p'));
    assert.deepEqual(
      [found !== 'nobody' && found?.seat.office, await b.at(seat('computer', 'nobody'))],
      ['p', 'nobody'],
    );
  }),

  rule('take any text as a name, and give it back as it was', async ({ a, b }) => {
    const names = ['__proto__', 'a\nb', '"} {', 'agent', 'computer:far', '会议室 🎈', '', '\u0000', '*'];
    for (const name of names) await a.holds(seat('computer', name, `{o}:${name}`));
    const found = await b.seats();
    assert.deepEqual(
      found.map((one) => one.seat),
      names.map((name) => seat('computer', name, `{o}:${name}`)),
    );
  }),

  rule(
    'have larger fences than before after the register has forgotten everything',
    async ({ world, a, b }) => {
      const before: number[] = [];
      for (const name of ['1', '2', '3']) before.push(await a.holds(seat('computer', name)));
      await world.forget();
      for (const [n, node] of [a, b].entries()) assert.notEqual((await node.renew())?.lease, leases[n]);
      assert.deepEqual(await b.seats(), []);
      for (const name of ['4', '5']) {
        const fence = await b.holds(seat('computer', name));
        assert.ok(fence > Math.max(...before), `${fence} after ${before.join(', ')}`);
        before.push(fence);
      }
    },
  ),

  rule('refuse while the register is younger than is asked', async ({ a }) => {
    assert.deepEqual(await a.claim(far, 's', 1e15), { ok: false });
    assert.deepEqual(await a.seats(), []);
  }),
];

const releases = [
  rule('free the place, and tell all nodes', async ({ a, b }) => {
    const fence = await a.holds(far);
    await a.release(far, fence);
    await b.heard('freed');
    assert.deepEqual(b.news.at(-1), { type: 'freed', seat: far, fence });
    await b.holds(far);
  }),

  rule('free nothing with the fence of an earlier claim', async ({ a, b }) => {
    const first = await a.holds(far);
    const second = await a.holds(far);
    assert.equal(await a.release(far, first), true);
    assert.deepEqual(
      (await b.seats()).map(({ fence }) => fence),
      [second],
    );
  }),

  rule('may be made by another node', async ({ a, b }) => {
    await b.release(far, await a.holds(far));
    assert.deepEqual(await a.seats(), []);
  }),
];

const leases = [
  rule('that were never taken hold nothing', async ({ world }) => {
    const late = await world.open();
    const answer = await world.answer<ClaimAnswer>((told) =>
      late.claim({ socket: 's', seat: far, minAgeMs: 0 }, told),
    );
    assert.deepEqual(answer, { ok: false });
    await late.close();
  }),

  rule('are kept by who renews them, and end for who does not', async ({ world, a, b }) => {
    const fence = await a.holds(far);
    const [ofA, ofB] = [(await a.renew())?.lease, (await b.renew())?.lease];
    assert.equal((await b.renew())?.lease, ofB);
    await world.until(async () => (await b.renew()) !== undefined && b.isDead(a.name));
    assert.equal(await b.isDead(b.name), false);
    await b.holds(far, 'mine');
    await b.heard('taken', 2);
    assert.deepEqual(b.news.slice(1, 2), [{ type: 'freed', seat: far, fence }]);
    assert.equal((await b.renew())?.lease, ofB);
    const next = (await a.renew())?.lease;
    assert.notEqual(next, ofA);
    assert.equal((await a.renew())?.lease, next);
    assert.equal((await a.claim(far))?.ok, false);
  }),

  rule('end at once with the node, and the others hear it', async ({ a, b }) => {
    await a.holds(far);
    await a.register.close();
    await b.heard('ended');
    assert.deepEqual(b.news.at(-1), { type: 'ended', node: a.name });
    await b.holds(far);
  }),

  rule(
    'say when the data of the register began, anew after it has forgotten them',
    async ({ world, a, b }) => {
      const began = (await a.renew())?.since;
      assert.equal((await b.renew())?.since, began);
      // So that a later beginning has another time.
      await world.until(async () => ((await a.renew())?.ageMs ?? 0) > 0);
      assert.equal((await a.renew())?.since, began);
      await world.forget();
      const now = (await b.renew())?.since;
      assert.notEqual(now, began);
      assert.equal((await a.renew())?.since, now);
    },
  ),

  rule('say how old the register is', async ({ world, a }) => {
    const ageMs = (await a.renew())?.ageMs ?? NaN;
    assert.ok(ageMs >= 0, String(ageMs));
    await world.until(async () => ((await a.renew())?.ageMs ?? 0) > ageMs);
  }),
];

const messages = [
  rule('come to the node that they are for, in their order, with who sent them', async ({ world, a, b }) => {
    const body = { text: '会 "quoted"\n', list: [], nested: { empty: {} } };
    const sent = Array.from({ length: 50 }, (_, id): NodeMessage => {
      return { type: 'ask', id, socket: 's', fence: 1, event: 'client:tool_call', body };
    });
    for (const message of sent) {
      const isSent = await world.answer<boolean>((told) => a.register.send(b.name, message, told));
      assert.equal(isSent, true);
    }
    await b.heard('message', sent.length);
    assert.deepEqual(
      b.news,
      sent.map((message) => ({ type: 'message', from: a.name, message })),
    );
    assert.deepEqual(a.news, []);
  }),

  rule('to a node that has ended are said not to be sent', async ({ world, a, b }) => {
    await b.register.close();
    const message = { type: 'answer', id: 1 } as const;
    await world.until(
      async () => (await world.answer<boolean>((told) => a.register.send(b.name, message, told))) === false,
    );
  }),
];

export const registerContract = (open: () => Promise<OpenedRegisterWorld>): readonly ContractCase[] =>
  casesOf<Nodes>({ claims, releases, leases, messages }, async ({ holds }) => {
    await using world = await open();
    const [a, b] = [await Node.open(world), await Node.open(world)];
    try {
      await holds({ world, a, b });
    } finally {
      for (const { register } of [a, b]) await register.close();
    }
  });
