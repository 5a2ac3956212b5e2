import { z } from 'zod';
import { nearest } from '../nearest.mjs';
import vocabularyData from './words.json' with { type: 'json' };

export const layers = [
  'proc',
  'frame',
  'life',
  'rpc',
  'notify',
  'list',
  'resource',
  'net',
  'host',
  'agent',
  'blob',
  'skill',
  'sched',
] as const;
export const moments = [
  'start',
  'initialize',
  'ready',
  'list',
  'call',
  'read',
  'stdinEnd',
  'sigterm',
] as const;
/** Moment in the life of a server. */
export type Moment = (typeof moments)[number];
/** The server, its launch, or a player of the wire to the office, the host, the agent or the clock. */
export const places = ['server', 'launch', 'net', 'host', 'agent', 'sched'] as const;
type Value = string | number | boolean;

const range = z.tuple([z.int(), z.int()]);
const paramSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('integer'),
    default: z.int(),
    oneOf: z.array(z.int()).min(1).optional(),
    min: z.int(),
    max: z.int().optional(),
    /** A scenario may use values outside of it. */
    draw: range,
    means: z.string(),
  }),
  z.strictObject({
    type: z.literal('string'),
    default: z.string(),
    oneOf: z.array(z.string()).min(1).optional(),
    means: z.string(),
  }),
  z.strictObject({ type: z.literal('boolean'), default: z.boolean(), means: z.string() }),
]);
export type Param = z.infer<typeof paramSchema>;

const wordSchema = z.strictObject({
  fault: z.templateLiteral([z.enum(layers), '.', z.string()]),
  layer: z.enum(layers),
  where: z.enum(places),
  /** Without it, both. */
  over: z.enum(['stdio', 'http']).optional(),
  means: z.string(),
  /** The usual one first; without them, the player decides. */
  when: z.array(z.enum(moments)).min(1).optional(),
  params: z.record(z.string(), paramSchema),
  /** Feature that must exist before the fault can be used. */
  later: z.string().optional(),
});
export type Word = z.infer<typeof wordSchema>;

/** Checked on load, so that a mistake in the data fails at the start. */
export const vocabulary: readonly Word[] = z.array(wordSchema).parse(vocabularyData);
const words = new Map(vocabulary.map((word) => [word.fault as string, word]));
/** `stdio` is a child process, `http` a server at a URL. */
export const isOver = ({ over }: Word, way: 'stdio' | 'http'): boolean => over === undefined || over === way;
export const wordOf = (fault: string): Word | undefined => words.get(fault);

/** Fault of a server with all its clauses; its own parameters are further properties. */
export interface Fault {
  /** Word of the vocabulary, as `a2c-fault-server --list` prints them. */
  readonly fault: string;
  /** Moment for which the fault waits; by default the usual one of its word. */
  readonly when?: Moment;
  /** Name of the tool whose calls have the fault; by default all calls. */
  readonly tool?: string;
  /** Delay in ms after the moment; by default none. */
  readonly afterMs?: number;
  /** Number of the first such moment of a process that has the fault, counted from 1; by default the first. */
  readonly from?: number;
  /** Number of times that the fault happens; by default without limit. */
  readonly times?: number;
  /** Probability of the fault at each such moment, from 0 to 1; by default it always happens. */
  readonly p?: number;
  readonly [param: string]: string | number | boolean | undefined;
}

const longestMs = 2_147_000_000;
const clauses = {
  tool: z.string().optional(),
  afterMs: z.int().min(0).max(longestMs).optional(),
  from: z.int().min(1).optional(),
  times: z.int().min(1).optional(),
  p: z.number().min(0).max(1).optional(),
};

function schemaOfParam(param: Param): z.ZodType<Value> {
  if (param.type === 'boolean') return z.boolean().default(param.default);
  if (param.type === 'string')
    return (param.oneOf ? z.enum(param.oneOf as [string, ...string[]]) : z.string()).default(param.default);
  if (param.oneOf) return z.literal(param.oneOf).default(param.default);
  const { min, max = Number.MAX_SAFE_INTEGER } = param;
  return z.int().min(min).max(max).default(param.default);
}

const schemas = new Map<string, z.ZodObject>(
  vocabulary.map(({ fault, when, params }) => {
    const [usual] = when ?? [];
    const common = when && usual ? { when: z.enum(when).default(usual), ...clauses } : {};
    const own = Object.fromEntries(
      Object.entries(params).map(([name, param]) => [name, schemaOfParam(param)]),
    );
    return [fault, z.strictObject({ fault: z.literal(fault), ...common, ...own })] as const;
  }),
);

