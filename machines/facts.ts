import { z } from 'zod';
import type { Failure } from './protocol/index.ts';

/**
 * The lines that programs read from our terminal: `@a2c {"type": …}`, one per fact, which no colour and no table
 * ever touches (seed 002 §8.1). Additive: a reader ignores types and keys that it does not know.
 */
const servers = z.object({
  type: z.literal('server_status'),
  name: z.string(),
  state: z.string(),
  reason: z.string().optional(),
});
const office = z.object({
  type: z.literal('office'),
  url: z.string(),
  office: z.string(),
  /** Of the computer. */
  name: z.string(),
});
const toolList = z.object({
  type: z.literal('tool_list_changed'),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});
const failure = {
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  remedy: z.string().optional(),
};
const toolCall = z.object({
  type: z.literal('tool_call_result'),
  req_id: z.string(),
  server: z.string(),
  tool: z.string(),
  outcome: z.enum(['succeeded', 'failed', 'unknown']),
  result: z.unknown(),
  failure: z.object(failure).optional(),
});
/** What a server tells while a call is at work. */
const callProgress = z.object({
  type: z.literal('call_progress'),
  req_id: z.string(),
  server: z.string(),
  tool: z.string(),
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
const missing = z.array(z.object({ server: z.string(), reason: z.string(), uri: z.string().optional() }));
/** Each window as `client:get_desktop` gives it: its URI, an empty line, its texts. */
const desktop = z.object({ type: z.literal('desktop'), desktops: z.array(z.string()), missing });
/** Documents as `client:get_finder` gives them. */
const finder = z.object({
  type: z.literal('finder'),
  documents: z.array(z.looseObject({ doc_ref: z.string(), uri: z.string(), server: z.string() })),
  total_count: z.int(),
  missing,
});
/** What a read of a resource gave. */
const resource = z.object({
  type: z.literal('resource'),
  uri: z.string(),
  contents: z.array(z.looseObject({ uri: z.string() })),
});
const inputs = z.object({ type: z.literal('inputs_loaded'), count: z.int().min(0) });
/** Something that a person should know and that stopped nothing. */
const notice = z.object({ type: z.literal('notice'), message: z.string() });
const error = z.object({
  type: z.literal('error'),
  ...failure,
});

/** A command of the prompt is done. */
const answer = z.object({
  type: z.literal('answer'),
  /** Name of the command, as help has it. */
  command: z.string(),
  /** What it answered; null where that is nothing, or stands in lines of other types. */
  value: z.unknown(),
});

export const fact = z.discriminatedUnion('type', [
  office,
  servers,
  toolList,
  toolCall,
  callProgress,
  desktop,
  finder,
  resource,
  inputs,
  notice,
  error,
  answer,
]);
export type Fact = z.infer<typeof fact>;

const mark = '@a2c ';
export const factLine = (value: Fact): string => mark + JSON.stringify(value);

/** The fact on a line, or undefined when the line is none or holds a type that we do not know. */
export function readFact(line: string): Fact | undefined {
  if (!line.startsWith(mark)) return undefined;
  try {
    return fact.safeParse(JSON.parse(line.slice(mark.length))).data;
  } catch {
    return undefined;
  }
}

// ── states of servers ─────────────────────────────────────────────────────────────────────────────────
/** Where a configured server stands, for people: one word for programs, one text for each word. */
export type ServerState =
  | 'idle'
  | 'standby'
  | 'connecting'
  | 'ready'
  | 'recovering'
  | 'waiting'
  | 'open'
  | 'authorizing'
  | 'unauthorized'
  | 'closing'
  | 'disabled'
  | 'needsInput'
  | 'unsupported';

/** A client as it is now, or as a trace has it. */
export interface ClientSnapshot {
  readonly value: unknown;
  hasTag(tag: string): boolean;
}
export function clientState(snapshot: ClientSnapshot): ServerState {
  const { value } = snapshot;
  if (value === 'idle' || value === 'standby' || value === 'waiting') return value;
  if (value === 'open' || value === 'recovering') return value;
  const login = typeof value === 'object' && value !== null && 'login' in value ? value.login : undefined;
  if (login !== undefined) return login === 'authorizing' ? login : 'unauthorized';
  if (snapshot.hasTag('ready')) return 'ready';
  return snapshot.hasTag('connecting') ? 'connecting' : 'closing';
}
/** Of one that rests because it cannot be launched as it is: what it lacks says more. */
export const stateFor = (state: ServerState, failure: Pick<Failure, 'code'> | null): ServerState => {
  if (state !== 'open') return state;
  return failure?.code === 'InputNotFound'
    ? 'needsInput'
    : failure?.code === 'ConfigInvalid'
      ? 'unsupported'
      : state;
};
/** Behind the name of a server: `gave up`. The terminal and the page say the same. */
export const stateWords: Readonly<Record<ServerState, string>> = {
  idle: 'is not wanted: nobody started it, or it ended well by itself',
  standby: 'starts with the first call',
  connecting: 'is connecting',
  ready: 'is ready',
  recovering: 'was lost: what is left of it is ended',
  waiting: 'is down, and waits for its next try',
  open: 'gave up',
  authorizing: 'is being logged in to',
  unauthorized: 'waits for a person to log in',
  closing: 'is ending',
  disabled: 'is disabled in its config',
  needsInput: 'lacks a value of its config',
  unsupported: 'has a config that cannot be used here',
};
