import { keyOf, type Address } from '../../machines/kernel/address.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { isKept } from '../recording/recorder.ts';
import type { TraceEntry, WholeCall } from '../recording/trace-lines.ts';

/**
 * Choice of what a page needs that shows servers, incidents and calls, but no records: what crosses the boundary, the
 * life of each machine but those of calls, and of a call that succeeds a single line.
 */

const ofCall = '/call:';
const isOfCall = (address: Address): boolean => address.includes(ofCall);
/** Tells whether a page that shows no records needs this one; what machines remember is looked up later. */
export function isOutlined(record: DirectoryRecord): boolean {
  const { k, a } = record;
  if (k === 'open' || k === 'end' || k === 'timer') return !isOfCall(a);
  return isKept(record);
}

/** Call of which all records have been of the expected kinds so far. */
interface Folding {
  readonly begin: TraceEntry;
  readonly parts: Set<TraceEntry>;
  readonly steps: WholeCall['steps'][number][];
  a: Address;
  isPlain: boolean;
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const ticketOf = (a: Address): string => a.slice(a.lastIndexOf(ofCall) + ofCall.length, a.lastIndexOf('#'));
/** Returns the ticket of the call that an input asks of a computer; undefined for other inputs. */
function begun({ via, ev }: Extract<DirectoryRecord, { k: 'in' }>): string | undefined {
  const { type, ticket } = fieldsOf(ev);
  return type === 'agent.called' || (type === 'call.request' && via === 'host') ? textOf(ticket) : undefined;
}
/** Returns the ticket of the call whose success this record tells; undefined when it tells none. */
function succeeded(record: DirectoryRecord): string | undefined {
  const { type, ticket, outcome, body } = fieldsOf('ev' in record ? record.ev : undefined);
  if (record.k === 'post' && type === 'call.settled' && outcome === 'succeeded') return textOf(ticket);
  if (record.k !== 'out' || type !== 'link.answer') return undefined;
  const { isError, meta } = fieldsOf(body);
  const known = fieldsOf(meta)['a2c_outcome'];
  return isError === true || (known !== undefined && known !== 'succeeded') ? undefined : textOf(ticket);
}
/** Returns the step of a call that a record of its actor is; undefined for one that a single line cannot hold. */
function stepOf(record: DirectoryRecord): readonly [step: string, text?: string] | undefined {
  if (record.k === 'draw' && record.port === 'judge') {
    const { decision, reason } = fieldsOf(record.v);
    return decision === 'allow'
      ? ['found', [decision, textOf(reason)].filter(Boolean).join(': ')]
      : undefined;
  }
  const { type, method } = fieldsOf('ev' in record ? record.ev : undefined);
  if (record.k === 'out' && type === 'ask' && method === 'tools/call') return ['sent'];
  return record.k === 'in' && type === 'ask.answered' && record.id === 'call' ? ['answered'] : undefined;
}

/** Puts one line in the place of each call that began and succeeded among these entries, in their order. */
export function folded(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  const open = new Map<string, Folding>();
  /** Calls in the place of the entries of their ends. */
  const whole = new Map<TraceEntry, WholeCall>();
  const gone = new Set<TraceEntry>();
  for (const entry of entries) {
    const what = entry.what as DirectoryRecord;
    const { k, a } = what;
    if (isOfCall(a ?? '')) {
      const call = open.get(ticketOf(a));
      const step = call && stepOf(what);
      if (!call) continue;
      if (!step) call.isPlain = false;
      else {
        call.a = a;
        call.parts.add(entry);
        call.steps.push([step[0], entry.s, entry.w, ...(step[1] === undefined ? [] : [step[1]])] as never);
      }
      continue;
    }
    const ticket = k === 'in' ? begun(what) : undefined;
    if (ticket !== undefined)
      open.set(keyOf(ticket), {
        begin: entry,
        parts: new Set([entry]),
        steps: [['asked', entry.s, entry.w]],
        a: '',
        isPlain: true,
      });
    const end = k === 'post' || k === 'out' ? succeeded(what) : undefined;
    const call = end === undefined ? undefined : open.get(keyOf(end));
    if (!call?.isPlain || call.a === '') continue;
    for (const part of call.parts) gone.add(part);
    call.steps.push(['ended', entry.s, entry.w]);
    const [ev, told] = [call.begin.what, what].map((each) => fieldsOf(each)['ev'] as object);
    whole.set(entry, { k: 'call', a: call.a, ev: ev ?? {}, told: told ?? {}, steps: call.steps });
  }
  if (whole.size === 0) return entries;
  return entries
    .filter((entry) => !gone.has(entry))
    .map((entry) => {
      const call = whole.get(entry);
      return call ? { ...entry, what: call } : entry;
    });
}
