/** Messages between a computer and the machine of its blobs. */
import { blobsKind, closing, mostReads, type BlobWanted } from '../blobs/blobs.rules.ts';
import { childOf } from '../kernel/address.ts';
import { message, open, post, type CheckedMessage, type Open, type Post } from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import type { ComputerContext } from './computer.rules.ts';

export const blobsOpen = (c: ComputerContext): Open =>
  open(blobsKind, { most: mostReads, timing: timingOf.blobs(c.timing) });
/** Opens the machine of the blobs when it is first needed. */
export const blobsOpenings = (c: ComputerContext): Open[] => (c.hasBlobs ? [] : [blobsOpen(c)]);
export const afterBlobsOpened = (c: ComputerContext): Partial<ComputerContext> =>
  c.hasBlobs ? {} : { hasBlobs: true, open: c.open + 1 };
/** Refuses a question when the machine of the blobs no longer exists. */
export const blobRefusal = ({ ticket, reqId, replyTo }: BlobWanted): CheckedMessage =>
  message(replyTo, { type: 'blob.shown', ticket, reqId, part: null, failure: closing });
export const toBlobs = (c: ComputerContext, wanted: BlobWanted): Post =>
  post(childOf(c.self, blobsKind), wanted, { onUndelivered: blobRefusal(wanted) });
