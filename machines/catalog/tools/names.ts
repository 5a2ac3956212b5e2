/**
 * Names for tools of which several servers have one. Who is called what follows from what is claimed and from nothing
 * else: neither from the order of servers or tools, nor from who runs.
 */
import { fnv, fnvBasis } from '../../kernel/fnv.ts';
import { remembered } from '../../kernel/objects.ts';

/** One tool of one server, and what it would be called there: its alias, or its own name. */
export interface Claim {
  readonly server: string;
  readonly shown: string;
  /** It takes another name where somebody has that one, too (`onConflict: "prefix"`). */
  readonly isYielding: boolean;
}
/** What it is called: at step 0 as it would be, then with its server's name, then with a mark, too. */
export interface Placed {
  readonly step: number;
  /** Null: all of its names are taken. */
  readonly name: string | null;
}
export interface Placing {
  readonly placed: ReadonlyMap<Claim, Placed>;
  /** Every name that somebody gave up, and all who are or would be called so. */
  readonly conflicting: ReadonlyMap<string, readonly Claim[]>;
}

/** What every provider of models takes: `[A-Za-z0-9_-]{1,64}`. */
export const longestName = 64;
const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
/** 32 bits that tell two tools apart whose names came out as one. */
export const markOf = (step: number, { server, shown }: Claim): string =>
  (fnv(fnvBasis, JSON.stringify([step, server, shown])) >>> 0).toString(16).padStart(8, '0');
/** By chance nobody comes this far: each step has another mark. */
const lastStep = 4;

/** Claims live as long as the lists that they come from, and are placed with every change of any. */
const plain = remembered(({ server, shown }: Claim): string => `${safe(server)}_${safe(shown)}`);
/** What a tool is called with the name of its server before its own. Cut, it ends with a mark. */
function nameAt(step: number, claim: Claim, mark: typeof markOf): string {
  if (step === 0) return claim.shown;
  const name = plain(claim);
  if (step === 1 && name.length <= longestName) return name;
  const end = `_${mark(step, claim)}`;
  return name.slice(0, longestName - end.length) + end;
}
/** `server_tool`: the name that a person is told to give, and that `prefix` gives where it is free. */
export const prefixed = (server: string, shown: string): string =>
  nameAt(1, { server, shown, isYielding: true }, markOf);

/**
 * Everybody begins with the name that he would have. Of those who come to one name, only he keeps it who came there in
 * fewer steps than all others; every other goes a step on, and none comes back to a name that another has left. So
 * somebody more moves others on, never back: in whatever order they come, they end with the same names. Who does not
 * yield stays: of several of them, whoever builds the table takes the first.
 */
export function place(claims: readonly Claim[], mark = markOf): Placing {
  const placed = new Map<Claim, Placed>();
  const at = new Map<string, { lowest: number; alone: Claim | null; readonly claims: Claim[] }>();
  const moves: { readonly claim: Claim; readonly step: number }[] = [];
  const moveOn = (claim: Claim | null, from: number): void => {
    if (claim?.isYielding) moves.push({ claim, step: from + 1 });
  };
  const arrive = (claim: Claim, step: number): void => {
    const name = step > lastStep ? null : nameAt(step, claim, mark);
    placed.set(claim, { step, name });
    if (name === null) return;
    const there = at.get(name);
    if (!there) return void at.set(name, { lowest: step, alone: claim, claims: [claim] });
    there.claims.push(claim);
    if (step <= there.lowest) {
      moveOn(there.alone, there.lowest);
      there.alone = step < there.lowest ? claim : null;
    }
    if (step >= there.lowest) moveOn(claim, step);
    there.lowest = Math.min(there.lowest, step);
  };
  for (const claim of claims) arrive(claim, 0);
  for (let next = moves.pop(); next; next = moves.pop()) arrive(next.claim, next.step);
  const shared = [...at].filter(([, { claims: some }]) => some.length > 1 && some.some((c) => c.isYielding));
  return { placed, conflicting: new Map(shared.map(([name, { claims: some }]) => [name, some])) };
}
