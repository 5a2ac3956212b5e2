import type { ConfigEntry, ServerData, SharedData, Step } from '../../stage/plan/plan.ts';
import { drawFault, vocabulary, type Fault, type Word } from '../../fault-server/words/fault.ts';
import type { Act, Cast } from './cast.ts';
import { drawParams } from './draw-calling.ts';
import { between, chance, oneOf, spread, streamOf, weighed, type Random } from './streams.ts';

type CallStep = Extract<Step, { do: 'call' }>;

/** Often at the same time as something else, because that is where the races are. */
function timesOf(random: Random, forMs: number, others: readonly number[] = []): () => number {
  const known = [...others];
  return () => {
    const near = known.length > 0 && chance(random, 0.4) ? oneOf(random, known) : undefined;
    const at =
      near === undefined ? between(random, 0, forMs) : Math.min(forMs, near + between(random, 0, 60));
    known.push(at);
    return at;
  };
}

const timeoutOf = (random: Random): number => (chance(random, 0.05) ? 0 : spread(random, 50, 30_000));

export function drawCalls(cast: Cast, count: number): Act[] {
  const { seed, forMs, servers, hasOffice, among } = cast;
  const isAmong = (fault: string): boolean => vocabulary.some((word) => word.fault === fault && among(word));
  const tools = servers.flatMap((server) => Object.keys(server.tools ?? {}));
  const time = timesOf(streamOf(seed, 'agent', 'times'), forMs);
  return Array.from({ length: count }, (_, n): Act[] => {
    // A stream for each call, so that one call less changes no other.
    const random = streamOf(seed, `call:${n + 1}`, 'call');
    const call = `call${n + 1}`;
    const by = hasOffice && chance(random, 0.7) ? 'agent' : 'host';
    const tool = chance(random, 0.04) ? 'nothing' : oneOf(random, tools);
    const at = time();
    const asked: CallStep = {
      do: 'call',
      call,
      by,
      tool,
      ...drawParams(seed, call),
      reqId: call,
      timeoutMs: timeoutOf(random),
    };
    const acts: Act[] = [{ at, step: asked }];
    if (chance(random, 0.2))
      acts.push({ at: at + spread(random, 1, 5000) - 1, step: { do: 'cancel', call } });
    if (by === 'agent' && chance(random, 0.05) && isAmong('agent.duplicateCall'))
      acts.push({ at: at + between(random, 0, 100), step: again(call) });
    return acts;
  }).flat();
}
const again = (call: string): Step => ({
  do: 'fault',
  fault: { fault: 'agent.duplicateCall' },
  call,
  as: `${call}.again`,
});

const desktopQuery = (random: Random, uris: readonly string[]): Record<string, unknown> => ({
  ...(chance(random, 0.4) && { desktop_size: between(random, 0, 4) }),
  ...(chance(random, 0.15) && { window: oneOf(random, uris) }),
});
const finderQuery = (random: Random): Record<string, unknown> => ({
  ...(chance(random, 0.3) && { keywords: [oneOf(random, ['drawn', 'after change 1', 'nothing'])] }),
  ...(chance(random, 0.15) && { file_type: oneOf(random, ['md', 'pdf']) }),
  ...(chance(random, 0.3) && { offset: between(random, 0, 4) }),
  ...(chance(random, 0.3) && { limit: oneOf(random, [0, 1, 3, 200]) }),
});
function uriOf(random: Random, uris: readonly string[]): string {
  const uri = oneOf(random, uris);
  const part = uri.startsWith('dpe://') ? `${uri}/pages/0` : uri;
  if (chance(random, 0.55)) return uri;
  return oneOf(random, [
    part,
    'window://s1/new1',
    'dpe://elsewhere/1',
    'dpe://',
    'window://s1/?priority=900',
  ]);
}
export function drawQuestions(
  { seed, forMs, servers, hasOffice }: Cast,
  count: number,
  others: readonly Act[],
): Act[] {
  const uris = servers.flatMap(({ resources = [] }) => resources);
  const times = others.map(({ at }) => at);
  const time = timesOf(streamOf(seed, 'asker', 'times'), forMs, times);
  return Array.from({ length: uris.length > 0 ? count : Math.min(count, 1) }, (_, n): Act[] => {
    const random = streamOf(seed, `ask:${n + 1}`, 'ask');
    const by = hasOffice && chance(random, 0.5) ? 'agent' : 'host';
    const [ask, at] = [`ask${n + 1}`, time()];
    if (uris.length > 0 && chance(random, 0.25))
      return [{ at, step: { do: 'read', ask, by, uri: uriOf(random, uris) } }];
    const collection = oneOf(random, ['desktop', 'finder'] as const);
    const query =
      collection === 'finder' ? finderQuery(random) : desktopQuery(random, [...uris, 'window://none']);
    return [{ at, step: { do: 'show', ask, by, collection, query } }];
  }).flat();
}

