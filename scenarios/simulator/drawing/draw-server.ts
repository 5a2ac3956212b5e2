import type { Behaviour, ServerData, ToolData } from '../../stage/plan/plan.ts';
import {
  drawFaults,
  isOver,
  type DrawnFault,
  type Fault,
  type Word,
} from '../../fault-server/words/fault.ts';
import { withCalling } from './draw-calling.ts';
import { between, chance, spread, streamOf, type Random } from './streams.ts';

export interface Weather {
  readonly seed: number;
  /** 0 is a run without faults, 1 one with many. */
  readonly intensity: number;
  readonly among: (word: Word) => boolean;
}
const isServers = ({ where }: Word): boolean => where === 'server' || where === 'launch';
const mostStarts = 6;

const toolOf = (random: Random): ToolData => ({
  ...(chance(random, 0.7) && { takes: spread(random, 1, 20_000) }),
  ...(chance(random, 0.25) && { changes: true }),
});
/** A tool that clashes has the name of another server's first, if there is one, or of its own. */
const placed = (random: Random, { weight, fault }: DrawnFault): DrawnFault =>
  fault.fault === 'list.nameClash'
    ? { weight, fault: { ...fault, name: `s${between(random, 1, 3)}.t1` } }
    : { weight, fault };
const happening = (random: Random, drawn: readonly DrawnFault[], intensity: number): Fault[] =>
  drawn.filter(({ weight }) => chance(random, (weight / 100) * intensity)).map(({ fault }) => fault);

function behaviours(random: Random, drawn: readonly DrawnFault[], intensity: number): Behaviour[] {
  const starts = between(random, 1, mostStarts);
  return Array.from({ length: starts }, () => ({ faults: happening(random, drawn, intensity) }));
}

function resourcesOf(random: Random, name: string): string[] {
  const host = chance(random, 0.15) ? 'shared' : name;
  const window = (n: number): string => {
    const wishes = [
      ...(chance(random, 0.4) ? [`priority=${between(random, 0, 100)}`] : []),
      ...(n === 2 && chance(random, 0.2) ? ['fullscreen=true'] : []),
    ].join('&');
    return `window://${host}/${n}${wishes && `?${wishes}`}`;
  };
  const windows = Array.from({ length: between(random, 0, 6) }, (_, n) => window(n + 1));
  const documents = Array.from({ length: between(random, 0, 4) }, (_, n) => `dpe://${host}/d${n + 1}`);
  return [
    ...(chance(random, 0.7) ? windows : []),
    ...(chance(random, 0.6) ? documents : []),
    ...(chance(random, 0.15) ? [`dpe://${host}`] : []),
    ...(chance(random, 0.5) ? [`note://${name}/1`, `note://${name}/2`] : []),
  ];
}

const drawReads = (random: Random, among: (word: Word) => boolean, tools: readonly string[]): DrawnFault[] =>
  drawFaults(random, { among, tools }).map(({ weight, fault: { tool, ...fault } }) =>
    fault.fault.startsWith('resource.') && chance(random, 0.6)
      ? { weight, fault: { ...fault, ...(tool !== undefined && fault.when === 'call' && { tool }) } }
      : { weight, fault: { ...fault, when: 'read' } },
  );

const kindOf = (random: Random): Partial<ServerData> => ({
  ...(chance(random, 0.3) && { isRemote: true }),
  ...(chance(random, 0.15) && { isLazy: true }),
  ...(chance(random, 0.1) && { restart: 'always' as const }),
  ...(chance(random, 0.1) && { hearsChanges: false }),
  ...(chance(random, 0.2) && { refreshFailures: between(random, 1, 4) }),
});

export function drawServer(environment: Weather, name: string): ServerData {
  return withCalling(environment.seed, drawnServer(environment, name));
}
function drawnServer({ seed, intensity, among }: Weather, name: string): ServerData {
  const path = `computer/client:${name}`;
  const of = (purpose: string): Random => streamOf(seed, path, purpose);
  const [making, config, kind, having] = [of('tools'), of('config'), of('kind'), of('resources')];
  const names = Array.from({ length: between(making, 1, 3) }, (_, n) => `${name}.t${n + 1}`);
  const tools = Object.fromEntries(names.map((tool) => [tool, toolOf(making)]));
  const clashing = of('clash');
  const options = kindOf(kind);
  const way = options.isRemote ? 'http' : 'stdio';
  const resources = chance(having, 0.5) ? resourcesOf(having, name) : [];
  const can = (word: Word): boolean =>
    isServers(word) && isOver(word, way) && among(word) && word.layer !== 'resource';
  const isOfReads = (word: Word): boolean =>
    isServers(word) && isOver(word, way) && among(word) && word.when?.includes('read') === true;
  const isNet = ({ layer }: Word): boolean => layer === 'net';
  const net = of('net');
  // A server that cannot be reached forgets no session: half of those at a URL have no other fault.
  const isSound = way === 'http' && chance(net, 0.5);
  const drawn = [
    ...drawFaults(of('faults'), { among: (word) => can(word) && !isNet(word) && !isSound, tools: names }),
    ...drawFaults(net, { among: (word) => can(word) && isNet(word), tools: names }),
    ...(resources.length > 0 ? drawReads(of('reads'), isOfReads, names) : []),
  ].map((one) => placed(clashing, one));
  const [first, ...rest] = behaviours(of('starts'), drawn, intensity);
  const later = Object.fromEntries(rest.map((behaviour, n) => [n + 2, behaviour]));
  return {
    name,
    tools,
    ...first,
    ...(rest.length > 0 && { later }),
    ...(chance(config, 0.1) && { autoStart: false }),
    ...(chance(config, 0.1) && { restart: false }),
    ...options,
    ...(chance(config, 0.4) && { budget: between(config, 1, 6) }),
    ...(chance(config, 0.1) && { forbidden: names.slice(0, 1) }),
    ...(resources.length > 0 && { resources }),
    ...(chance(config, 0.5) && {
      secret: seed % 3 === 0 ? `q${seed % 10}~${name[0] ?? ''}` : `canary-${name}-${seed}`,
    }),
  };
}
