import type { Emit, RequestFact } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { isObject } from '../../machines/protocol/json.ts';
import { SecretIndex } from '../../machines/secrets/secret-index.ts';
import { SecretRedactor } from '../../machines/secrets/redaction.ts';
import type { OpenSession } from '../../machines/ports/session.ts';
import type { OpenProcess } from '../../machines/ports/process.ts';

type ServerRedactor = Pick<SecretRedactor, 'text' | 'details'>;

function redactedFailure(redactor: ServerRedactor, failure: Failure): Failure {
  const { message, details, remedy } = failure;
  return {
    ...failure,
    message: redactor.text(message),
    ...(details && { details: redactor.details(details) }),
    ...(remedy !== undefined && { remedy: redactor.text(remedy) }),
  };
}
const isFailed = (result: unknown): boolean => isObject(result) && result['isError'] === true;

/** Servers may quote launch secrets in stderr, errors and progress. The result of a good call stays unchanged. */
export class RedactedPorts {
  readonly #redactor: ServerRedactor;

  constructor(redactor: ServerRedactor) {
    this.#redactor = redactor;
  }
  static of(secrets: Iterable<string>): RedactedPorts {
    return new RedactedPorts(new SecretRedactor({ secrets: new SecretIndex(secrets) }));
  }
  answer(emit: Emit<RequestFact>): Emit<RequestFact> {
    const redactor = this.#redactor;
    return (fact) => {
      if (fact.type === 'ask.refused') emit({ ...fact, failure: redactedFailure(redactor, fact.failure) });
      else if (fact.type === 'ask.progress' && fact.message !== undefined)
        emit({ ...fact, message: redactor.text(fact.message) });
      else if (fact.type === 'ask.answered' && isFailed(fact.result))
        emit({ ...fact, result: redactor.details(fact.result) });
      else emit(fact);
    };
  }
  /** The reasons may quote servers and the host's own transports. */
  session(open: OpenSession): OpenSession {
    const redactor = this.#redactor;
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'session.failed')
          emit({ ...fact, failure: redactedFailure(redactor, fact.failure) });
        else if (fact.type === 'session.lost') emit({ ...fact, reason: redactor.text(fact.reason) });
        else emit(fact);
      });
  }
  process(open: OpenProcess): OpenProcess {
    const redactor = this.#redactor;
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'child.exited') {
          const { stderr, recent } = fact;
          emit({
            ...fact,
            stderr: redactor.text(stderr),
            ...(recent !== undefined && { recent: redactor.text(recent) }),
          });
        } else if (fact.type === 'child.failed') emit({ ...fact, message: redactor.text(fact.message) });
        else emit(fact);
      });
  }
}