const troubles = {
  kill: 4,
  stop: 2,
  start: 2,
  restart: 2,
  swizzle: 1,
  config: 2,
  values: 4,
  watch: 3,
  bounce: 2,
  fault: 8,
} as const;
/** No run has them: the generator emits the other steps that they are made of. */
export const spelledOut: ReadonlySet<string> = new Set(['sched.swizzle', 'host.stop']);
/** These are drawn in a place of their own. */
const elsewhere = new Set(['agent.duplicateCall', 'sched.permuteTies']);
const sharedWords = vocabulary.filter(({ layer }) => layer === 'blob' || layer === 'skill');
const outsideWords = vocabulary.filter(
  (word) =>
    word.where !== 'server' &&
    word.where !== 'launch' &&
    word.later === undefined &&
    !spelledOut.has(word.fault) &&
    !elsewhere.has(word.fault) &&
    !sharedWords.includes(word),
);
const needsOffice = ({ where }: Word): boolean => where === 'net' || where === 'agent';

function troubleAt(cast: Cast, n: number, at: number, words: readonly Word[]): Act[] {
  const { seed, servers, hasOffice, among } = cast;
  const random = streamOf(seed, `trouble:${n}`, 'trouble');
  const { name: server, resources } = oneOf(random, servers);
  const start: Step = { do: 'start', server };
  const stop: Step = { do: 'stop', server };
  const weights = {
    ...troubles,
    kill: vocabulary.some((word) => word.fault === 'proc.kill' && among(word)) ? troubles.kill : 0,
    fault: words.length > 0 ? troubles.fault : 0,
    watch: resources ? troubles.watch : 0,
  };
  switch (weighed(random, weights)) {
    case 'kill':
      return [{ at, step: { do: 'kill', server, signal: oneOf(random, ['SIGKILL', 'SIGSEGV', 'SIGABRT']) } }];
    case 'stop':
      return [{ at, step: stop }];
    case 'start':
      return [{ at, step: start }];
    case 'restart':
      return [
        { at, step: stop },
        { at: at + (chance(random, 0.5) ? 0 : spread(random, 1, 5000)), step: start },
      ];
    case 'swizzle':
      return swizzled(random, servers, at);
    case 'values':
      return valued(random, cast, server, at);
    case 'config':
      return [{ at, step: { do: 'config', servers: configured(random, servers) } }];
    case 'watch':
      return [
        { at, step: { do: 'watch', server, uris: (resources ?? []).filter(() => chance(random, 0.7)) } },
      ];
    case 'bounce': {
      const who = hasOffice ? oneOf(random, ['office', 'computer', 'agent'] as const) : 'computer';
      const back = at + (chance(random, 0.3) ? between(random, 0, 50) : spread(random, 50, 20_000));
      const twice = chance(random, 0.3) ? [{ at, step: { do: 'close', who } as const }] : [];
      return [{ at, step: { do: 'close', who } }, ...twice, { at: back, step: { do: 'begin', who } }];
    }
    case 'fault':
      return [
        { at, step: { do: 'fault', fault: placed(random, cast, drawFault(random, oneOf(random, words))) } },
      ];
  }
}
function placed(random: Random, { servers }: Cast, fault: Fault): Fault {
  if (fault.fault !== 'sched.delayDelivery') return fault;
  const { name } = oneOf(random, servers);
  const actors = ['computer', `computer/client:${name}`, 'computer/link', 'agent', 'agent/link', 'office'];
  return { ...fault, actor: oneOf(random, actors) };
}
const configured = (random: Random, servers: readonly ServerData[]): ConfigEntry[] =>
  servers
    .filter(() => chance(random, 0.85))
    .map(({ name, tools = {} }) => ({
      name,
      ...(chance(random, 0.4) && { generation: between(random, 1, 4) }),
      ...(chance(random, 0.15) && { forbidden: [oneOf(random, Object.keys(tools))] }),
      ...(chance(random, 0.1) && { budget: between(random, 1, 6) }),
    }));
