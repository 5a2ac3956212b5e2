import type { Failure } from '../../../machines/protocol/failure.ts';
import { Refusal } from '../files/place.ts';
import { Unreadable } from '../parsing/reader.ts';

/** A JSON-RPC error with a code of Finder: the SDK takes `code` and `data` of what is thrown. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
export const refusalOf = ({ code, message, details }: Failure): RpcRefusal =>
  new RpcRefusal(typeof code === 'number' ? code : -32_603, message, details);

const internalError = -32_603;
/** One that cannot be read: its reason, without folders. Others are said without their details, which may name paths. */
export const brokenDocument = (ref: string, error: unknown): RpcRefusal => {
  if (error instanceof RpcRefusal) return error;
  const isSaid = error instanceof Unreadable || error instanceof Refusal;
  const reason = isSaid ? error.message : 'it cannot be read';
  return new RpcRefusal(internalError, `The document "${ref}" cannot be read: ${reason}`, { doc_ref: ref });
};
