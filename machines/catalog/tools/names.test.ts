import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestName, place, prefixed, type Claim } from './names.ts';

const claim = (server: string, shown: string, isYielding = true): Claim => ({ server, shown, isYielding });
/** `A/x` → what it is called. */
const namesOf = (
  claims: readonly Claim[],
  mark?: Parameters<typeof place>[1],
): Record<string, string | null> =>
  Object.fromEntries(
    [...place(claims, mark).placed].map(([{ server, shown }, { name }]) => [`${server}/${shown}`, name]),
  );

describe('a tool whose name another server has', () => {
  it('is called by its server and its name, and so is the other', () => {
    expect(namesOf([claim('A', 'x'), claim('A', 'y'), claim('B', 'x')])).toEqual({
      ...{ 'A/x': 'A_x', 'A/y': 'y', 'B/x': 'B_x' },
    });
  });

  it('leaves its name to a server that does not yield', () => {
    expect(namesOf([claim('A', 'x'), claim('B', 'x', false)])).toEqual({ 'A/x': 'A_x', 'B/x': 'x' });
    expect(namesOf([claim('A', 'x', false), claim('B', 'x', false)])).toEqual({ 'A/x': 'x', 'B/x': 'x' });
  });

  it('gets a mark where that name is taken, too, whoever took it', () => {
    const names = namesOf([claim('A', 'x'), claim('A', 'B_x'), claim('B', 'x')]);
    expect(names).toMatchObject({ 'A/x': 'A_x', 'A/B_x': 'B_x' });
    expect(names['B/x']).toMatch(/^B_x_[0-9a-f]{8}$/);
  });

  it('never gets a name that another tool had to give up', () => {
    const names = namesOf([claim('A', 'x'), claim('A', 'B_x'), claim('B', 'x'), claim('C', 'B_x')]);
    expect(names).toMatchObject({ 'A/B_x': 'A_B_x', 'C/B_x': 'C_B_x' });
    expect(names['B/x']).toMatch(/^B_x_[0-9a-f]{8}$/);
  });

  it('has no name at last, rather than that of another, should all marks be equal', () => {
    const same = ['a b', 'a.b'].flatMap((tool) => [claim('A', tool), claim('B', tool)]);
    expect(Object.values(namesOf(same, () => '0'))).toEqual([null, null, null, null]);
    expect(new Set(Object.values(namesOf(same))).size).toBe(4);
  });
});

describe('a name with the server before it', () => {
  it.each([
    ['p/q', 'x', 'p_q_x'],
    ['a', 'b c.d', 'a_b_c_d'],
    ['文件', '🐢', '____'],
  ])('keeps of %s and %s what every model takes', (server, tool, name) => {
    expect(prefixed(server, tool)).toBe(name);
  });

  it('is cut where it is too long, and ends with a mark then', () => {
    expect(prefixed('server', 'x'.repeat(57))).toHaveLength(64);
    const [long, other] = ['y', 'z'].map((end) => prefixed('server', 'x'.repeat(80) + end));
    expect(long).toMatch(/^server_x{48}_[0-9a-f]{8}$/);
    expect(other).not.toBe(long);
  });
});

/** Few names, so that they meet, and some that look like those that are given. */
const word = fc.oneof(
  fc.constantFrom(
    'x',
    'a',
    'b',
    'a_x',
    'a_a_x',
    'a b',
    'a.b',
    'x'.repeat(64),
    '文',
    '__proto__',
    'constructor',
  ),
  fc.string({ minLength: 1, maxLength: 80 }),
);
const servers = fc.constantFrom('a', 'b', 'a_a', 'a b', 'a.b', 'constructor', 's'.repeat(70));
const claimsOf = fc.uniqueArray(fc.record({ server: servers, shown: word, isYielding: fc.constant(true) }), {
  selector: ({ server, shown }) => JSON.stringify([server, shown]),
  maxLength: 30,
});
const told = ({ placed }: ReturnType<typeof place>): string[] =>
  [...placed].map(([{ server, shown }, { name }]) => JSON.stringify([server, shown, name])).toSorted();

describe('whatever servers have', () => {
  it('no two tools have one name, and all that are renamed have one that every model takes', () => {
    fc.assert(
      fc.property(claimsOf, (claims) => {
        const { placed } = place(claims);
        const names = [...placed.values()].map(({ name }) => name);
        expect(new Set(names).size).toBe(claims.length);
        for (const { step, name } of placed.values())
          if (step > 0) {
            expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
            expect(name?.length).toBeLessThanOrEqual(longestName);
          }
      }),
    );
  });

  it('who is renamed is exactly who has a name that another server has', () => {
    fc.assert(
      fc.property(claimsOf, (claims) => {
        for (const [{ server, shown }, { step }] of place(claims).placed)
          expect(step > 0).toBe(claims.some((c) => c.shown === shown && c.server !== server));
      }),
    );
  });

  it('names do not depend on the order in which they come', () => {
    fc.assert(
      fc.property(
        claimsOf.chain((claims) =>
          fc.tuple(fc.constant(claims), fc.shuffledSubarray(claims, { minLength: claims.length })),
        ),
        ([claims, shuffled]) => {
          expect(told(place(shuffled))).toEqual(told(place(claims)));
        },
      ),
    );
  });

  it('somebody more never gives a tool back a name that it had to give up', () => {
    fc.assert(
      fc.property(claimsOf, fc.nat(), (claims, n) => {
        const some = place(claims.filter((_, at) => at !== n % Math.max(1, claims.length)));
        const { placed } = place(claims);
        for (const [one, { step }] of some.placed) expect(placed.get(one)?.step).toBeGreaterThanOrEqual(step);
      }),
    );
  });
});
