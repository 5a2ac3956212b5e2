import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SeatFacts } from '../../ports/office.ts';
import { entriesOf } from '../../kernel/trie.ts';
import { claim, type Claims, forget, noClaims, release, seatOf, seatsIn } from './claims.ts';
import { seatKey } from './register.ts';

const computer = (name: string, office = 'o'): SeatFacts => ({ office, role: 'computer', name });
const agent = (name: string, office = 'o'): SeatFacts => ({ office, role: 'agent', name });
const seated = (...seats: readonly (readonly [socket: string, seat: SeatFacts])[]): Claims =>
  seats.reduce((claims, [socket, seat]) => {
    const claimed = claim(claims, socket, seat);
    if (!claimed.ok) throw new Error(claimed.text);
    return claimed.claims;
  }, noClaims);
const refused = (text: string): object => ({ ok: false, text: expect.stringContaining(text) as string });

describe('claims', () => {
  it('a repeated join changes nothing', () => {
    const claims = seated(['s1', computer('c')]);
    expect(claim(claims, 's1', computer('c'))).toEqual({ ok: true, claims, repeated: true });
  });
  it('an office has one agent; the refusal says by whom the seat is taken', () => {
    const claims = seated(['s1', agent('boss')]);
    expect(claim(claims, 's2', agent('a'))).toEqual(refused('Agent already in room'));
    expect(claim(claims, 's2', agent('boss'))).toEqual(refused("'boss'"));
  });
  it('an agent leaves before it joins elsewhere', () => {
    expect(claim(seated(['s1', agent('a')]), 's1', agent('a', 'p'))).toEqual(
      refused('Agent sid already in room'),
    );
  });
  it('a computer that joins elsewhere gives up its old seat', () => {
    const claimed = claim(seated(['s1', computer('c')]), 's1', computer('c', 'p'));
    expect(claimed).toMatchObject({ ok: true, left: computer('c') });
    expect(claimed.ok && seatsIn(claimed.claims)).toEqual([['s1', computer('c', 'p')]]);
  });
  it('a connection keeps its role, also after it left', () => {
    const claims = seated(['s1', computer('c')]);
    for (const now of [claims, release(claims, 's1').claims])
      expect(claim(now, 's1', agent('a'))).toEqual(refused('Role mismatch'));
    expect(claim(forget(claims, 's1').claims, 's1', agent('a'))).toMatchObject({ ok: true });
  });
  it('computers of one office do not share a name', () => {
    const claims = seated(['s1', computer('c')]);
    expect(claim(claims, 's2', computer('c'))).toEqual(refused('already exists'));
  });
  it('a switch that fails leaves the computer where it was', () => {
    const claims = seated(['s1', computer('c')], ['s2', computer('c', 'p')]);
    expect(claim(claims, 's1', computer('c', 'p'))).toEqual(refused('already exists'));
    expect(seatOf(claims, 's1')).toEqual(computer('c'));
  });
  it('a connection that leaves has no seat any more, and it is known which one it was', () => {
    const { claims, left } = release(seated(['s1', computer('c')]), 's1');
    expect([left, seatOf(claims, 's1')]).toEqual([computer('c'), undefined]);
  });
  it('the end of an old socket does not touch its successor', () => {
    const freed = release(seated(['s1', computer('c')]), 's1').claims;
    const claimed = claim(freed, 's2', computer('c'));
    const later = claimed.ok ? forget(claimed.claims, 's1').claims : noClaims;
    expect(seatOf(later, 's2')).toEqual(computer('c'));
    expect(claim(later, 's3', computer('c'))).toEqual(refused('already exists'));
  });
  it('a new name on the same socket is a switch', () => {
    for (const [old, fresh] of [
      [computer('c'), computer('d')],
      [agent('a'), agent('b')],
    ] as const)
      expect(claim(seated(['s1', old]), 's1', fresh)).toMatchObject({ ok: true, left: old });
  });
  it('names like those of built-in properties are names', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const claims = seated(['s1', computer(name, name)]);
      expect(seatOf(claims, 's1')).toEqual(computer(name, name));
      expect(claim(claims, 's2', computer(name, name))).toEqual(refused('already exists'));
      expect(forget(claims, 's1').claims).toEqual(noClaims);
    }
  });
});

it('no two places share a key, whatever names are', () => {
  const claims = seated(['s1', agent('a', 'o\ncomputer:x')], ['s2', computer('x\nagent', 'o')]);
  expect(claim(claims, 's3', computer('agent', 'o'))).toMatchObject({ ok: true });
  expect(seatsIn(claims)).toHaveLength(2);
});

describe('any sequence of claims', () => {
  const socket = fc.constantFrom('sock1', 'sock2', 'sock3', 'sock4');
  const seat = fc.record({
    office: fc.constantFrom('o', 'p'),
    role: fc.constantFrom('agent' as const, 'computer' as const),
    name: fc.constantFrom('x', 'y'),
  });
  const step = fc.oneof(
    fc.record({ do: fc.constant('claim' as const), socket, seat }),
    fc.record({ do: fc.constantFrom('release' as const, 'forget' as const), socket }),
  );
  const run = (claims: Claims, one: typeof step extends fc.Arbitrary<infer S> ? S : never): Claims => {
    if (one.do !== 'claim') return (one.do === 'release' ? release : forget)(claims, one.socket).claims;
    const claimed = claim(claims, one.socket, one.seat);
    if (!claimed.ok) expect(claimed.text).not.toContain('sock');
    return claimed.ok ? claimed.claims : claims;
  };
  it('leaves places and seats in agreement, and nobody shares one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const claims = steps.reduce(run, noClaims);
        const placed = entriesOf(claims.places).map(([place, s]) => `${s} ${place}`);
        const sitting = seatsIn(claims).map(([s, at]) => `${s} ${seatKey(at)}`);
        expect(new Set(placed)).toEqual(new Set(sitting));
        expect(placed).toHaveLength(sitting.length);
      }),
    );
  });
});
