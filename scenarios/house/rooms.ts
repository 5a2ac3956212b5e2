import type { Edge } from './imports.ts';
import { isTest, type Violation } from './source.ts';

/**
 * Who may import whom (docs/ARCHITECTURE.md). `machine` is a `*.machine.ts`, a part of one (`client.setup.ts`), the
 * index of the machines and the tests beside them; `pure` is everything else in that room. `connection` has state and
 * no IO: the real socket and the scripted network both use it. `contract` may import adapters, because contract suites
 * and benchmarks run on the real ones; drawings are made by the page that shows them.
 */
type Kind =
  | 'pure'
  | 'machine'
  | 'connection'
  | 'adapter'
  | 'adapters'
  | 'actor'
  | 'main'
  | 'scenario'
  | 'contract';

export function kindOf(path: string): Kind | undefined {
  if (/^machines\/(index|.*\/[a-z-]+\.(?!(test|given)\.)[a-z-]+(\.test)?)\.ts$/.test(path)) return 'machine';
  if (path.startsWith('machines/')) return 'pure';
  if (path.startsWith('adapters/connections/')) return 'connection';
  if (/^adapters\/index(\.test)?\.ts$/.test(path)) return 'adapters';
  if (path.startsWith('adapters/')) return 'adapter';
  if (/^actors\/(main[.-]|main\/|commands\/)/.test(path)) return 'main';
  if (path.startsWith('actors/')) return 'actor';
  if (/^scenarios\/(contracts|bench|drawings)\//.test(path)) return 'contract';
  return path.startsWith('scenarios/') ? 'scenario' : undefined;
}

export interface Rules {
  /** From the asker down: a machine imports only machines that stand further right. */
  readonly machines: readonly string[];
  /** Adapter folders that may name another: `mcp → process`. */
  readonly adapters: readonly (readonly [from: string, to: string])[];
}

const allowed: Readonly<Record<Kind, readonly Kind[]>> = {
  pure: ['pure'],
  machine: ['pure', 'machine'],
  connection: ['pure', 'connection'],
  adapter: ['pure', 'connection', 'adapter'],
  adapters: ['pure', 'connection', 'adapter'],
  actor: ['pure', 'machine', 'adapters', 'actor'],
  main: ['pure', 'machine', 'adapters', 'actor', 'main'],
  scenario: ['pure', 'machine', 'connection', 'actor', 'main', 'scenario', 'contract'],
  contract: ['pure', 'machine', 'connection', 'adapter', 'adapters', 'actor', 'main', 'scenario', 'contract'],
};

const instead: Readonly<Record<Kind, string>> = {
  pure: 'pure rules know only pure rules: move the decision into the machine',
  machine:
    'a machine names what it needs as a port (machines/kernel/ports.ts) or as an effect (machines/kernel/effects.ts)',
  connection: 'a connection is handed its transport: it knows the pure rules only',
  adapter: 'an adapter knows its own folder, the pure rules, and machines by `import type` only',
  adapters: 'adapters/index.ts gathers adapter folders and nothing else',
  actor: 'take the adapter from adapters/index.ts',
  main: 'take the adapter from adapters/index.ts, and scenarios by a lazy import()',
  scenario: 'real adapters only in scenarios/contracts/, bench/ and drawings/; end-to-end tests in actors/',
  contract: 'stay within the four rooms',
};

const downwards = 'only downwards, in the order that scenarios/house/house.test.ts has for machines';

export function roomViolations(edges: readonly Edge[], rules: Rules): Violation[] {
  return edges.flatMap((edge) => {
    const from = kindOf(edge.from);
    if (!from || (edge.specifier !== undefined && edge.to === undefined)) return [];
    const violation = (what: string, advice: string): Violation[] => [
      { path: edge.from, line: edge.line, what, instead: advice },
    ];
    if (edge.to === undefined)
      return violation('an import computed at run time', 'write the path as a literal');
    const to = kindOf(edge.to);
    if (!to) return violation(`imports ${edge.to}, which is in no room`, 'move it into a room');
    if (mayImport(edge, edge.to, from, to, rules)) return [];
    const sideways = from === 'machine' && to === 'machine';
    return violation(`${from} imports ${to} ${edge.to}`, sideways ? downwards : instead[from]);
  });
}

function mayImport(edge: Edge, target: string, from: Kind, to: Kind, rules: Rules): boolean {
  if (from === 'main' && (to === 'scenario' || to === 'contract')) return edge.lazy;
  if (from === 'adapter' && to === 'machine') return edge.type;
  if (from === 'adapter' && to === 'adapter') {
    const [own, other] = [folderOf(edge.from), folderOf(target)];
    return own === other || rules.adapters.some(([a, b]) => a === own && b === other);
  }
  if (from === 'machine' && to === 'machine' && !isTest(edge.from) && !edge.from.endsWith('/index.ts')) {
    const [own, other] = [nounOf(edge.from), nounOf(target)];
    const [high, low] = [rules.machines.indexOf(own), rules.machines.indexOf(other)];
    return own === other || (high >= 0 && low > high);
  }
  // What tests of all rooms share; it may know real processes and sockets, as they do.
  if (isTest(edge.from) && target.startsWith('scenarios/fixtures/') && from === 'actor') return true;
  // The command that plays scenarios without a test runner loads them when it does so.
  if (from === 'scenario' && edge.lazy && target.endsWith('.scenario.ts')) return true;
  // Nothing but its own tests may lean on a test.
  return allowed[from].includes(to) && (!isTest(target) || isTest(edge.from));
}

const folderOf = (path: string): string => path.split('/').slice(1, -1)[0] ?? '';
const nounOf = (path: string): string => path.replace(/^.*\//, '').replace(/\..*$/, '');

export interface Allowance {
  readonly where: RegExp;
  /** Exact specifiers; `x/*` takes the paths below x too and `node:*` all of Node. */
  readonly may: readonly string[];
  /** Allowed by `import type` only. */
  readonly types?: readonly string[];
}

/** Packages: a file may import what any row that matches its path allows. */
export function packageViolations(edges: readonly Edge[], table: readonly Allowance[]): Violation[] {
  return edges.flatMap(({ from, line, specifier, to, type }) => {
    if (specifier === undefined || to !== undefined) return [];
    const rows = table.filter(({ where }) => where.test(from));
    const names = rows.flatMap(({ may, types = [] }) => (type ? [...may, ...types] : may));
    if (names.some((name) => covers(name, specifier))) return [];
    const what = `imports ${type ? 'types of ' : ''}${specifier}`;
    return [{ path: from, line, what, instead: `here: ${[...new Set(names)].join(', ') || 'no packages'}` }];
  });
}

const covers = (name: string, specifier: string): boolean =>
  name.endsWith('*')
    ? specifier.startsWith(name.slice(0, -1)) || specifier === name.slice(0, -2)
    : name === specifier;
