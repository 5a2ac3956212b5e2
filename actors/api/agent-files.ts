/** Puts a file on a computer in parts, and goes on after a lost connection. */
import type { AskComputer } from './agent-lists.ts';
import type { FileSource, LandedFile, PutOptions } from './agent-handle.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import { onAbort } from '../kernel/listeners.ts';
import { newId, systemClock } from '../../adapters/clock.ts';
import { openBlobSource, type BlobSource } from '../../adapters/storage/blob-source.ts';
import type { Parts } from '../../adapters/connections/link-requests.ts';
import { wireCodes, isUnseated } from '../../machines/protocol/failure.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { blobSizes, type PutBlobReply } from '../../machines/protocol/messages/blobs.ts';
import { readPut } from '../../machines/protocol/messages/lists.ts';

/** Pause in ms before a part is sent again. */
const pauseMs = 500;
/** Default of the longest time in ms without progress: the time after which a computer drops an idle upload. */
const patienceMs = 120_000;
/** Largest number of times that one file is begun from its first byte. */
const mostBeginnings = 5;
/** Number of parts that are under way at once, so that the time of one trip does not limit the speed. */
const mostParts = 6;
/** Codes of failures that may pass: the office or the computer is away, slow or busy. */
const passing: ReadonlySet<unknown> = new Set(['LinkLost', 'NoAnswer', 'TooMany', 'Unavailable']);
const away: ReadonlySet<unknown> = new Set(['NotFound', 'ComputerLost']);
const reasonIn = (error: unknown): unknown =>
  error instanceof A2cError && error.code === 'BlobNotWritten' ? error.details?.['reason'] : undefined;
interface Place {
  readonly upload: string | undefined;
  readonly offset: number;
  /** True when the computer must first be asked how far the upload is. */
  readonly isLost: boolean;
  /** One for a computer that does not tell how much it has received. */
  readonly atOnce: number;
}
/** A computer that has answered before may come back; one that never answered is not waited for. */
const mayPass = (error: unknown, { upload, atOnce }: Place): boolean =>
  (error instanceof A2cError &&
    (passing.has(error.code) ||
      isUnseated(failureOf(error)) ||
      (away.has(error.code) && upload !== undefined))) ||
  reasonIn(error) === 'busy' ||
  // A part that was refused because it overtook another one may be sent again: the computer is then asked how far the upload is.
  (reasonIn(error) === 'range' && atOnce > 1);

function paused(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.setTimeout(() => {
      forget?.();
      resolve();
    }, pauseMs);
    const forget =
      signal &&
      onAbort(signal, () => {
        systemClock.clearTimeout(timer);
        reject(signal.reason as Error);
      });
  });
}

export interface PuttingAgent {
  readonly ask: AskComputer;
  readonly isOpen: () => boolean;
  readonly parts: Parts;
}
interface Upload {
  readonly computer: string;
  readonly source: BlobSource;
  readonly options: PutOptions;
  readonly agent: PuttingAgent;
}
type Part = Readonly<Record<string, unknown>>;

async function sendPart(
  { computer, agent, options }: Upload,
  part: Part,
  bytes: Buffer,
): Promise<PutBlobReply> {
  const { ask, parts } = agent;
  const blob_key = newId();
  parts.set(blob_key, bytes);
  try {
    const request = { computer, blob_key, ...part };
    return await ask(events.putBlob, request, { signal: options.signal }, readPut);
  } finally {
    parts.delete(blob_key);
  }
}
const declarationOf = ({ source, options }: Upload): Part => {
  const name = options.name ?? source.name;
  return {
    total_size: source.bytes,
    sha256: source.sha256,
    ...(name !== undefined && { name_hint: name }),
  };
};
function landedFrom({ source }: Upload, reply: PutBlobReply): LandedFile | undefined {
  const { landing_path: path, total_size, sha256 } = reply;
  if (typeof path !== 'string' || path === '') return undefined;
  return { path, bytes: total_size ?? source.bytes, sha256: sha256 ?? source.sha256 };
}
const beginning: Place = { upload: undefined, offset: 0, isLost: false, atOnce: 1 };
const placeAfter = ({ upload_id: upload, received }: PutBlobReply, offset: number): Place => ({
  upload,
  offset,
  isLost: false,
  atOnce: typeof received === 'number' ? mostParts : 1,
});

