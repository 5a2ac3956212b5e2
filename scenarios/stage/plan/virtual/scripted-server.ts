import type { ServerInfo } from '../../../../machines/ports/session.ts';
import { sizes } from '../../../../machines/protocol/sizes.ts';
import type { Fault, Moment } from '../../../fault-server/words/fault.ts';
import { noResource, type Given } from '../../../fault-server/own/own-resources.mjs';
import { toolsOnly, type Act, type Happening, type Script } from '../../scripted/script.ts';
import type { Behaviour, ServerData, ToolData } from '../plan.ts';
import { ScriptedLists, distorted, isDistortion, ScriptedResources } from './scripted-lists.ts';
import { isNetWord, metOf } from './scripted-net.ts';

export const answerWords: ReadonlySet<string> = new Set([
  'life.initNever',
  'life.initSlow',
  'life.initError',
  'life.versionMismatch',
  'life.capabilityMissing',
  'rpc.never',
  'rpc.late',
  'rpc.error',
  'rpc.isError',
  'rpc.duplicate',
  'rpc.unknownId',
  'rpc.wrongType',
  'rpc.schemaMismatch',
  'rpc.reorder',
  'rpc.answerAfterCancel',
  'rpc.cancelIgnored',
  'rpc.progressForever',
  'rpc.progressStall',
  'rpc.hugeResult',
  'resource.gone',
  'resource.other',
  'resource.garbled',
  'resource.blob',
  'resource.empty',
  'list.pages',
  'list.pageError',
  'list.cursorLoop',
  'frame.invalidUtf8',
  'frame.partialThenDie',
]);
export const isPlain = (named: ReadonlyMap<string, unknown>): boolean => !named.has('rpc.reorder');

export const lastWords = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';

type Reply = Exclude<Act, (...args: never) => unknown>;
type Now = Required<Behaviour & Pick<ServerData, 'resources'>>;

export interface Care {
  /** The server then behaves well, except for how it is launched and its own nature. */
  readonly areFaultsCleared: () => boolean;
  readonly onFault: (fault: Fault) => void;
}
/** Clearing does not end them: the command is missing, or the server speaks another protocol. */
const lasting = new Set(['proc.spawnError', 'life.versionMismatch', 'life.capabilityMissing']);

/** In the order of the fault server: each use counts towards `times`, separately in each process. */
class Triggers {
  readonly #faults: readonly Fault[];
  readonly #care: Care;
  readonly #early: Map<Fault, number>;
  readonly #left: Map<Fault, number>;
  constructor(faults: readonly Fault[], care: Care) {
    this.#faults = faults;
    this.#care = care;
    this.#early = new Map(faults.map((fault) => [fault, (fault.from ?? 1) - 1]));
    this.#left = new Map(faults.map((fault) => [fault, fault.times ?? Infinity]));
  }
  #happens(fault: Fault): boolean {
    const early = this.#early.get(fault) ?? 0;
    if (early > 0) this.#early.set(fault, early - 1);
    const left = this.#left.get(fault) ?? 0;
    if (early > 0 || left <= 0 || (this.#care.areFaultsCleared() && !lasting.has(fault.fault))) return false;
    this.#left.set(fault, left - 1);
    this.#care.onFault(fault);
    return true;
  }
  take(isOne: (word: string) => boolean, when: Moment, tool?: string): Fault[] {
    return this.#faults.filter((fault) => {
      const isIt =
        isOne(fault.fault) && fault.when === when && (fault.tool === undefined || fault.tool === tool);
      return isIt && this.#happens(fault);
    });
  }
}

const num = (fault: Fault | undefined, name: string): number => Number(fault?.[name] ?? 0);
const lacking = { call: { content: 'no list' }, list: { tools: {} }, read: { contents: 'no list' } };
function hugeOf(when: 'call' | 'list' | 'read', bytes: number): object {
  const text = 'x'.repeat(bytes);
  if (when === 'call') return textOf(text);
  if (when === 'read') return { contents: [{ uri: 'huge', text }] };
  return { tools: [{ name: 'huge', description: text, inputSchema: { type: 'object' } }] };
}

function progressing(named: ReadonlyMap<string, Fault>): Reply {
  const forever = named.get('rpc.progressForever');
  const stall = named.get('rpc.progressStall');
  const everyMs = num(forever ?? stall, 'everyMs');
  return { never: true, progresses: forever ? { everyMs } : { everyMs, times: num(stall, 'n') } };
}

