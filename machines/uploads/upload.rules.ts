/** Rules of taking one file of an agent, part by part. */
import { confirmationTexts, failedConfirmation, type ConfirmationText } from '../call/policy/policy.ts';
import type { JudgedCall } from '../call/policy/judge.ts';
import {
  kindOf,
  type Address,
  type AddressFor,
  message,
  post,
  type Post,
  type PortRequest,
} from '../kernel/effects.ts';
import type { Failure } from '../protocol/failure.ts';
import {
  uploadLimits,
  uploadRefused,
  type Declared,
  type UploadPart,
  type UploadRefusal,
} from '../protocol/messages/blobs.ts';
import { landingPort } from '../ports/files.ts';

/** `open` answers only when it fails (`ask.began`: open); the end of the question removes an unfinished file. */
/** Rules and persons are asked about an upload under it; it belongs to no server. */
export const uploadTool = 'client:put_blob';

/** Settings of the landing folder, into which agents may put files. */
export interface Landing {
  /** Time in ms after which an upload without a further part ends. */
  readonly idleMs: number;
  /** True when our own rule lets agents put files there without asking a person. */
  readonly isApproved: boolean;
}
export interface LandingOpen {
  readonly upload: string;
  readonly bytes: number;
  readonly name: string;
}
export interface LandingWrite {
  readonly upload: string;
  readonly ticket: string;
}
export interface LandingFinish {
  readonly upload: string;
  readonly sha256: string;
}
export type LandingAnswer =
  | { readonly kind: 'written' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'landed'; readonly path: string }
  | {
      readonly kind: 'refused';
      readonly reason: UploadRefusal;
      readonly message: string;
      readonly details?: object;
    };

export interface UploadStart {
  readonly upload: string;
  readonly declared: Declared;
  readonly landing: Landing;
  readonly first: PartWanted;
  /** In ms, for the rule of a host, and then for a person. */
  readonly confirmMs: number;
}
/** Its bytes stay with the connection, under the ticket. */
export interface PartWanted extends UploadPart {
  readonly type: 'part.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly agent: string;
  readonly replyTo: AddressFor<PartTaken>;
}
export interface Landed extends Declared {
  readonly path: string;
}
export interface PartTaken {
  readonly type: 'part.taken';
  readonly ticket: string;
  readonly reqId: string;
  readonly upload: string;
  readonly offset: number;
  readonly received: number;
  readonly landed: Landed | null;
  readonly failure: Failure | null;
}
export type UploadOrder = PartWanted | { readonly type: 'close' };
export const uploadKind = kindOf<UploadStart, UploadOrder>('upload');
export type UploadInput = UploadStart & { readonly self: Address; readonly owner: Address };
export interface UploadContext extends UploadInput {
  /** In order; the first one is being worked on. */
  readonly parts: readonly PartWanted[];
  readonly received: number;
  /** In the landing folder; null before. */
  readonly path: string | null;
  /** Parts that still wait are refused with it. */
  readonly failure: Failure;
}

const asks = (id: string, target: string, method: string, params: object) => ({ id, target, method, params });
const judged = (c: UploadContext): JudgedCall => ({
  reqId: c.first.reqId,
  agent: c.first.agent,
  server: '',
  tool: uploadTool,
  params: { ...(c.declared.name !== undefined && { name: c.declared.name }), bytes: c.declared.bytes },
  meta: c.landing.isApproved ? { auto_apply: true } : null,
});
export const policyRequest = (c: UploadContext): PortRequest => asks('policy', 'policy', 'judge', judged(c));
export const confirmRequest = (c: UploadContext): PortRequest =>
  asks('confirm', 'confirm', 'confirm', judged(c));
const landing = (id: string, params: LandingOpen | LandingWrite | LandingFinish): PortRequest =>
  asks(id, landingPort, id, params);
export const openRequest = ({ upload, declared }: UploadContext): PortRequest =>
  landing('open', { upload, bytes: declared.bytes, name: declared.name ?? '' });
export const writeRequest = ({ upload, parts: [part] }: UploadContext): PortRequest =>
  landing('write', { upload, ticket: part?.ticket ?? '' });
export const finishRequest = ({ upload, declared }: UploadContext): PortRequest =>
  landing('finish', { upload, sha256: declared.sha256 });

export const hasPart = ({ parts }: UploadContext): boolean => parts.length > 0;
export const isFull = ({ parts }: UploadContext): boolean => parts.length >= uploadLimits.waitingParts;
export const isResumption = ({ parts: [part], received }: UploadContext): boolean =>
  part?.resumes === true && (received > 0 || (part.bytes === 0 && !part.isLast));
