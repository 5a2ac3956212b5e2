import { z } from 'zod';
import { incidentKinds } from './incidents/incident.ts';

/** Lines `@a2c {"type": …}`, never colored or wrapped. Readers must ignore unknown types and keys. */
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
/** As in `client:get_desktop`: the URI, an empty line, the texts. */
const desktop = z.object({ type: z.literal('desktop'), desktops: z.array(z.string()), missing });
/** As in `client:get_finder`. */
const finder = z.object({
  type: z.literal('finder'),
  documents: z.array(z.looseObject({ doc_ref: z.string(), uri: z.string(), server: z.string() })),
  total_count: z.int(),
  missing,
});
const resource = z.object({
  type: z.literal('resource'),
  uri: z.string(),
  contents: z.array(z.looseObject({ uri: z.string() })),
});
const inputs = z.object({ type: z.literal('inputs_loaded'), count: z.int().min(0) });
/** Something went wrong: once, when it begins. `a2c status --json` and `why` have all. */
const incident = z.object({
  type: z.literal('incident'),
  kind: z.enum(incidentKinds),
  subject: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
  since: z.string(),
  mayHaveHappened: z.array(z.string()),
  refused: z.array(z.string()),
});
/** About an event that did not stop anything. */
const notice = z.object({ type: z.literal('notice'), message: z.string() });
const error = z.object({
  type: z.literal('error'),
  ...failure,
});

const answer = z.object({
  type: z.literal('answer'),
  command: z.string(),
  /** Null when it has none or printed it in lines of other types. */
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
  incident,
  notice,
  error,
  answer,
]);
export type Fact = z.infer<typeof fact>;

const mark = '@a2c ';
export const factLine = (value: Fact): string => mark + JSON.stringify(value);

/** Undefined when it is no fact or has an unknown type. */
export function readFact(line: string): Fact | undefined {
  if (!line.startsWith(mark)) return undefined;
  try {
    return fact.safeParse(JSON.parse(line.slice(mark.length))).data;
  } catch {
    return undefined;
  }
}
