/** Takes the steps of a machine by its tables, with the results of XState. */
import { type AnyStateMachine, type EventObject, stopChild } from 'xstate';
import {
  Chart,
  type Branch,
  type Candidate,
  type Configuration,
  type Final,
  type Plan,
  noSpawn,
  type Scope,
  type Snapshot,
  type StepWatch,
  type Transition,
  type XStateEvent,
  collectInto,
  enqueue,
  guardFailure,
  partOf,
  type Action,
  type At,
  type Fields,
  type Implementation,
  type Info,
  type Params,
  type ParamsOf,
} from './chart-tables.ts';

export type { Microstep } from './chart-tables.ts';

export interface Looking extends StepWatch {
  readonly isStepped: boolean;
}
export type LookingAt = (self: object) => Looking;
export type Stepping = (machine: AnyStateMachine, lookingAt: LookingAt) => AnyStateMachine;
export const compiled: Stepping = (machine, lookingAt) => {
  const { transition: theirs } = machine;
  const chart = new Chart(machine);
  const { context } = machine.config as { context?: unknown };
  const begun = (scope: Scope, input: unknown, watch: StepWatch | undefined): Snapshot => {
    const event: XStateEvent = { type: 'xstate.init', input };
    const born = chart.born(typeof context === 'function' ? {} : (context ?? {}));
    try {
      if (typeof context === 'function') born.context = context({ input, self: scope.self, spawn: noSpawn });
      return new Macrostep(chart, born, event, scope, watch).begin();
    } catch (error) {
      return { ...born, status: 'error', error } as Snapshot;
    }
  };
  const ours = {
    transition(snapshot: Snapshot, event: EventObject, scope: Scope): Snapshot {
      const looking = lookingAt(scope.self);
      // Leaves the events `*` and `xstate.init` to XState's interpreter, which refuses them. No chart has them.
      const isForeign = event.type === '*' || event.type === 'xstate.init';
      if (isForeign) return theirs(snapshot, event, scope as never);
      return new Macrostep(chart, snapshot, event, scope, looking.isStepped ? looking : undefined).take();
    },
    getInitialSnapshot(scope: Scope, input: unknown): Snapshot {
      const looking = lookingAt(scope.self);
      return begun(scope, input, looking.isStepped ? looking : undefined);
    },
  };
  return Object.assign(machine, ours);
};

const none: readonly Transition[] = [];
/** Number of steps upon one event after which a chart counts as endless, and fails: its host would hang. */
const mostFollowing = 10_000;
class Macrostep {
  readonly #chart: Chart;
  readonly #scope: Scope;
  readonly #watch: StepWatch | undefined;
  readonly #raised: EventObject[] = [];
  /** Actions of an actor that is not running are performed when it is started. */
  readonly #isRunning: boolean;
  /** Last snapshot that was made; `#isMade` tells whether it is still valid. */
  #made: Snapshot;
  #isMade = true;
  /** Number of changes that would have made a new snapshot. An `always` that changes nothing is not tried again. */
  #changes = 0;
  #invoked: readonly string[] | undefined;
  /** Actions that are resolved again when the actors invoked in this step exist. */
  readonly #retries: [does: Implementation, params: Params][] = [];
  #at: Configuration;
  #event: EventObject;
  #context: Fields;
  #status: Snapshot['status'];
  #output: unknown;
  #error: unknown;
  #children: Snapshot['children'];
  #lastGiven: At | undefined;
  #lastInfo: Info | undefined;

