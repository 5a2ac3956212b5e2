import { z } from 'zod';

export const profiles = ['boundary', 'steps', 'full'] as const;
/**
 * Amount of detail in a trace. `boundary`: everything that passes between a host and the outside, which is all that a
 * replay compares. `steps` adds the transitions of the machines in between as an explanation, `full` also their
 * contexts.
 */
export type Profile = (typeof profiles)[number];

/** Additions keep the number; any other change raises it and adds a way to read the former one (docs/trace-format.md). */
export const traceFormat = 'a2c-trace/2';

const seq = z.int().min(0);
const time = z.number().min(0);
const address = z.string().min(1);
const event = z.looseObject({ type: z.string() });
const letter = z.looseObject({ to: address, event });
const channel = z.string().min(1);
/** Accepts any number, including Infinity and NaN, because a host may use an infinite time-out. */
const quantity = z.custom<number>((value) => typeof value === 'number', 'a number');
const thrown = z.looseObject({ name: z.string(), message: z.string() });

export const headSchema = z.looseObject({
  s: z.literal(0),
  t: z.literal(0),
  k: z.literal('head'),
  format: z.string(),
  /** Versions of a2c-actors, XState and Node.js that wrote the file. */
  runtime: z.string(),
  xstate: z.string(),
  node: z.string(),
  profile: z.enum(profiles),
  clock: z.enum(['real', 'virtual']),
  /** ISO 8601; only for people to read. */
  started: z.string().nullable(),
  /** 1, unless the ring buffer dropped the beginning. */
  next: seq,
  redaction: z.looseObject({ keyId: z.string().nullable() }),
  title: z.string().optional(),
  /** Ends at a moment that a person chose, so that it has no tail. */
  cut: z.boolean().optional(),
});
export type Head = z.infer<typeof headSchema>;

export const tailSchema = z.looseObject({
  s: seq,
  t: time,
  k: z.literal('tail'),
  /** `closed` when everything had ended, otherwise the cause of the dump. */
  reason: z.string(),
  records: seq,
  inputs: seq,
  /** SHA-256 of all lines between head and tail, without their `s`, `t` and `w`. */
  digest: z.string(),
});
export type Tail = z.infer<typeof tailSchema>;

const doors = ['start', 'host', 'abandon', 'leaf', 'ask', 'timer', 'deadline'] as const;
const told = z.looseObject({ ch: channel, ev: event });
const placed = { s: seq, t: time };
/** `w` is the wall clock in ms since 1970, `req` the id of the call it belongs to. */
const crossing = { ...placed, w: time, ch: channel, a: address.optional(), req: z.string().optional() };
export const recordSchema = z.discriminatedUnion('k', [
  z.looseObject({
    ...crossing,
    k: z.literal('in'),
    ev: event.optional(),
    via: z.enum(doors).optional(),
    n: z.int().optional(),
    id: z.string().optional(),
  }),
  z.looseObject({ ...crossing, k: z.literal('out'), ev: event, port: z.string().optional() }),
  z.looseObject({ ...crossing, k: z.literal('said'), ev: event, from: address.optional() }),
  z.looseObject({
    ...crossing,
    k: z.literal('draw'),
    port: z.string().optional(),
    n: z.int().optional(),
    v: z.union([quantity, z.looseObject({}), z.null()]).optional(),
    threw: thrown.optional(),
  }),
  z.looseObject({ ...crossing, k: z.literal('defect'), what: z.string() }),
  z.looseObject({
    ...placed,
    k: z.literal('facts'),
    w: time,
    orders: z.array(told),
    told: z.array(told),
    ended: z.array(told),
    answers: z.array(told),
    open: z.array(told),
    draws: z.array(z.looseObject({ ch: channel, v: z.unknown() })),
    timers: z.array(z.looseObject({ ch: channel, left: quantity })),
  }),
  z.looseObject({ ...placed, k: z.literal('mark'), w: time, text: z.string() }),
  z.looseObject({ ...placed, k: z.literal('list'), h: z.string(), v: z.array(z.unknown()) }),
  z.looseObject({
    ...placed,
    k: z.literal('frame'),
    a: address,
    via: z.enum(['mcp', 'socket', 'relay']),
    by: address.optional(),
    w: time.optional(),
    dir: z.enum(['in', 'out']),
    of: channel,
    name: z.string().optional(),
    req: z.string().optional(),
    json: z.unknown().optional(),
    text: z.string().optional(),
    cut: z.int().optional(),
    left: z.int().optional(),
  }),
  z.looseObject({
    ...placed,
    k: z.literal('post'),
    from: address,
    a: address,
    ev: event,
    dead: z.enum(['lost', 'expected']).optional(),
  }),
  z.looseObject({
    ...placed,
    k: z.literal('open'),
    a: address,
    kind: z.string(),
    from: address,
    input: z.unknown().optional(),
    will: letter.optional(),
  }),
  z.looseObject({
    ...placed,
    k: z.literal('end'),
    a: address,
    by: address.optional(),
    why: z.enum(['done', 'failed', 'closed']),
    output: z.unknown().optional(),
    error: z.string().optional(),
  }),
  z.looseObject({
    ...placed,
    k: z.literal('timer'),
    op: z.enum(['set', 'clear']),
    via: z.enum(['timer', 'deadline']).optional(),
    a: address,
    n: z.int(),
    ms: quantity.optional(),
    for: z.string().optional(),
  }),
  z.looseObject({
    ...placed,
    k: z.literal('step'),
    a: address,
    ev: z.string(),
    v: z.unknown().optional(),
    tr: z.array(z.string()),
    st: z.string().optional(),
    ctx: z.unknown().optional(),
    gone: z.array(z.string()).optional(),
  }),
]);
