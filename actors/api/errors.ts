import type { Failure } from '../../machines/protocol/index.ts';

/** A failure as an `Error`, for hosts that await. `code`, `details` and `remedy` are those of the failure. */
export class A2cError extends Error {
  override readonly name = 'A2cError';
  readonly code: Failure['code'];
  readonly details: Readonly<Record<string, unknown>>;
  readonly remedy: string | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
    this.details = failure.details ?? {};
    this.remedy = failure.remedy;
  }
}