  constructor(chart: Chart, from: Snapshot, event: EventObject, scope: Scope, watch: StepWatch | undefined) {
    this.#chart = chart;
    this.#scope = scope;
    this.#watch = watch;
    this.#isRunning = scope.self._processingStatus === 1;
    this.#made = from;
    this.#at = chart.configuration(from._nodes);
    this.#event = event;
    this.#context = from.context as Fields;
    this.#status = from.status;
    this.#output = from.output;
    this.#error = from.error;
    this.#children = from.children;
  }
  snapshot(): Snapshot {
    if (this.#isMade) return this.#made;
    const { matches, hasTag, can, getMeta, toJSON } = this.#chart.like;
    const { machine, historyValue } = this.#made;
    const { nodes, value, tags } = this.#at;
    this.#isMade = true;
    return (this.#made = {
      status: this.#status,
      output: this.#output,
      error: this.#error,
      machine,
      context: this.#context,
      _nodes: nodes,
      value,
      tags,
      children: this.#children,
      historyValue,
      matches,
      hasTag,
      can,
      getMeta,
      toJSON,
    } as unknown as Snapshot);
  }
  get #given(): At {
    const given = this.#lastGiven;
    if (given?.context === this.#context && given.event === this.#event) return given;
    return (this.#lastGiven = { context: this.#context, event: this.#event });
  }
  get #info(): Info {
    const info = this.#lastInfo;
    if (info?.context === this.#context && info.event === this.#event) return info;
    const { self, system } = this.#scope;
    return (this.#lastInfo = { context: this.#context, event: this.#event, self, system });
  }
  #change(): void {
    this.#isMade = false;
    this.#changes += 1;
  }

  /** Observers are not told of this step. */
  begin(): Snapshot {
    this.#enter(this.#chart.first);
    return this.#settle();
  }
  take(): Snapshot {
    const { type, error } = this.#event as XStateEvent;
    if (type === 'xstate.stop') return this.#end('stopped', undefined);
    const plan = this.#enabledBy(this.#event);
    if (!plan && type.startsWith('xstate.error.actor')) return this.#end('error', error);
    if (plan) this.#perform(plan);
    this.#tell(plan?.taken ?? none);
    return this.#settle();
  }
  #settle(): Snapshot {
    let isAsked = true;
    for (let n = 0; this.#status === 'active'; n += 1) {
      if (n > mostFollowing)
        throw new Error(`endless: more than ${mostFollowing} steps upon ${this.#event.type}`);
      const before = this.#changes;
      const plan = isAsked && this.#at.always.length > 0 ? this.#eventless() : undefined;
      if (plan) {
        this.#perform(plan);
        isAsked = this.#changes !== before;
        this.#tell(plan.kept);
        continue;
      }
      const event = this.#raised.shift();
      if (!event) break;
      this.#event = event;
      const enabled = this.#enabledBy(event);
      if (enabled) this.#perform(enabled);
      this.#tell(enabled?.taken ?? none);
      isAsked = true;
    }
    const last = this.snapshot();
    if (this.#status !== 'active') this.#stopChildren();
    return last;
  }
  #tell(transitions: readonly Transition[]): void {
    const { self: actor } = this.#scope;
    this.#watch?.step?.({ actor, event: this.#event, transitions, snapshot: this.snapshot() });
  }
  #end(status: 'stopped' | 'error', error: unknown): Snapshot {
    this.#stopChildren();
    this.#status = status;
    if (status === 'error') this.#error = error;
    this.#change();
    this.#tell(none);
    return this.snapshot();
  }
  #stopChildren(): void {
    for (const child of Object.values(this.#children))
      this.#act(this.#chart.action(stopChild(child as never)));
  }

  #enabledBy({ type }: EventObject): Plan | undefined {
    const branch = this.#at.branch(type);
    if (!branch) return undefined;
    if (branch.regions.length === 0) {
      const only = this.#firstOf(branch.own);
      return only && this.#at.planOf(only);
    }
    const taken: Candidate[] = [];
    this.#collect(branch, taken);
    return this.#at.plan(taken);
  }
  #collect({ regions, own }: Branch, taken: Candidate[]): void {
    const before = taken.length;
    for (const region of regions) this.#collect(region, taken);
    const first = taken.length > before ? undefined : this.#firstOf(own);
    if (first) taken.push(first);
  }
  #firstOf(candidates: readonly Candidate[]): Candidate | undefined {
    for (const each of candidates) if (this.#passes(each)) return each;
    return undefined;
  }
  #passes({ guard, of }: Candidate): boolean {
    if (!guard) return true;
    try {
      return guard(this.#given, this);
    } catch (error) {
      throw guardFailure(of, this.#event, error);
    }
  }
  #eventless(): Plan | undefined {
    const { always } = this.#at;
    const taken: Candidate[] = [];
    for (const list of always)
      for (const each of list)
        if (!each.guard || each.guard(this.#given, this)) {
          if (!taken.includes(each)) taken.push(each);
          break;
        }
    return this.#at.plan(taken);
  }

  #perform(plan: Plan): void {
    for (const action of plan.exits) this.#act(action);
    for (const action of plan.actions) this.#act(action);
    this.#enter(plan);
  }
  #enter({ entries, atEnd, next }: Plan): void {
    for (const { actions, invoked, final } of entries) {
      this.#invoked = invoked;
      for (const action of actions) this.#act(action);
      for (const [does, params] of this.#retries.splice(0))
        does.retryResolve?.(this.#scope, this.snapshot(), params);
      this.#invoked = undefined;
      if (final) this.#finish(final);
    }
    for (const action of atEnd) this.#act(action);
    if (next === this.#at) return;
    this.#at = next;
    this.#change();
  }
  #finish({ node, finished, completion }: Final): void {
    const { parent, output } = node as { parent?: typeof node; output?: unknown };
    if (parent?.type === 'compound')
      this.#raised.push({
        type: `xstate.done.state.${parent.id}`,
        output: this.#outputOf(output, this.#event),
      } as EventObject);
    for (const { id } of finished)
      this.#raised.push({ type: `xstate.done.state.${id}`, output: undefined } as EventObject);
    if (!completion) return;
    const done = {
      type: `xstate.done.state.${completion.id}`,
      output: completion.parent ? this.#outputOf(completion.output, this.#event) : undefined,
    };
    this.#status = 'done';
    this.#output = this.#outputOf(this.#chart.root.output, done);
    this.#change();
  }
  #outputOf(output: unknown, event: EventObject): unknown {
    if (typeof output !== 'function') return output;
    return output({ context: this.#context, event, self: this.#scope.self });
  }

  #act({ type, does, params }: Action): void {
    const given = typeof params === 'function' ? (params as ParamsOf)(this.#given) : params;
    const info = this.#info;
    if (does?.type === 'xstate.assign') this.#assign(does.assignment, info, given);
    else if (does?.type === 'xstate.enqueueActions') this.#enqueued(does, info, given);
    else if (does?.resolve) this.#actForXState(does, info, given);
    else {
      this.#watch?.performed?.(type, given);
      if (!does) return;
      if (this.#isRunning) does(info, given);
      else this.#scope.defer(() => does(info, given));
    }
  }
  #assign(assignment: unknown, { context, event, self, system }: Info, given: Params): void {
    const part = partOf(assignment, { context, event, self, system, spawn: noSpawn }, given);
    // Contexts keep the fields that they begin with. For those V8 copies in a tenth of the time that `Object.assign` takes.
    this.#context = { ...this.#context, ...part };
    this.#change();
  }
  #enqueued({ collect }: Implementation, { context, event, self, system }: Info, given: Params): void {
    const actions: unknown[] = [];
    collectInto(actions);
    const check = (guard: unknown): boolean => this.#chart.guard(guard)(this.#given, this);
    collect?.({ context, event, self, system, enqueue, check }, given);
    for (const each of actions) this.#act(this.#chart.action(each));
  }
  #actForXState(does: Implementation, info: Info, given: Params): void {
    const scope = this.#scope;
    const extra = { internalQueue: this.#raised, deferredActorIds: this.#invoked };
    const before = this.snapshot();
    const resolved = does.resolve?.(scope, before, info, given, does, extra);
    if (!resolved) return;
    const [after, params, more = []] = resolved;
    if (after !== before) {
      this.#made = after;
      this.#context = after.context as Fields;
      this.#children = after.children;
      this.#changes += 1;
    }
    if (does.retryResolve && this.#invoked) this.#retries.push([does, params]);
    if (does.execute) {
      this.#watch?.performed?.(does.type as string, params);
      scope.actionExecutor({ type: does.type, info, params, exec: does.execute.bind(null, scope, params) });
    }
    for (const each of more) this.#act(this.#chart.action(each));
  }
}
