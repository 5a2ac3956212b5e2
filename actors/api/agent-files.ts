import { questionError } from './call-outcome.ts';
import type { AskComputer } from './agent-lists.ts';
import type { FileSource, LandedFile, PutOptions } from './agent-handle.ts';
import { A2cError } from '../kernel/errors.ts';
import { onAbort } from '../kernel/signals.ts';
import { newId, openBlobSource, systemClock, type BlobSource } from '../../adapters/index.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { blobSizes, readPut, type PutBlobReply } from '../../machines/protocol/index.ts';

/** Pause in ms before a part is sent again. */
const pauseMs = 500;
/** Longest time in ms without progress, by default: the idle time of a landing folder. */
const patienceMs = 120_000;
/** Largest number of times that one file is begun from its first byte. */
const mostBeginnings = 5;
/** Codes of failures that may pass: the office or the computer is away, slow or busy. */
const passing: ReadonlySet<unknown> = new Set(['LinkLost', 408, 429, 503]);
const reasonIn = (error: unknown): unknown =>
  error instanceof A2cError && error.code === 4019 ? error.details?.['reason'] : undefined;
/** Next step of an upload: the id that the computer gave it, and the bytes that it has. */
interface Place {
  readonly upload: string | undefined;
  readonly offset: number;
  /** Tells that the computer is asked first where the upload is. */
  readonly isLost: boolean;
}
/** Tells whether a failure may pass. A computer that was there may come back; one that never answered is not waited for. */
const mayPass = (error: unknown, { upload }: Place): boolean =>
  (error instanceof A2cError && (passing.has(error.code) || (error.code === 404 && upload !== undefined))) ||
  reasonIn(error) === 'busy';

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

/** Agent that sends the parts of a file. */
export interface PuttingAgent {
  readonly ask: AskComputer;
  readonly isOpen: () => boolean;
  /** Bytes of the parts that are being sent, as base64 by key, so that they pass no machine and no trace. */
  readonly outgoing: Map<string, string>;
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
  const { ask, outgoing } = agent;
  const blob_key = newId();
  outgoing.set(blob_key, bytes.toString('base64'));
  try {
    const request = { computer, blob_key, ...part };
    const { ack, reqId } = await ask(events.putBlob, request, { signal: options.signal });
    const read = readPut(ack, reqId);
    if (!read.ok) throw questionError(read.failure, reqId);
    return read.body;
  } finally {
    outgoing.delete(blob_key);
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
const beginning: Place = { upload: undefined, offset: 0, isLost: false };

/** Sends the next part, or the question where the upload is; returns the new place or the landed file. */
async function step(upload: Upload, place: Place): Promise<Place | LandedFile> {
  if (place.isLost) {
    const where = { ...declarationOf(upload), chunk_offset: 0, eof: false, resume: true };
    const reply = await sendPart(upload, where, Buffer.alloc(0));
    return (
      landedFrom(upload, reply) ?? { upload: reply.upload_id, offset: reply.received ?? 0, isLost: false }
    );
  }
  const { offset } = place;
  const bytes = await upload.source.read(offset, blobSizes.partBytes);
  const eof = offset + bytes.length >= upload.source.bytes;
  if (!eof && bytes.length < blobSizes.partBytes)
    throw new A2cError({
      code: 4019,
      message: 'The file got shorter while it was sent',
      details: { reason: 'integrity' },
    });
  const about = place.upload === undefined ? declarationOf(upload) : { upload_id: place.upload };
  const reply = await sendPart(upload, { ...about, chunk_offset: offset, eof }, bytes);
  if (!eof) return { upload: reply.upload_id, offset: offset + bytes.length, isLost: false };
  const landed = landedFrom(upload, reply);
  if (landed) return landed;
  throw new A2cError({ code: 500, message: "The computer's answer to the last part has no path" });
}

/**
 * Puts a file on a computer and resolves with its path there. After a lost connection, or a restart of the office, it
 * goes on where the computer is; a computer that has lost the upload gets it from the first byte.
 */
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
  try {
    for (;;) {
      try {
        const next = await step(upload, place);
        if ('path' in next) {
          onProgress?.({ sent: source.bytes, total: source.bytes });
          return next;
        }
        place = next;
        since = systemClock.now();
        onProgress?.({ sent: place.offset, total: source.bytes });
      } catch (error) {
        signal?.throwIfAborted();
        if (
          reasonIn(error) === 'invalid_upload' &&
          place.upload !== undefined &&
          beginnings < mostBeginnings
        ) {
          beginnings += 1;
          place = beginning;
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

// ── files in the arguments of a call ──────────────────────────────────────────────────────────────────
/** Place in the arguments of a call that stands for a file: the path of the file, or its bytes, and a name. */
export interface BlobArgument {
  readonly $blob: FileSource;
  readonly name?: string;
}
const isBlob = (value: object): value is BlobArgument =>
  '$blob' in value &&
  (typeof value.$blob === 'string' || value.$blob instanceof Uint8Array) &&
  Object.keys(value).every((key) => key === '$blob' || key === 'name');
/** Tells whether arguments have a file anywhere. */
export const hasBlobs = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (isBlob(value) || (!ArrayBuffer.isView(value) && Object.values(value).some(hasBlobs)));
/** Puts each file of the arguments on the computer, one after the other, and returns the arguments with their paths. */
export async function withLanded(
  value: unknown,
  put: (source: FileSource, name: string | undefined) => Promise<LandedFile>,
): Promise<unknown> {
  if (!hasBlobs(value)) return value;
  if (isBlob(value as object)) {
    const { $blob, name } = value as BlobArgument;
    return (await put($blob, name)).path;
  }
  const entries: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value as object)) entries.push([key, await withLanded(each, put)]);
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
