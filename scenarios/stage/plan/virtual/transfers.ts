/** Host of the agent of a plan: puts files and reads large contents, as a program does with the handle of an agent. */
import { createHash } from 'node:crypto';
import type { AnyEventObject } from 'xstate';
import { readerOf } from '../../../../machines/blobs/blobs.rules.ts';
import type {
  DownloadEnded,
  DownloadOrder,
  DownloadPart,
} from '../../../../machines/blobs/download.rules.ts';
import type { CallSettled } from '../../../../machines/call/call.rules.ts';
import { events } from '../../../../machines/protocol/protocol.ts';
import { officeUrl, type Harness } from '../../harness.ts';
import { shownBy, type Observed, type Shown } from '../observations.ts';
import { names, type Transfer } from '../world.ts';

const [partsOfFile, pauseMs] = [3, 500] as const;
const passing: ReadonlySet<unknown> = new Set(['LinkLost', 404, 408, 429, 503]);

interface Put {
  readonly ask: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  upload: string | undefined;
  sent: number;
  asked: number;
}
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const bytesFor = (name: string, size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, n) => (n * 7 + name.length + size) % 251));

export const transfersEnd = 'a file that an agent puts, and a content that it reads, come to an end';

export class Transfers {
  isStalled = false;
  isLying = false;
  readonly #harness: Harness;
  readonly #observed: Observed;
  readonly #puts = new Map<string, Put>();
  readonly #stalled = new Set<Put>();
  readonly #fetches = new Map<string, { hash: ReturnType<typeof createHash>; bytes: number }>();

  constructor(harness: Harness, observed: Observed) {
    this.#harness = harness;
    this.#observed = observed;
  }
  get open(): string[] {
    const all = [...[...this.#puts.values()].map(({ ask }) => ask), ...this.#fetches.keys()];
    return [...all, ...[...this.#stalled].map(({ ask }) => ask)].map((ask) => `${ask} has not ended`);
  }
  start({ do: what, ask, bytes: size }: Transfer): void {
    this.#observed.shown.set(ask, []);
    const bytes = bytesFor(ask, size);
    if (what === 'fetch') return this.#fetch(ask, bytes);
    const sha256 = hashOf(this.isLying ? bytesFor(ask, size + 1) : bytes);
    this.#send({ ask, bytes, sha256, upload: undefined, sent: 0, asked: 0 });
  }
  /** The agent goes on from where the computer is. */
  clearFaults(): void {
    this.isStalled = false;
    this.isLying = false;
    for (const put of this.#stalled) this.#resume(put);
    this.#stalled.clear();
  }
  heard(event: AnyEventObject): void {
    if (event.type === 'call.settled') this.#settled(event as CallSettled);
    else if (event.type === 'download.part') this.#part(event as DownloadPart);
    else if (event.type === 'download.ended') this.#fetched(event as DownloadEnded);
  }

  #send(put: Put): void {
    const { bytes, sent, upload } = put;
    if (this.isStalled && upload !== undefined) return void this.#stalled.add(put);
    const end = Math.min(bytes.length, sent + Math.ceil(bytes.length / partsOfFile));
    const about = upload === undefined ? this.#declared(put) : { upload_id: upload };
    const blob = bytes.subarray(sent, end).toString('base64');
    this.#ask(put, { ...about, chunk_offset: sent, eof: end >= bytes.length, blob });
  }
  #resume(put: Put): void {
    this.#ask(put, { ...this.#declared(put), chunk_offset: 0, eof: false, blob: '', resume: true });
  }
  #declared = ({ bytes, sha256, ask }: Put): object => ({
    total_size: bytes.length,
    sha256,
    name_hint: ask,
  });
  #ask(put: Put, part: object): void {
    put.asked += 1;
    const ticket = `${put.ask}.${put.asked}`;
    this.#puts.set(ticket, put);
    const request = { computer: names.computer, ...part };
    const query = { type: 'agent.query', ticket, reqId: ticket, method: events.putBlob, request };
    const isThere = this.#harness.directory.find('agent') !== undefined;
    if (isThere) this.#harness.order('agent', { ...query, replyTo: 'host:agent' });
    else this.#ended(ticket, put.ask, shownBy({ failure: noAgent }, this.#now));
  }
  #settled(settled: CallSettled): void {
    const put = this.#puts.get(settled.ticket);
    if (!put) return;
    const seen = shownBy(settled, this.#now);
    const { upload_id: upload, received = 0, details } = (settled.result ?? {}) as Reply;
    const mayPass = passing.has(seen.code) || details?.reason === 'busy';
    if (mayPass)
      this.#harness.clock.setTimeout(() => {
        this.#puts.delete(settled.ticket);
        this.#resume(put);
      }, pauseMs);
    else if (seen.code !== null || seen.uris.length > 0) this.#ended(settled.ticket, put.ask, seen);
    else {
      this.#puts.delete(settled.ticket);
      this.#send(Object.assign(put, { upload, sent: received }));
    }
  }
  #ended(ticket: string, ask: string, seen: Shown): void {
    this.#puts.delete(ticket);
    this.#observed.shown.get(ask)?.push(seen);
  }

  #fetch(ask: string, bytes: Buffer): void {
    const reader = readerOf({ url: officeUrl, office: names.office }, names.agent);
    const content = { at: 0, base64: bytes.toString('base64'), mimeType: 'application/octet-stream' };
    this.#harness.callPorts.blobs.keep(content, reader, (facts) => {
      if (!this.#harness.directory.find('agent'))
        return void this.#observed.shown.get(ask)?.push(shownBy({ failure: noAgent }, this.#now));
      this.#fetches.set(ask, { hash: createHash('sha256'), bytes: 0 });
      const order = { type: 'agent.download', ticket: ask, computer: names.computer, handle: facts?.handle };
      this.#harness.order('agent', { ...order, replyTo: 'host:agent' });
    });
  }
  #part({ ticket, key, isLast, sha256 }: DownloadPart): void {
    const fetch = this.#fetches.get(ticket);
    const { parts } = this.#harness.network;
    const bytes = parts.get(key);
    parts.delete(key);
    if (!fetch || !bytes) return;
    fetch.hash.update(bytes);
    fetch.bytes += bytes.length;
    if (!isLast) this.#tell(ticket, { type: 'part.taken' });
    else if (fetch.hash.digest('hex') === sha256) this.#tell(ticket, { type: 'content.right' });
    else this.#tell(ticket, { type: 'content.wrong', failure: wrongHash });
  }
  #tell(ticket: string, order: DownloadOrder): void {
    this.#harness.order('agent', { type: 'download.told', ticket, order });
  }
  #fetched({ ticket, failure }: DownloadEnded): void {
    const fetch = this.#fetches.get(ticket);
    if (!fetch) return;
    this.#fetches.delete(ticket);
    const seen = shownBy({ failure }, this.#now);
    this.#observed.shown.get(ticket)?.push({ ...seen, total: fetch.bytes });
  }
  get #now(): number {
    return this.#harness.clock.now();
  }
}
interface Reply {
  readonly upload_id?: string;
  readonly received?: number;
  readonly details?: { readonly reason?: string };
}
const noAgent = { code: 'LinkLost', message: 'The agent is closed' } as const;
const wrongHash = { code: 500, message: 'The content is not the one that its sha256 names' } as const;