async function askPlace(upload: Upload): Promise<Place | LandedFile> {
  const where = { ...declarationOf(upload), chunk_offset: 0, eof: false, resume: true };
  const reply = await sendPart(upload, where, Buffer.alloc(0));
  return landedFrom(upload, reply) ?? placeAfter(reply, reply.received ?? 0);
}
interface Sent {
  readonly end: number;
  readonly reply: Promise<PutBlobReply>;
}
async function sendNext(upload: Upload, id: string | undefined, offset: number): Promise<Sent> {
  const { source } = upload;
  const bytes = await source.read(offset, blobSizes.putBytes);
  const end = offset + bytes.length;
  const eof = end >= source.bytes;
  if (!eof && bytes.length < blobSizes.putBytes)
    throw new A2cError({
      code: 4019,
      message: 'The file got shorter while it was sent',
      details: { reason: 'integrity' },
    });
  const about = id === undefined ? declarationOf(upload) : { upload_id: id };
  const reply = sendPart(upload, { ...about, chunk_offset: offset, eof }, bytes);
  // Prevents a warning about an unhandled rejection: answers are awaited later, in the order of the parts.
  reply.catch(() => {});
  return { end, reply };
}
/** Reports the state of the upload after each answer, in the order of the parts. */
async function sendParts(upload: Upload, from: Place, reached: (place: Place) => void): Promise<LandedFile> {
  const { bytes } = upload.source;
  const underWay: Sent[] = [];
  let place = from;
  let next = from.offset;
  let isAllSent = false;
  try {
    for (;;) {
      while (!isAllSent && underWay.length < place.atOnce) {
        const sent = await sendNext(upload, place.upload, next);
        underWay.push(sent);
        next = sent.end;
        isAllSent = next >= bytes;
      }
      const { reply, end } = underWay[0] as Sent;
      const answer = await reply;
      underWay.shift();
      if (end >= bytes) {
        const landed = landedFrom(upload, answer);
        if (landed) return landed;
        throw new A2cError({
          code: wireCodes.internal,
          message: "The computer's answer to the last part has no path",
        });
      }
      place = placeAfter(answer, end);
      reached(place);
    }
  } finally {
    // Waits until the parts still under way are answered, so that they do not mix with the parts of the next try.
    await Promise.allSettled(underWay.map(({ reply }) => reply));
  }
}

/** Goes on where the computer is after a lost connection or a restart; a lost upload begins again. */
export async function putFile(
  agent: PuttingAgent,
  computer: string,
  from: FileSource,
  options: PutOptions,
): Promise<LandedFile> {
  const { signal, timeoutMs = patienceMs, onProgress } = options;
  signal?.throwIfAborted();
  const source = await openBlobSource(from, signal);
  const upload: Upload = { computer, source, options, agent };
  let place = beginning;
  let beginnings = 1;
  let since = systemClock.now();
  let furthest = -1;
  // Counts as progress only bytes that the computer had not yet, so that a computer that refuses each part is given up in time.
  const reached = (now: Place): void => {
    place = now;
    if (now.offset > furthest) since = systemClock.now();
    furthest = Math.max(furthest, now.offset);
    onProgress?.({ sent: now.offset, total: source.bytes });
  };
  const ended = (landed: LandedFile): LandedFile => {
    onProgress?.({ sent: source.bytes, total: source.bytes });
    return landed;
  };
  try {
    for (;;) {
      try {
        if (place.isLost) {
          const found = await askPlace(upload);
          if ('path' in found) return ended(found);
          reached(found);
        }
        return ended(await sendParts(upload, place, reached));
      } catch (error) {
        signal?.throwIfAborted();
        if (
          reasonIn(error) === 'invalid_upload' &&
          place.upload !== undefined &&
          beginnings < mostBeginnings
        ) {
          beginnings += 1;
          place = beginning;
          furthest = -1;
          continue;
        }
        if (!agent.isOpen() || !mayPass(error, place) || systemClock.now() - since > timeoutMs) throw error;
        await paused(signal);
        place = { ...place, isLost: true };
      }
    }
  } finally {
    await source.close();
  }
}
