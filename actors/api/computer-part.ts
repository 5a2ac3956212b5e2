import type { Runtime } from './runtime.ts';
import type { SeatPart } from './seat-part.ts';
import { serversPart, type ServersPart } from './servers-part.ts';
import { computerKinds } from '../kinds/computer.ts';
import type { Part } from '../runtime/part.ts';
import { during } from '../../adapters/clock.ts';
import { lazyPort } from '../../adapters/lazy-port.ts';
import type { HostFiles } from '../extras.ts';
import { extra } from '../extras.ts';
import { blobsPort, landingPort, skillsPort } from '../../machines/ports/files.ts';
import type { ComputerOrder } from '../../machines/computer/computer.machine.ts';
import type { Settings } from '../../machines/config/schemas.ts';
import { handing } from '../../machines/blobs/hand.ts';

type FolderSettings = Pick<Settings, 'skills' | 'landing'>;
const filePorts = {
  [blobsPort]: ({ blobs }: HostFiles) => blobs,
  [landingPort]: ({ landing }: HostFiles) => landing,
  [skillsPort]: ({ skills }: HostFiles) => skills,
} as const;

/** A computer: Desktop, Finder and files over the parts of its servers, and of its seat once it has an office. */
export class ComputerPart implements Part {
  readonly kinds = computerKinds;
  readonly servers: ServersPart;
  readonly #runtime: Runtime;
  #seat: SeatPart | undefined;
  #files: HostFiles | undefined;
  #loading: Promise<HostFiles> | undefined;
  #hasLanding = false;
  #notice: (text: string) => void = () => {};

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.servers = runtime.use(serversPart);
    this.servers.calls.hand = handing({
      contextOf: (address) => runtime.contextOf(address),
      ask: (from, request, emit) => this.#seat?.links.asked(request)?.(from, request, emit) ?? (() => {}),
      keep: ({ base64, mimeType }, reader, done) =>
        void during(
          this.#load().then(({ blobs }) => blobs.keep(Buffer.from(base64, 'base64'), mimeType, reader)),
        ).then(done),
    });
    for (const [port, of] of Object.entries(filePorts))
      runtime.answer(
        port,
        lazyPort(async () => of(await this.#load()).request),
      );
  }
  async seat(): Promise<SeatPart> {
    const { seatPart } = await during(import('./seat-part.ts'));
    return (this.#seat = this.#runtime.use(seatPart));
  }
  async #load(): Promise<HostFiles> {
    return (this.#loading ??= this.#open());
  }
  async #open(): Promise<HostFiles> {
    const { HostFiles: Files } = await extra('files');
    return (this.#files = new Files({
      ...this.#runtime.options,
      give: (...held) => this.#seat?.links.holdPart(...held),
      partOf: (ticket) => this.#seat?.links.partOf(ticket),
      notice: (text) => this.#notice(text),
      changed: () => this.#send({ type: 'skills.look' }),
    }));
  }
  #send(order: ComputerOrder): void {
    const { directory } = this.#runtime;
    if (directory.find('computer')) directory.send('computer', order);
  }
  /** Loads them before the computer starts, so that it has its landing folder before an agent can ask. */
  async loadFolders({ skills = [], landing }: FolderSettings): Promise<void> {
    if (skills.length > 0 || landing) await this.#load();
  }
  setFolders(settings: FolderSettings, notice: (text: string) => void): void {
    this.#notice = notice;
    const set = (files: HostFiles): void => this.#set(files, settings);
    if (this.#files) set(this.#files);
    else void this.loadFolders(settings).then(() => this.#files && set(this.#files));
  }
  /** Sends nothing while there has never been a landing folder. */
  #set(files: HostFiles, settings: FolderSettings): void {
    const landing = files.set(settings);
    if (landing || this.#hasLanding) this.#send({ type: 'landing.set', landing });
    this.#hasLanding ||= landing !== null;
  }
  /** Contents stay until all machines have ended. */
  async closeFolders(): Promise<void> {
    await this.#files?.closeFolders();
  }
  async close(): Promise<void> {
    await (await this.#loading)?.blobs.close();
  }
}
export const computerPart = (runtime: Runtime): ComputerPart => new ComputerPart(runtime);