function replyOf(
  when: 'call' | 'list' | 'read',
  result: unknown,
  faults: readonly Fault[],
  takes: number,
): Reply {
  const named = new Map(faults.map((fault) => [fault.fault, fault]));
  const has = (...words: string[]): boolean => words.some((word) => named.has(word));
  const afterMs = Math.max(
    1,
    faults.reduce((sum, f) => sum + (f.afterMs ?? 0), takes + num(named.get('rpc.late'), 'ms')),
  );
  const wrong = named.get('rpc.wrongType')?.['of'];
  const error = named.get('rpc.error');
  const partial = named.get('frame.partialThenDie');
  if (has('rpc.answerAfterCancel')) return { never: true, cancelled: () => result };
  if (named.has('rpc.progressForever') || named.has('rpc.progressStall')) return progressing(named);
  if (has('rpc.never', 'rpc.unknownId')) return { never: true };
  if (partial) return { dies: { code: num(partial, 'code') }, afterMs };
  if (error) return { errors: String(error['message']), code: num(error, 'code'), afterMs } satisfies Reply;
  if (wrong === 'result') return { answers: 'no object', afterMs };
  const huge = num(named.get('rpc.hugeResult'), 'bytes');
  if (huge > sizes.stdioMessageBytes) return { answers: hugeOf(when, huge), afterMs };
  if (has('rpc.schemaMismatch')) return { answers: lacking[when], afterMs };
  if (has('resource.gone')) return { errors: 'Resource not found', code: noResource, afterMs };
  const unlisted = named.get('list.pageError');
  if (unlisted) return { errors: String(unlisted['message']), code: num(unlisted, 'code'), afterMs };
  const endless = named.get('list.cursorLoop');
  // A page that repeats ends the list.
  if (endless && endless['repeats'] !== true) return { endless: true, afterMs };
  const isError = named.get('rpc.isError');
  if (isError) return { answers: { ...textOf(String(isError['text'])), isError: true }, afterMs };
  // An answer to be reversed waits its full time here; later answers overtake it all the same.
  return { answers: result, afterMs: afterMs + (isPlain(named) ? 0 : num(named.get('rpc.reorder'), 'ms')) };
}
const telling = (reply: Reply, everyMs: number | undefined): Reply =>
  everyMs === undefined || !('answers' in reply) ? reply : { ...reply, progresses: { everyMs } };
const textOf = (text: string) => ({ content: [{ type: 'text', text }] });

function initializeOf(triggers: Triggers, slowMs: number): NonNullable<Script['initialize']> {
  const faults = triggers.take((word) => answerWords.has(word), 'initialize');
  const named = new Map(faults.map((fault) => [fault.fault, fault]));
  const late = num(named.get('life.initSlow'), 'ms') + num(named.get('rpc.late'), 'ms');
  const afterMs = 1 + slowMs + late + faults.reduce((sum, f) => sum + (f.afterMs ?? 0), 0);
  const wrong = named.get('rpc.wrongType')?.['of'];
  const error = named.get('life.initError') ?? named.get('rpc.error');
  if (named.has('life.initNever') || named.has('rpc.never') || named.has('rpc.unknownId')) return 'never';
  if (error) return { errors: String(error['message']), code: num(error, 'code'), afterMs };
  if (wrong === 'result') return { answers: 'no object', afterMs };
  const version = named.get('life.versionMismatch')?.['version'];
  if (version !== undefined) return { answers: { protocolVersion: version, capabilities: {} }, afterMs };
  if (named.has('rpc.schemaMismatch')) return { answers: { capabilities: {} }, afterMs };
  return afterMs;
}

/** Undefined when the effect is not visible above the frames. */
function happeningOf(fault: Fault, start: number): Happening | undefined {
  const { afterMs = 0 } = fault;
  const at = { afterMs };
  const ms = num(fault, 'ms');
  switch (fault.fault) {
    case 'proc.exit':
      return { ...at, dies: { code: num(fault, 'code') } };
    case 'proc.exitClean':
      return { ...at, dies: { code: 0 } };
    case 'proc.crashLoop':
      return start <= num(fault, 'n') ? { ...at, dies: { code: num(fault, 'code') } } : undefined;
    case 'proc.kill':
      return { ...at, dies: { signal: String(fault['signal']) } };
    case 'proc.oom':
      return { ...at, dies: { signal: 'SIGABRT', stderr: lastWords } };
    case 'frame.partialThenDie':
      // During a request this fault is a part of the answer.
      return fault.when === 'start' || fault.when === 'ready'
        ? { ...at, dies: { code: num(fault, 'code') } }
        : undefined;
    case 'proc.stdoutClosed':
      return { ...at, hangsUp: true };
    case 'proc.pause':
      return { ...at, stopsFor: ms };
    case 'frame.epipe':
      return { ...at, closesInput: true };
    case 'frame.backpressure':
      return { ...at, deafFor: ms === 0 ? Infinity : ms };
    case 'proc.zombieGrandchild': {
      const { holdsPipes, ignoresSigterm } = fault;
      return { ...at, forks: { holdsPipes: holdsPipes === true, stubborn: ignoresSigterm === true } };
    }
    default:
      return undefined;
  }
}

