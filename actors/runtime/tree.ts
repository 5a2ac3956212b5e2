import type { Address } from '../../machines/kernel/effects.ts';
import type { Directory, Root, Observer } from './directory.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

interface Life {
  readonly openedAt: number;
  readonly timers: Map<number, number>;
}
/** Times in ms. */
export interface TreeNode {
  readonly address: Address;
  readonly kind: string;
  readonly state: string;
  readonly ageMs: number;
  readonly inStateMs: number;
  readonly nextTimerMs: number | null;
  readonly owned: readonly TreeNode[];
}

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value as Record<string, unknown>)
        .map(([key, inner]) => {
          const rest = textOf(inner);
          return rest === '' ? key : `${key}.${rest}`;
        })
        .join(' | ');

export class TreeWatch implements Observer {
  readonly #lives = new Map<Address, Life>();
  readonly #now: () => number;
  constructor(now: () => number) {
    this.#now = now;
  }
  record(record: DirectoryRecord): void {
    const now = this.#now();
    if (record.k === 'open') this.#lives.set(record.a, { openedAt: now, timers: new Map() });
    else if (record.k === 'end') this.#lives.delete(record.a);
    else if (record.k === 'timer') this.#timer(record, now);
    else if (record.k === 'in' && record.n !== undefined) this.#lives.get(record.a)?.timers.delete(record.n);
  }
  #timer({ op, a, n, ms = 0 }: Extract<DirectoryRecord, { k: 'timer' }>, now: number): void {
    if (op === 'set') this.#lives.get(a)?.timers.set(n, now + ms);
    else this.#lives.get(a)?.timers.delete(n);
  }
  treeOf(directory: Directory): TreeNode[] {
    return [...directory.roots].filter((root) => !root.owner).map((root) => this.#nodeOf(root));
  }
  #nodeOf(root: Root): TreeNode {
    const now = this.#now();
    const life = this.#lives.get(root.id);
    const due = life && life.timers.size > 0 ? Math.min(...life.timers.values()) : null;
    return {
      address: root.id,
      kind: root.kind,
      state: textOf((root.ref.getSnapshot() as { value: unknown }).value),
      ageMs: Math.round(now - (life?.openedAt ?? now)),
      inStateMs: Math.round(now - root.inStateSince),
      nextTimerMs: due === null ? null : Math.max(0, Math.round(due - now)),
      owned: (root.owned?.values() ?? []).map((owned) => this.#nodeOf(owned)),
    };
  }
}

const shortTime = (ms: number): string => {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
};
export function treeLines(nodes: readonly TreeNode[], indent = ''): string[] {
  return nodes.flatMap((node, i) => {
    const isLast = i === nodes.length - 1;
    const branch =
      indent === '' && node.kind === node.address.split('#')[0] ? '' : `${indent}${isLast ? '└ ' : '├ '}`;
    const name = node.address.slice(node.address.lastIndexOf('/') + 1);
    const next = node.nextTimerMs === null ? '' : `, next timer in ${shortTime(node.nextTimerMs)}`;
    const line = `${branch}${name}  ${node.state}  for ${shortTime(node.inStateMs)}, alive ${shortTime(node.ageMs)}${next}`;
    const below = branch === '' ? ' ' : `${indent}${isLast ? '  ' : '│ '}`;
    return [line, ...treeLines(node.owned, below)];
  });
}
