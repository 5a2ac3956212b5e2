import type { Emit, RequestFact } from '../../machines/kernel/ports.ts';
import type { Address } from '../../machines/kernel/effects.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Timers } from '../clock.ts';
import { errorOf, hasResult, type Envelope } from './messages/envelope.ts';
import type { Asker, PendingRequests } from './messages/pending-requests.ts';
import { factOf, lostRequest, refusedOnTheWay, unusableCall } from './messages/refusal.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';

/** Time in ms for which the server is asked to keep a task after its creation; the server may choose another time. */
const ttl = 24 * 3_600_000;
const between = { usual: 1_000, least: 50, most: 60_000 } as const;
const method = 'tools/call';

interface Around {
  readonly requests: PendingRequests;
  readonly by: Address;
  readonly timers: Timers;
  readonly emit: Emit<RequestFact>;
  readonly reason: () => string;
  readonly onOver: () => void;
}

/** MCP 2025-11-25. After creation, a failure leaves open whether the call takes effect. */
export class TaskCall {
  readonly #id: string;
  readonly #around: Around;
  #task: string | undefined;
  #current: number | undefined;
  #timer: unknown;
  #told = '';
  #times = 0;
  #isFetching = false;
  #isOver = false;

  constructor(id: string, params: unknown, around: Around) {
    this.#id = id;
    this.#around = around;
    this.#ask(method, { ...fieldsOf(params), task: { ttl } }, (answer) => this.#made(answer));
  }
  hear(params: unknown): void {
    if (this.#task !== undefined && fieldsOf(params)['taskId'] === this.#task) this.#look(fieldsOf(params));
  }
  /** A task that is still being created is cancelled once its id is known. */
  cancel(): void {
    if (this.#isOver) return;
    this.#over();
    if (this.#task === undefined) return;
    if (this.#current !== undefined) this.#around.requests.cancel(this.#current);
    this.#cancelTask(this.#task);
  }
  lose(): void {
    this.#end(lostRequest(this.#id, this.#around.reason()));
  }

  #made(answer: Envelope): void {
    const { taskId } = fieldsOf(fieldsOf(answer.result)['task']);
    if (typeof taskId !== 'string') {
      // Ends the call when the server refused it, or answered at once without creating a task.
      if (!hasResult(answer) || !('task' in fieldsOf(answer.result)))
        return this.#end(factOf(this.#id, answer, method));
      return this.#end(unusableCall(this.#id, 'the server made a task without an id'));
    }
    this.#task = taskId;
    if (this.#isOver) return this.#cancelTask(taskId);
    this.#look(fieldsOf(fieldsOf(answer.result)['task']));
  }
  #look({ status, statusMessage, pollInterval }: Fields): void {
    if (this.#isOver || this.#isFetching) return;
    const { emit, timers } = this.#around;
    const message = `${String(status)}${typeof statusMessage === 'string' ? `: ${statusMessage}` : ''}`;
    if (message !== this.#told)
      emit({ type: 'ask.progress', id: this.#id, progress: (this.#times += 1), message });
    this.#told = message;
    timers.clearTimeout(this.#timer);
    if (status === 'cancelled') return this.#end(this.#cancelled());
    // Fetches the result in any state but `working`, because a task that needs input asks for it while its result is being requested.
    if (status !== 'working') return this.#fetch();
    const wanted = typeof pollInterval === 'number' ? pollInterval : between.usual;
    const ms = Math.min(between.most, Math.max(between.least, wanted));
    this.#timer = timers.setTimeout(() => this.#poll(), ms);
  }
  #poll(): void {
    this.#ask('tasks/get', { taskId: this.#task }, (answer) => {
      const error = errorOf(answer);
      if (error)
        this.#end(lostRequest(this.#id, `the server does not say how its task stands (${error.message})`));
      else this.#look(fieldsOf(answer.result));
    });
  }
  #fetch(): void {
    this.#isFetching = true;
    this.#ask('tasks/result', { taskId: this.#task }, (answer) =>
      this.#end(factOf(this.#id, answer, method)),
    );
  }
  #cancelled(): RequestFact {
    const failure = { code: wireCodes.toolFailed, message: 'the server has cancelled the task' };
    return { type: 'ask.refused', id: this.#id, failure, sent: true };
  }
  #cancelTask(taskId: string): void {
    const nobody: Asker = { by: this.#around.by, settle: () => {}, progress: () => {} };
    this.#around.requests.request('tasks/cancel', { taskId }, nobody).sent?.catch(() => {
      // Ignores errors, because the session is gone, and with it the server that would cancel the task.
    });
  }

  #ask(what: string, params: object, take: (answer: Envelope) => void): void {
    const { requests, emit, by } = this.#around;
    const isFirst = this.#task === undefined;
    const asker: Asker = {
      by,
      settle: (answer) => {
        this.#current = undefined;
        // Handles the answer to the first request even after a cancel, to learn the id of the task that has to be cancelled.
        if (this.#isOver && !isFirst) return;
        if (answer) take(answer);
        else this.lose();
      },
      progress: (progress) => this.#isOver || emit({ type: 'ask.progress', id: this.#id, ...progress }),
    };
    const { id, sent } = requests.request(what, params, asker);
    this.#current = id;
    sent?.catch((error: unknown) => {
      if (!requests.forget(id)) return;
      this.#end(isFirst ? refusedOnTheWay(this.#id, error) : lostRequest(this.#id, this.#around.reason()));
    });
  }
  #end(fact: RequestFact): void {
    if (this.#isOver) return;
    this.#over();
    this.#around.emit(fact);
  }
  #over(): void {
    this.#isOver = true;
    this.#around.timers.clearTimeout(this.#timer);
    this.#around.onOver();
  }
}
