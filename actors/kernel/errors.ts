import type { Failure } from '../../machines/protocol/index.ts';

/** A failure as an `Error`, for hosts that await. `code`, `details` and `remedy` are those of the failure. */
export class A2cError extends Error {
  /** Tells it from other errors where `instanceof` cannot: between two copies of this package. */
  override readonly name = 'A2cError';
  /**
   * What kind of failure it is: a number of the protocol (`wireCodes`), or a name of our own, such as `ConfigInvalid`.
   */
  readonly code: Failure['code'];
  /** What is known beside the message, for programs; it holds no secrets. Empty when there is nothing. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What a person can do about it, in one sentence; undefined when nothing is known to help. */
  readonly remedy: string | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
    this.details = failure.details ?? {};
    this.remedy = failure.remedy;
  }
}
