import type { Parts } from '../../adapters/connections/link-requests.ts';
import type { Links } from '../../adapters/socket/link.ts';
import type { Settings } from '../../machines/config/schemas.ts';
import type { BlobFacts } from '../../machines/blobs/blobs.rules.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';

export interface HostFilesOptions {
  readonly stateDir?: string | false | undefined;
  /** Keeps a part of a content until an agent has it. */
  readonly give: Links['holdPart'];
  readonly partOf: (ticket: string) => ReturnType<Parts['get']>;
  readonly notice: (text: string) => void;
  /** Called when a folder of skills has changed. */
  readonly changed: () => void;
}
interface Answering {
  readonly request: RequestPort;
}
/** Files of a host: folders of skills, the folder where files of agents land, and contents too large for an answer. */
export interface HostFiles {
  readonly skills: Answering;
  readonly landing: Answering;
  readonly blobs: Answering & {
    /** Undefined when there is no room, or the disk is full. */
    keep(bytes: Uint8Array, mimeType: string, reader: string): Promise<BlobFacts | undefined>;
    close(): Promise<void>;
  };
  /** Returns what the computer has to know of the landing folder; null for none. */
  set(settings: Pick<Settings, 'skills' | 'landing'>): {
    readonly idleMs: number;
    readonly isApproved: boolean;
  } | null;
  closeFolders(): Promise<void>;
}