function valued(random: Random, { servers }: Cast, server: string, at: number): Act[] {
  const drawn = between(random, 1, 4);
  const values = oneOf(random, [drawn, drawn, drawn, drawn, drawn, 'none', 'never'] as const);
  const slowly = chance(random, 0.3) && { ms: spread(random, 1, 3000) };
  const later = at + (chance(random, 0.5) ? 0 : spread(random, 1, 5000));
  const then = later + (chance(random, 0.5) ? 0 : spread(random, 1, 1000));
  const [start, stop] = [{ do: 'start', server } as const, { do: 'stop', server } as const];
  const all = servers.map(({ name }) => ({ name }));
  const without = all.filter(({ name }) => name !== server);
  const follow: readonly Act[][] = [
    [
      { at: later, step: stop },
      { at: then, step: start },
    ],
    [{ at: later, step: start }],
    [
      { at: later, step: { do: 'config', servers: without } },
      { at: then, step: { do: 'config', servers: all } },
    ],
    [{ at: later, step: { do: 'config', servers: [...without, { name: server, values: drawn }] } }],
    [],
  ];
  return [{ at, step: { do: 'values', server, values, ...slowly } }, ...oneOf(random, follow)];
}
function swizzled(random: Random, servers: readonly ServerData[], at: number): Act[] {
  const chosen = servers.filter(() => chance(random, 0.6)).map(({ name }) => name);
  const stops = chosen.map((server, i): Act => ({ at: at + i * 10, step: { do: 'stop', server } }));
  const later = at + spread(random, 1, 5000);
  const starts = chosen
    .map((server) => ({ server, turn: random() }))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ server }, i): Act => ({ at: later + i * 10, step: { do: 'start', server } }));
  return [...stops, ...starts];
}

export function drawTroubles(cast: Cast, count: number): Act[] {
  const { seed, forMs, among, hasOffice } = cast;
  const words = outsideWords.filter((word) => among(word) && (hasOffice || !needsOffice(word)));
  const time = timesOf(streamOf(seed, 'world', 'times'), forMs);
  return Array.from({ length: count }, (_, n) => troubleAt(cast, n + 1, time(), words)).flat();
}

const sharedSkills = { pdf: { 'SKILL.md': 'How to read a PDF' }, word: { 'SKILL.md': 'How to write' } };
export function drawShares({ seed, forMs, hasOffice, among }: Cast): {
  readonly acts: readonly Act[];
  readonly shares?: SharedData;
} {
  const random = streamOf(seed, 'day', 'shares');
  if (!hasOffice || !chance(random, 0.4)) return { acts: [] };
  const landing = { idleMs: spread(random, 500, 30_000), isApproved: chance(random, 0.7) };
  const time = timesOf(streamOf(seed, 'shares', 'times'), forMs);
  const asked = Array.from({ length: spread(random, 1, 12) }, (_, n): Act => {
    const [ask, bytes] = [`shared${n + 1}`, spread(random, 1, 20_000)];
    const name = oneOf(random, ['pdf', 'word', 'none', undefined]);
    const step = oneOf(random, [
      { do: 'put', ask, bytes },
      { do: 'fetch', ask, bytes },
      { do: 'skill', ask, ...(name !== undefined && { name }) },
    ] as const);
    return { at: time(), step };
  });
  const words = sharedWords.filter(among);
  const faults = Array.from({ length: words.length > 0 ? between(random, 0, 3) : 0 }, (): Act => {
    return { at: time(), step: { do: 'fault', fault: drawFault(random, oneOf(random, words)) } };
  });
  return { acts: [...asked, ...faults], shares: { skills: sharedSkills, landing } };
}
