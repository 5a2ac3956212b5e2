import { linksPart, type LinksPart } from './links-part.ts';
import type { Runtime } from './runtime.ts';
import { serversPart, type ServersPart } from './servers-part.ts';
import { computerKinds } from '../kinds/computer.ts';
import type { Part } from '../runtime/part.ts';
import { during } from '../../adapters/clock.ts';
import { BlobStore } from '../../adapters/storage/blob-store.ts';
import { blobsPort } from '../../machines/ports/files.ts';
import { handing } from '../../machines/blobs/hand.ts';

/** A computer: Desktop, Finder and files over the parts of its servers and of its seat. */
export class ComputerPart implements Part {
  readonly kinds = computerKinds;
  readonly servers: ServersPart;
  readonly links: LinksPart;
  readonly #runtime: Runtime;
  #blobs: BlobStore | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.servers = runtime.use(serversPart);
    this.links = runtime.use(linksPart);
    this.servers.calls.hand = handing({
      contextOf: (address) => runtime.contextOf(address),
      ask: (from, request, emit) => this.links.asked(request)?.(from, request, emit) ?? (() => {}),
      keep: ({ base64, mimeType }, reader, done) =>
        void during(this.blobs.keep(Buffer.from(base64, 'base64'), mimeType, reader)).then(done),
    });
    runtime.answer(blobsPort, (...asked) => this.blobs.request(...asked));
  }
  /** Contents too large for an answer, until agents have read them. */
  get blobs(): BlobStore {
    return (this.#blobs ??= new BlobStore({ ...this.#runtime.options, give: this.links.holdPart }));
  }
  async close(): Promise<void> {
    await this.#blobs?.close();
  }
}
export const computerPart = (runtime: Runtime): ComputerPart => new ComputerPart(runtime);
