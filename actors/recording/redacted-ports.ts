import type { Emit, Ports, RequestFact } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import { SecretIndex, SecretRedactor } from '../../machines/trace/index.ts';

type Veil = Pick<SecretRedactor, 'text' | 'details'>;

/** Hides secrets in the message, the details and the remedy of a failure; its code stays. */
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
 * Hides launch secrets of servers at the ports where texts of servers enter: servers may quote them in stderr,
 * errors and progress. A tool's result stays unchanged, unless the call failed.
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
  /** Hides secrets in the failures and the progress that a server sends. */
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
  /**
   * Hides secrets in the reasons for which a session failed or ended, which may quote servers and the host's own
   * transports.
   */
  session(open: Ports['session']): Ports['session'] {
    const veil = this.#veil;
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'session.failed') emit({ ...fact, failure: redactedFailure(veil, fact.failure) });
        else if (fact.type === 'session.lost') emit({ ...fact, reason: veil.text(fact.reason) });
        else emit(fact);
      });
  }
  /** Hides secrets in the last output of a process, which hosts get, and agents over the wire. */
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
