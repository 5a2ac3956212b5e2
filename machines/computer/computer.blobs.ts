import { blobsKind, closing, mostReads, type BlobWanted } from '../blobs/blobs.rules.ts';
import {
  childOf,
  type AddressFor,
  open,
  type Open,
  type OwnedEnded,
  type Post,
  message,
  post,
  type CheckedMessage,
} from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import { uploadLimits, uploadRefused } from '../protocol/messages/blobs.ts';
import {
  endedFailure,
  isSameDeclaration,
  passedPart,
  refusedPart,
  uploadKind,
  type PartWanted,
  type UploadOrder,
} from '../uploads/upload.rules.ts';
import type { ComputerContext, Taken } from './computer.events.ts';
import { openedOnce } from './computer.rules.ts';

const uploadOf = (c: ComputerContext, upload: string): AddressFor<UploadOrder> =>
  childOf(c.self, uploadKind, upload);
const uploadClosing = uploadRefused('forbidden', 'The computer is closing');
const closed = uploadRefused('forbidden', 'This computer takes no files: it has no landing folder');

const resumed = ({ uploads }: ComputerContext, part: PartWanted): string | undefined =>
  part.resumes === true
    ? Object.entries(uploads).find(
        ([, { agent, declared }]) =>
          agent === part.agent && part.declared !== undefined && isSameDeclaration(declared, part.declared),
      )?.[0]
    : undefined;
/** Returns the reason why a part can go to no upload; undefined when it can. */
function refusal(c: ComputerContext, part: PartWanted): Failure | undefined {
  if (c.landing === null) return closed;
  const known = Object.hasOwn(c.uploads, part.upload) ? c.uploads[part.upload] : undefined;
  if (known && known.agent !== part.agent)
    return uploadRefused('forbidden', 'This upload belongs to another agent', { upload_id: part.upload });
  if (known && !part.declared) return undefined;
  if (known || !part.declared) return endedFailure(part);
  return Object.keys(c.uploads).length >= uploadLimits.atOnce
    ? uploadRefused('busy', `This computer takes at most ${uploadLimits.atOnce} files at once`)
    : undefined;
}
export function partTaken(c: ComputerContext, part: PartWanted): Taken {
  const going = resumed(c, part);
  if (going !== undefined) return { messages: [passedPart(uploadOf(c, going), part)] };
  const failure = refusal(c, part);
  if (failure || !c.landing) return { messages: [refusedPart(part, failure ?? closed)] };
  if (!part.declared) return { messages: [passedPart(uploadOf(c, part.upload), part)] };
  const { upload, agent, declared } = part;
  const input = { upload, declared, landing: c.landing, confirmMs: c.timing.confirmMs, first: part };
  return {
    opens: [open(uploadKind, input, { key: upload })],
    next: { uploads: { ...c.uploads, [upload]: { agent, declared } }, open: c.open + 1 },
  };
}
export const partAtClose = (part: PartWanted): Post => refusedPart(part, uploadClosing);
export const isUpload = ({ kind }: OwnedEnded): boolean => kind === 'upload';
export const afterUpload = (c: ComputerContext, { name }: OwnedEnded): Partial<ComputerContext> => ({
  uploads: Object.fromEntries(Object.entries(c.uploads).filter(([upload]) => uploadOf(c, upload) !== name)),
  open: Math.max(0, c.open - 1),
});

export const blobsOpen = (c: ComputerContext): Open =>
  open(blobsKind, { most: mostReads, timing: timingOf.blobs(c.timing) });
export const blobRefusal = ({ ticket, reqId, replyTo }: BlobWanted): CheckedMessage =>
  message(replyTo, { type: 'blob.shown', ticket, reqId, part: null, failure: closing });
export const blobWanted = (c: ComputerContext, wanted: BlobWanted): Taken => ({
  ...openedOnce(c, 'blobs', [blobsOpen(c)]),
  messages: [post(childOf(c.self, blobsKind), wanted, { onUndelivered: blobRefusal(wanted) })],
});
