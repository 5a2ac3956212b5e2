import { parsed } from './parsed.ts';
import { isMachine, isTest, lineAt, type Violation, type Source } from './source.ts';

/** A word that does not stand in some places of this house, and what to take in its place. */
export interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly instead: string;
  readonly where: (path: string) => boolean;
  /** Look into comments and not into code. */
  readonly prose?: true;
  /** A line that carries this mark and a reason is let through. */
  readonly unless?: RegExp;
}

const everywhere = (): boolean => true;
const starting = (...starts: string[]) => {
  const inside = (path: string): boolean => starts.some((start) => path.startsWith(start));
  return { inside, outside: (path: string) => !inside(path) };
};
const pure = (path: string): boolean => path.startsWith('machines/') && !isTest(path);

/** What would let time, chance or the platform into the pure room. */
export const purity: readonly Ban[] = [
  { what: 'Date.now', pattern: /\bDate\.now\b/g, instead: 'now from input or from the event', where: pure },
  {
    what: 'new Date(',
    pattern: /\bnew Date\b/g,
    instead: 'a time from input or from the event',
    where: pure,
  },
  { what: 'performance.now', pattern: /\bperformance\b/g, instead: 'a time from the event', where: pure },
  { what: 'Math.random', pattern: /\bMath\.random\b/g, instead: 'the port random', where: pure },
  { what: 'randomUUID', pattern: /\brandomUUID\b/g, instead: 'an id from input', where: pure },
  {
    what: 'setTimeout',
    pattern: /\bset(Timeout|Interval|Immediate)\b/g,
    instead: 'after, or the effect setDeadline',
    where: pure,
  },
  { what: 'process.', pattern: /(?<![.\w])process\./g, instead: 'a value from input', where: pure },
  { what: 'throw', pattern: /\bthrow\b/g, instead: 'a state and an output', where: isMachine },
  { what: 'async', pattern: /\basync\b|\bawait\b/g, instead: 'a callback port', where: isMachine },
];

const noSpawn = starting(
  'adapters/process/',
  'scenarios/bench/',
  'scenarios/fixtures/',
  'scenarios/contracts/',
  'scenarios/lifecycle/',
);
const noStreams = starting('adapters/terminal/', 'adapters/documents/', 'actors/main');
const noConsole = starting('adapters/terminal/', 'actors/main', 'scenarios/fixtures/', 'scenarios/bench/');

/** What costs somebody a day, each with its replacement. */
export const general: readonly Ban[] = [
  {
    what: 'createActor(',
    pattern: /\bcreateActor\s*[<(]/g,
    instead: 'the directory opens roots (actors/runtime/assemble.ts)',
    where: starting('actors/', 'scenarios/').outside,
  },
  {
    what: '.provide(',
    pattern: /\.provide\(/g,
    instead: 'fill ports in actors/runtime/assemble.ts',
    where: starting('actors/runtime/assemble.ts', 'scenarios/').outside,
  },
  {
    what: 'spawn(',
    pattern: /(?<![.\w])(spawn|spawnSync|fork)\(/g,
    instead: 'the port process (adapters/process keeps the ledger)',
    where: (path) => noSpawn.outside(path) && !isTest(path),
  },
  {
    what: 'console.',
    pattern: /\bconsole\./g,
    instead: 'a line through adapters/terminal',
    where: noConsole.outside,
  },
  {
    what: 'process.stdout',
    pattern: /\bprocess\.std(out|err)\b/g,
    instead: 'a line through adapters/terminal, which escapes what a terminal would obey',
    where: (path) => /^(machines|adapters|actors)\//.test(path) && noStreams.outside(path) && !isTest(path),
  },
  {
    what: 'any',
    pattern: /(?<=\bas\s|:\s*|<|,\s*)any\b(?=\s*[>,;)=[\]|&{}\n]|$)/g,
    instead: 'unknown, and a schema or a guard',
    where: everywhere,
  },
  {
    what: '@ts-ignore',
    pattern: /@ts-(ignore|nocheck)\b/g,
    instead: '@ts-expect-error with a reason, or the right type',
    where: everywhere,
    prose: true,
  },
  {
    what: 'a note to do it later',
    pattern: /\b(FIXME|TODO|XXX)\b/g,
    instead: 'do it, or write a decision',
    where: everywhere,
    prose: true,
  },
  {
    what: 'a test switched on or off',
    pattern: /\b(it|test|describe|scenario|suite)(\.\w+)*\.(only|skip)\(/g,
    instead: 'run all of them; skipIf with a reason where the platform lacks something',
    where: isTest,
  },
  {
    what: 'a sleep in a test',
    pattern: /(?<![.\w])(globalThis\.)?setTimeout\(/g,
    instead: 'virtual time, or wait for the event (`// real time: why` lets a line through)',
    where: isTest,
    unless: /\/\/ real time: \S/,
  },
];

export function banViolations(sources: readonly Source[], bans: readonly Ban[]): Violation[] {
  return sources.flatMap((source) => {
    const lines = source.text.split('\n');
    return bans
      .filter(({ where }) => where(source.path))
      .flatMap(({ what, pattern, instead, prose, unless }) => {
        const view = prose ? parsed(source).comments : parsed(source).code;
        return [...view.matchAll(pattern)]
          .map(({ index }) => lineAt(source.text, index))
          .filter((line) => !unless?.test(lines[line - 1] ?? ''))
          .map((line) => ({
            path: source.path,
            line,
            what: `${what} is banned`,
            instead: `take ${instead}`,
          }));
      });
  });
}