const orElse = (word: string, known: readonly string[], otherwise: string): string => {
  const near = nearest(word, known);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : otherwise;
};

function mistakeIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'a fault is an object';
  const { fault } = value as { fault?: unknown };
  if (typeof fault !== 'string') return 'it has no fault, such as "fault":"proc.exit"';
  const [word, schema] = [words.get(fault), schemas.get(fault)];
  if (!word || !schema)
    return `unknown fault ${fault} — ${orElse(fault, [...words.keys()], 'words.json has them all')}`;
  if (word.later !== undefined) return `${fault} cannot be done yet: it waits for ${word.later}`;
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    return `${fault}: unknown parameter ${unknown} — ${orElse(unknown, known, `known: ${known.slice(1).join(', ')}`)}`;
  const { when = word.when?.[0], tool } = value as { when?: unknown; tool?: unknown };
  if (tool !== undefined && when !== 'call') return `${fault}.tool: only a call has a tool`;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && `${fault}.${issue.path.join('.')}: ${issue.message}`;
}

export const faultSchema: z.ZodType<Fault> = z.unknown().transform((value, context): Fault => {
  const mistake = mistakeIn(value);
  if (mistake === undefined) return schemas.get((value as Fault).fault)?.parse(value) as Fault;
  context.addIssue({ code: 'custom', message: mistake });
  return z.NEVER;
});
export const faultsSchema: z.ZodType<Fault[]> = z.array(faultSchema);

const parsed = <Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const told = result.error.issues.map(({ path: [at], message }) =>
    at === undefined ? message : `[${String(at)}] ${message}`,
  );
  throw new Error(told.join('\n'));
};
/** The error names the nearest known words. */
export const parseFault = (value: unknown): Fault => parsed(faultSchema, value);
export const parseFaults = (value: unknown): Fault[] => parsed(faultsSchema, value);

export interface DrawOptions {
  /** Words that wait for a feature are never drawn. */
  readonly among?: (word: Word) => boolean;
  readonly tools?: readonly string[];
}
export interface DrawnFault {
  readonly weight: number;
  readonly fault: Fault;
}
/** From 0 up to, but not including, 1. */
type Random = () => number;

const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));
const oneOf = <T>(random: Random, items: readonly [T, ...T[]] | readonly T[]): T =>
  items[between(random, 0, items.length - 1)] as T;

/** Small numbers are as likely as large ones, because a delay of 10 ms finds other bugs than one of 10 s. */
function drawParam(random: Random, param: Param): Value {
  if (param.type === 'boolean') return random() < 0.5;
  if (param.type === 'string') return param.oneOf ? oneOf(random, param.oneOf) : param.default;
  if (param.oneOf) return oneOf(random, param.oneOf);
  const [low, high] = param.draw;
  if (low < 1) return between(random, low, high);
  return Math.min(high, Math.floor(low * ((high + 1) / low) ** random()));
}

export function drawFault(
  random: Random,
  { fault, when, params }: Word,
  tools: readonly string[] = [],
): Fault {
  const own = Object.entries(params).map(([name, param]) => [name, drawParam(random, param)] as const);
  if (!when) return { fault, ...Object.fromEntries(own) };
  const moment = random() < 0.5 ? when[0] : oneOf(random, when);
  return {
    fault,
    ...(moment && { when: moment }),
    ...Object.fromEntries(own),
    ...(moment === 'call' && tools.length > 0 && random() < 0.5 && { tool: oneOf(random, tools) }),
    ...(random() < 0.3 && { from: between(random, 2, 6) }),
    ...((random() < 0.5 || leadsToItself(fault, moment)) && { times: between(random, 1, 3) }),
  };
}
/** Its receiver asks again, which causes the next notification. */
const leadsToItself = (fault: string, moment: Moment | undefined): boolean =>
  moment === 'list' && /^notify\.|^list\.flap$/.test(fault);

/** At least one; most words are left out of each run. */
export function drawFaults(
  random: Random,
  { among = () => true, tools = [] }: DrawOptions = {},
): DrawnFault[] {
  const words = vocabulary.filter((word) => word.later === undefined && among(word));
  if (words.length === 0) return [];
  const share = random();
  const on = words.filter(() => random() < share);
  return (on.length > 0 ? on : [oneOf(random, words)]).map((word) => ({
    weight: between(random, 1, 100),
    fault: drawFault(random, word, tools),
  }));
}
