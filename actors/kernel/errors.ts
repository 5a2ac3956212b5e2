import {
  hostFailure,
  isLocalCode,
  isWireCode,
  wireCodes,
  type Failure,
  type HostFailure,
} from '../../machines/protocol/failure.ts';
import type { Thrown } from '../../machines/trace/record.ts';

/**
 * Failure as an `Error`, for hosts that await promises; `code`, `wireCode`, `details` and `remedy` are copied from the
 * failure.
 */
export class A2cError extends Error {
  /** Name that identifies the class where `instanceof` cannot, between two copies of this package. */
  override readonly name = 'A2cError';
  /** Name of the kind of failure, such as `ConfigInvalid` (docs/errors.md). */
  readonly code: HostFailure['code'];
  /** Number that peers get for it on the wire. */
  readonly wireCode: HostFailure['wireCode'];
  /** Facts for programs beside the message, without secrets; empty when there are none. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Advice for a person, in one sentence; undefined when nothing is known to help. */
  readonly remedy: string | undefined;
  readonly #failure: Failure | HostFailure;

  constructor(failure: Failure | HostFailure, options?: ErrorOptions) {
    super(failure.message, options);
    const { code, wireCode, details = {}, remedy } = hostFailure(failure);
    this.code = code;
    this.wireCode = wireCode;
    this.details = details;
    this.remedy = remedy;
    this.#failure = failure;
  }
  /** Failure as machines have it. */
  static failureOf(error: A2cError): Failure {
    const { code, message, remedy } = error.#failure;
    return {
      code: isWireCode(code) || isLocalCode(code) ? code : error.wireCode,
      message,
      details: error.details,
      ...(remedy !== undefined && { remedy }),
    };
  }
}

const withCode =
  (code: Failure['code']) =>
  (message: string, remedy?: string): A2cError =>
    new A2cError({ code, message, ...(remedy !== undefined && { remedy }) });
export const badRequest = withCode(wireCodes.badRequest);
export const notFound = withCode(wireCodes.notFound);
/** An error of another class gives its message with code 500. */
export const failureOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? A2cError.failureOf(error)
    : { code: wireCodes.internal, message: error instanceof Error ? error.message : String(error) };
export const thrownOf = (error: unknown): Thrown =>
  error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
/** Returns the text of an error in one line, which describes why an actor ended. */
export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);

export const closedText = 'The computer is closed';
export const closedFailure: Failure = { code: 'Closed', message: closedText };
