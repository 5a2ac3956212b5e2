import { newId } from '../../adapters/clock.ts';
import { newSha256 } from '../../adapters/storage/traces.ts';
import type { Parts } from '../../adapters/connections/link-requests.ts';
import type { AgentDownload } from '../../machines/agent/agent.machine.ts';
import type { AddressFor } from '../../machines/kernel/effects.ts';
import type {
  DownloadEnded,
  DownloadNews,
  DownloadOrder,
  DownloadPart,
} from '../../machines/blobs/download.rules.ts';
import { fromWireError, wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';
import { blobRefOf } from '../../machines/protocol/messages/blob-ref.ts';
import { A2cError } from '../kernel/errors.ts';
import { onAbort } from '../kernel/listeners.ts';

/** Large content of a computer as a stream of its parts; `for await` reads it, too. */
export type Download = ReadableStream<Uint8Array>;
/** Options of a read of a large content. */
export interface BlobOptions {
  /** Signal that ends the read; the stream fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Hash that the content must have, hexadecimal. Default: the one that its computer tells. */
  readonly sha256?: string | undefined;
  /** Called after each part with the number of bytes that have come. */
  readonly onProgress?: ((progress: BlobProgress) => void) | undefined;
}
/** Progress of a read of a large content. */
export interface BlobProgress {
  /** Bytes that have come. */
  readonly bytes: number;
  /** Bytes of the whole content. */
  readonly totalBytes: number;
}
/** Content of a result that is too large to be in it. */
export interface AgentBlob {
  /** Index in `result.content` of the item that the content belongs to; its `data` or `blob` is empty. */
  readonly item: number;
  /** Handle under which the computer gives this content to this agent. */
  readonly handle: string;
  /** Media type, as the server names it. */
  readonly mimeType: string;
  /** Size in bytes; null when the computer does not tell it. */
  readonly bytes: number | null;
  /** Hash of the content, hexadecimal; null when the computer does not tell it. */
  readonly sha256: string | null;
  /** Reads the content, as `blob` of the agent. */
  readonly stream: (options?: BlobOptions) => Download;
}
export interface DownloadPort {
  readonly parts: Parts;
  readonly host: AddressFor<DownloadNews>;
  readonly send: (
    event: AgentDownload | { type: 'download.told'; ticket: string; order: DownloadOrder },
  ) => boolean;
}
interface Reading {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly options: BlobOptions;
  readonly hash: ReturnType<typeof newSha256>;
  readonly forget: () => void;
  /** Numbers of parts: those that came, and those that the reader has taken. */
  came: number;
  taken: number;
}
/** Number of parts that the stream itself holds before its reader asks. */
const queued = 1;
const wrongHash = (said: string, found: string): Failure => ({
  code: wireCodes.internal,
  message: 'The content is not the one that its sha256 names',
  details: { said, found },
  remedy: 'Make the call again',
});
const noAgent: Failure = { code: 'Closed', message: 'The agent is closed' };

export class Downloads {
  readonly #port: () => DownloadPort;
  readonly #reading = new Map<string, Reading>();

  constructor(port: () => DownloadPort) {
    this.#port = port;
  }
  /** The computer is asked for the first part at once. */
  start(computer: string, handle: string, options: BlobOptions): Download {
    const { signal } = options;
    signal?.throwIfAborted();
    const ticket = `blob.${newId()}`;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const forget = signal ? onAbort(signal, () => this.#abort(ticket, signal.reason)) : () => {};
          const hash = newSha256();
          this.#reading.set(ticket, { controller, options, hash, forget, came: 0, taken: 0 });
          const { host: replyTo, send } = this.#port();
          if (!send({ type: 'agent.download', ticket, computer, handle, replyTo }))
            this.#end(ticket, new A2cError(noAgent));
        },
        pull: () => this.#take(ticket),
        cancel: () => {
          this.#forget(ticket);
          this.#tell(ticket, { type: 'close' });
        },
      },
      { highWaterMark: queued },
    );
  }
  heard(news: DownloadNews): void {
    if (news.type === 'download.part') return this.#part(news);
    this.#ended(news);
  }
  close(): void {
    for (const ticket of [...this.#reading.keys()]) this.#end(ticket, new A2cError(noAgent));
  }

  #part({ ticket, key, offset, totalBytes, sha256, isLast }: DownloadPart): void {
    const reading = this.#reading.get(ticket);
    const { parts } = this.#port();
    const bytes = parts.get(key);
    parts.delete(key);
    if (!reading || !bytes) return;
    reading.hash.update(bytes);
    const found = isLast ? reading.hash.digest('hex') : undefined;
    const said = reading.options.sha256 ?? sha256;
    if (found !== undefined && found !== said)
      return this.#tell(ticket, { type: 'content.wrong', failure: wrongHash(said, found) });
    reading.came += 1;
    if (bytes.length > 0)
      reading.controller.enqueue(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
    reading.options.onProgress?.({ bytes: offset + bytes.length, totalBytes });
    if (isLast) this.#tell(ticket, { type: 'content.right' });
    else this.#take(ticket);
  }
  #take(ticket: string): void {
    const reading = this.#reading.get(ticket);
    if (!reading) return;
    const waiting = queued - (reading.controller.desiredSize ?? queued);
    for (; reading.taken < reading.came - waiting; reading.taken += 1)
      this.#tell(ticket, { type: 'part.taken' });
  }
  #ended({ ticket, end, failure }: DownloadEnded): void {
    const reading = this.#reading.get(ticket);
    if (end !== 'read') return this.#end(ticket, new A2cError(failure ? fromWireError(failure) : noAgent));
    this.#forget(ticket);
    reading?.controller.close();
  }
  #abort(ticket: string, reason: unknown): void {
    this.#end(ticket, reason);
    this.#tell(ticket, { type: 'close' });
  }
  #end(ticket: string, error: unknown): void {
    const reading = this.#reading.get(ticket);
    this.#forget(ticket);
    reading?.controller.error(error);
  }
  #forget(ticket: string): void {
    this.#reading.get(ticket)?.forget();
    this.#reading.delete(ticket);
    // Removes parts that came but were not passed to a reader: the reader has gone, or an earlier part never came.
    const { parts } = this.#port();
    for (const key of parts.keys()) if (key.startsWith(`${ticket}.`)) parts.delete(key);
  }
  #tell(ticket: string, order: DownloadOrder): void {
    this.#port().send({ type: 'download.told', ticket, order });
  }
}

const typeIn = (item: Fields): string => {
  const { mimeType, resource } = item;
  const type = isObject(resource) ? resource['mimeType'] : mimeType;
  return typeof type === 'string' ? type : 'application/octet-stream';
};
export function blobsIn(
  result: unknown,
  stream: (handle: string, options: BlobOptions) => Download,
): readonly AgentBlob[] {
  const content = isObject(result) ? result['content'] : undefined;
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((item, at) => {
    const ref = blobRefOf(item);
    if (!ref) return [];
    const { handle, totalBytes = null, sha256 = null } = ref;
    const checked = sha256 === null ? {} : { sha256 };
    return [
      Object.freeze({
        item: at,
        handle,
        mimeType: typeIn(item as Fields),
        bytes: totalBytes,
        sha256,
        stream: (options: BlobOptions = {}) => stream(handle, { ...checked, ...options }),
      }),
    ];
  });
}