export const isEmpty = ({ parts: [part] }: UploadContext): boolean => part?.bytes === 0 && !part.isLast;
const endOf = ({ parts: [part] }: UploadContext): number => (part ? part.offset + part.bytes : 0);
/** Larger than was declared; the upload then ends. */
export const isOverrun = (c: UploadContext): boolean =>
  c.parts[0]?.offset === c.received && endOf(c) > c.declared.bytes;
/** Does not begin where the last one ended, or ends before the declared end of the file. */
export const isOutOfRange = (c: UploadContext): boolean =>
  c.parts[0]?.offset !== c.received || (c.parts[0].isLast && endOf(c) !== c.declared.bytes);
export const isLast = ({ parts: [part] }: UploadContext): boolean => part?.isLast === true;
export const outOfRangeFailure = (c: UploadContext): Failure =>
  uploadRefused(
    'range',
    `The computer has ${c.received} of ${c.declared.bytes} bytes; the part does not go on there`,
    { upload_id: c.upload, received: c.received, total_size: c.declared.bytes },
  );
export const expiredFailure = ({ upload }: UploadContext): Failure =>
  uploadRefused('invalid_upload', 'The upload had no further part for too long', { upload_id: upload });
export const endedFailure = ({ upload }: Pick<UploadContext, 'upload'>): Failure =>
  uploadRefused('invalid_upload', 'The upload has ended', { upload_id: upload });
export const notAllowedFailure = (message: string, why?: ConfirmationText, reason?: string): Failure =>
  uploadRefused('forbidden', `The upload is not allowed: ${message}`, {
    ...(why && { why }),
    ...(reason !== undefined && { reason_given: reason }),
  });
const deniedFailure = (reason?: string): Failure =>
  notAllowedFailure(reason ?? 'a person refused it', 'denied', reason);
function unconfirmedFailure(failure: Failure): Failure {
  const found = failedConfirmation(failure);
  if (!found) return { ...notAllowedFailure(failure.message), remedy: howToAllow };
  const { key, values } = found;
  const why = confirmationTexts[key](values).replace('the call', 'it');
  return { ...notAllowedFailure(why, key, values.reason), remedy: howToAllow };
}
const howToAllow =
  'Set a2c.landing.autoApprove in the config of the computer, or give `confirm` or `permission` to createComputer';
export const slowDisk: Failure = uploadRefused('io_error', 'The landing folder did not answer in time');
interface Ended {
  /** Of the question. */
  readonly id: string;
  readonly result?: unknown;
  readonly failure?: Failure;
}
export function failureOf({ id, result, failure }: Ended): Failure {
  const {
    reason,
    message = 'The file cannot be written',
    details,
  } = (result ?? {}) as Partial<Extract<LandingAnswer, { kind: 'refused' }>>;
  if (id === 'policy' || id === 'confirm') {
    if (failure) return unconfirmedFailure(failure);
    return id === 'confirm' ? deniedFailure(reason) : notAllowedFailure(reason ?? 'by a rule');
  }
  if (failure) return uploadRefused('io_error', failure.message);
  return uploadRefused(reason ?? 'io_error', message, details);
}

const takenAs = (
  { ticket, reqId, upload, offset }: PartWanted,
  about: Pick<PartTaken, 'received' | 'landed' | 'failure'>,
): PartTaken => ({ type: 'part.taken', ticket, reqId, upload, offset, ...about });
const refusal = (part: PartWanted, failure: Failure): PartTaken =>
  takenAs(part, { received: 0, landed: null, failure });
export const refusedPart = (part: PartWanted, failure: Failure): Post =>
  post(part.replyTo, refusal(part, failure), { optional: true });
/** When the machine has ended meanwhile, the part is refused. */
export const passedPart = (to: AddressFor<UploadOrder>, part: PartWanted): Post =>
  post(to, part, { onUndelivered: message(part.replyTo, refusal(part, endedFailure(part))) });
export const takenPart = (c: UploadContext, part: PartWanted): Post => {
  const landed = c.path === null ? null : { ...c.declared, path: c.path };
  const about = takenAs(part, { received: c.received, landed, failure: null });
  return post(part.replyTo, { ...about, upload: c.upload }, { optional: true });
};
/** Only the last part again, or a first part that resumes, succeeds. */
export const lateAnswer = (c: UploadContext, part: PartWanted): Post =>
  part.isLast || part.resumes === true ? takenPart(c, part) : refusedPart(part, outOfRangeFailure(c));

export const isSameDeclaration = (one: Declared, other: Declared): boolean =>
  one.bytes === other.bytes && one.sha256 === other.sha256 && one.name === other.name;