function actsOf(triggers: Triggers, lists: ScriptedLists) {
  return (name: string, { takes = 0, answers = textOf(name), changes, ...how }: ToolData = {}): Act =>
    (call) => {
      if (!lists.has(name)) return { errors: `there is no tool ${name}`, code: -32_602 };
      if (changes === true) {
        call.announce();
        lists.tell();
      }
      const faults = triggers.take((word) => answerWords.has(word), 'call', name);
      return telling(replyOf('call', answers, faults, takes), how.progressEveryMs);
    };
}

function readingOf(triggers: Triggers, resources: ScriptedResources) {
  return (uri: string, contents: readonly Given[]): Act => {
    const faults = triggers.take((word) => answerWords.has(word), 'read');
    if (faults.some(({ fault }) => isDistortion(fault))) resources.lie(uri);
    return replyOf('read', { contents: distorted(faults, contents) }, faults, 0);
  };
}

const offering = (
  isMissing: (what: string) => boolean,
  hasResources: boolean,
): Pick<ServerInfo, 'capabilities'> => ({
  capabilities: {
    ...toolsOnly,
    ...(isMissing('tools') && { tools: null }),
    ...(hasResources && !isMissing('resources') && { resources: { listChanged: true, subscribe: true } }),
  },
});

function scriptAt(name: string, { tools, faults, resources }: Now, start: number, care: Care): Script {
  const triggers = new Triggers(faults, care);
  const lists = new ScriptedLists(name, tools, care.areFaultsCleared);
  const has = new ScriptedResources(name, resources, care.areFaultsCleared);
  const actOf = actsOf(triggers, lists);
  const isWord = (one: string) => (word: string) => word === one;
  const [unstarted] = triggers.take(isWord('proc.spawnError'), 'start');
  const [slow] = triggers.take(isWord('proc.spawnSlow'), 'start');
  const isMissing = (what: string): boolean =>
    faults.some((f) => f.fault === 'life.capabilityMissing' && f['capability'] === what);
  const asked = { stdin: ['stdinEnd', 'proc.ignoreStdinClose'], SIGTERM: ['sigterm', 'proc.ignoreSigterm'] };
  const heldUp = new Set<string>();
  return {
    ...(unstarted && { missing: unstarted['errno'] === 'EMFILE' ? 'forNow' : true }),
    tools: Object.fromEntries(Object.entries(tools).map(([tool, data]) => [tool, actOf(tool, data)])),
    otherTool: (tool) => (lists.has(tool) ? actOf(tool) : undefined),
    truth: () => ({ ...lists.truth(), resources: has.truth() }),
    info: offering(isMissing, resources.length > 0),
    methods: has.methods(readingOf(triggers, has)),
    initialize: initializeOf(triggers, num(slow, 'ms')),
    listing: () => {
      const listed = triggers.take((word) => answerWords.has(word), 'list');
      return lists.listed(replyOf('list', { tools: lists.list() }, listed, 0));
    },
    ends: (how) => {
      const [moment, ignoring] = asked[how] as [Moment, string];
      if (triggers.take(isWord(ignoring), moment).length > 0) return 'never';
      const [slowly] = triggers.take(isWord('proc.slowExit'), moment);
      // A server is told to end twice, and delays its end only once.
      if (!slowly || heldUp.has(how)) return 1;
      heldUp.add(how);
      return Math.max(1, num(slowly, 'ms') + (slowly.afterMs ?? 0));
    },
    meets: (moment, tool) => metOf(triggers.take(isNetWord, moment, tool), care.areFaultsCleared),
    happens: (moment, tool) =>
      triggers
        .take(
          (word) => !answerWords.has(word) && !isNetWord(word) && !/ignore|slowExit|spawn/.test(word),
          moment,
          tool,
        )
        .flatMap(
          (fault) => lists.happeningOf(fault) ?? has.happeningOf(fault) ?? happeningOf(fault, start) ?? [],
        ),
  };
}

const uncared: Care = { areFaultsCleared: () => false, onFault: () => {} };
/** Each start gets the behaviour that the plan has for it. */
export function scriptOf(
  { name, tools = {}, faults = [], later = {}, resources = [], secret }: ServerData,
  care = uncared,
): Script {
  const steps = Object.entries(later).toSorted(([a], [b]) => Number(a) - Number(b));
  return {
    ...(secret !== undefined && { secrets: [secret] }),
    at: (start) => {
      const [, step] = steps.findLast(([from]) => Number(from) <= start) ?? [];
      const now = { tools: step?.tools ?? tools, faults: step?.faults ?? faults, resources };
      return scriptAt(name, now, start, care);
    },
  };
}
