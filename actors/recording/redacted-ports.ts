import type { Emit, Ports, RequestFact } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import { SecretIndex, SecretRedactor } from '../../machines/trace/index.ts';

type Veil = Pick<SecretRedactor, 'text' | 'details'>;

/** The sentence, the details and the remedy of a failure without secrets. Its code stays. */
export function redactedFailure(veil: Veil, failure: Failure): Failure {
  const { message, details, remedy } = failure;
  return {
    ...failure,
    message: veil.text(message),
    ...(details && { details: veil.details(details) }),
    ...(remedy !== undefined && { remedy: veil.text(remedy) }),
  };
}
const isFailed = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;

/**
 * Hides what servers were launched with from hosts and peers where the text of a server enters: a server may put it into its
 * stderr, its errors, its progress. What a tool answers is its answer, and stays as it is, unless it failed.
 */
export class RedactedPorts {
  readonly #veil: Veil;

  constructor(veil: Veil) {
    this.#veil = veil;
  }
  /** Makes ports that hide exactly these secrets. */
  static of(secrets: Iterable<string>): RedactedPorts {
    return new RedactedPorts(new SecretRedactor({ secrets: new SecretIndex(secrets) }));
  }
  /** Hides secrets in answers: failures and progress of a server do not show what it was launched with. */
  answer(emit: Emit<RequestFact>): Emit<RequestFact> {
    const veil = this.#veil;
    return (fact) => {
      if (fact.type === 'ask.refused') emit({ ...fact, failure: redactedFailure(veil, fact.failure) });
      else if (fact.type === 'ask.progress' && fact.message !== undefined)
        emit({ ...fact, message: veil.text(fact.message) });
      else if (fact.type === 'ask.answered' && isFailed(fact.result))
        emit({ ...fact, result: veil.details(fact.result) });
      else emit(fact);
    };
  }
  /** Why a session did not come about, or ended, is told in words of servers, and of transports of the host's own. */
  session(open: Ports['session']): Ports['session'] {
    const veil = this.#veil;
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'session.failed') emit({ ...fact, failure: redactedFailure(veil, fact.failure) });
        else if (fact.type === 'session.lost') emit({ ...fact, reason: veil.text(fact.reason) });
        else emit(fact);
      });
  }
  /** Hides secrets in the last words of a process, which go to hosts, and over the wire to agents. */
  process(open: Ports['process']): Ports['process'] {
    const veil = this.#veil;
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'child.exited') {
          const { stderr, recent } = fact;
          emit({
            ...fact,
            stderr: veil.text(stderr),
            ...(recent !== undefined && { recent: veil.text(recent) }),
          });
        } else if (fact.type === 'child.failed') emit({ ...fact, message: veil.text(fact.message) });
        else emit(fact);
      });
  }
}
