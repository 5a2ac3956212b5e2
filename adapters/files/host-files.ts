import { BlobStore, type BlobStoreOptions } from './blob-store.ts';
import { LandingFolder, type LandingParts } from './landing-folder.ts';
import { SkillFolders } from './skill-folders.ts';
import type { Settings } from '../../machines/config/schemas.ts';
import { withoutUndefined } from '../../machines/protocol/json.ts';

/** Those of the Python SDK, and 1 GiB and 1,000 files together. */
const landingDefaults = {
  maxFileBytes: 100 * 2 ** 20,
  maxBytes: 2 ** 30,
  maxFiles: 1_000,
  idleMs: 120_000,
  autoApprove: false,
} as const;

export interface HostFilesOptions extends BlobStoreOptions, Pick<LandingParts, 'partOf'> {
  readonly notice: (text: string) => void;
  /** Called when a folder of skills has changed. */
  readonly changed: () => void;
}
/** Files of a host: folders of skills, the folder where files of agents land, and contents too large for an answer. */
export class HostFiles {
  readonly blobs: BlobStore;
  readonly skills: SkillFolders;
  readonly landing: LandingFolder;

  constructor({ partOf, notice, changed, ...store }: HostFilesOptions) {
    this.blobs = new BlobStore(store);
    this.landing = new LandingFolder({ partOf, notice });
    this.skills = new SkillFolders({
      changed,
      trouble: notice,
      lend: (...asked) => this.blobs.lend(...asked),
      keep: (...asked) => this.blobs.keep(...asked),
    });
  }
  /** Returns what the computer has to know of the landing folder; null for none. */
  set({ skills = [], landing: given }: Pick<Settings, 'skills' | 'landing'>): {
    readonly idleMs: number;
    readonly isApproved: boolean;
  } | null {
    void this.skills.set(skills);
    const settings = given && { ...landingDefaults, ...withoutUndefined(given), folder: given.folder };
    this.landing.set(settings);
    return settings ? { idleMs: settings.idleMs, isApproved: settings.autoApprove } : null;
  }
  async closeFolders(): Promise<void> {
    await this.skills.close();
    await this.landing.close();
  }
}
