import type { AnyEventObject } from 'xstate';
import type { HostedMachine, Runtime } from '../api/runtime.ts';
import { A2cError } from '../kernel/errors.ts';
import { deferred, type Deferred } from '../kernel/listeners.ts';
import { settingsFile, settingsInMemory, watchFile, type Judge } from '../../adapters/storage/settings.ts';
import type { Part } from '../runtime/part.ts';
import { settingsKinds } from '../kinds/settings.ts';
import type { Edit } from '../../machines/config/json-edits.ts';
import {
  settingsPort,
  type SettingsNews,
  type SettingsSettled,
} from '../../machines/settings/settings.rules.ts';

/** Longer than withdrawing a question takes. */
const patienceMs = 2_000;
const closed = { code: 'Closed', message: 'The presenter is closed' } as const;

const settingsPart = (): Part => ({ kinds: settingsKinds });

interface LiveConfigOptions {
  readonly runtime: Runtime;
  /** Path of the config file, or the config itself as an object that is kept in memory. */
  readonly from: string | object;
  readonly judge: Judge;
  changed(news: SettingsNews): void;
  notice(text: string): void;
}

/** Settings machine and watcher of a config file, and the changes that wait to be written. */
export class LiveConfig {
  readonly #options: LiveConfigOptions;
  readonly #hosted: HostedMachine;
  readonly #waiting = new Map<string, Deferred<SettingsSettled>>();
  readonly #first = deferred<SettingsNews>();
  readonly #watcher: ReturnType<typeof watchFile> | undefined;
  #asked = 0;
  #news: SettingsNews | undefined;

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    const { runtime, from, notice, judge } = options;
    const isFile = typeof from === 'string';
    runtime.use(settingsPart);
    runtime.answer(settingsPort, isFile ? settingsFile(from, judge) : settingsInMemory(from, judge));
    this.#hosted = runtime.start('settings', { file: isFile ? from : 'settings' }, (event) =>
      this.#hear(event),
    );
    if (isFile)
      this.#watcher = watchFile(
        from,
        () => this.#send({ type: 'file.changed' }),
        (error) => notice(`${from} is not watched: ${String(error)}`),
      );
  }
  get news(): SettingsNews | undefined {
    return this.#news;
  }
  /** Later news goes to the callback `changed`. */
  async opened(): Promise<SettingsNews> {
    await this.#watcher?.ready;
    return this.#first.promise;
  }
  /** False when an entry exists that an edit wanted absent; rejects when nothing was written. */
  async change(edits: readonly Edit[]): Promise<boolean> {
    const ticket = `change.${(this.#asked += 1)}`;
    const waiting = deferred<SettingsSettled>();
    if (!this.#options.runtime.directory.find(this.#hosted.address)) throw new A2cError(closed);
    this.#waiting.set(ticket, waiting);
    this.#send({ type: 'settings.change', ticket, edits });
    const { isTaken, failure } = await waiting.promise;
    if (failure) throw new A2cError(failure);
    return !isTaken;
  }
  #send(event: AnyEventObject): void {
    const { directory } = this.#options.runtime;
    if (directory.find(this.#hosted.address)) directory.send(this.#hosted.address, event);
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'settings.changed') {
      this.#news = event as unknown as SettingsNews;
      this.#first.resolve(this.#news);
      this.#options.changed(this.#news);
    } else if (event.type === 'settings.settled') {
      const settled = event as unknown as SettingsSettled;
      this.#waiting.get(settled.ticket)?.resolve(settled);
      this.#waiting.delete(settled.ticket);
    } else if (event.type === 'owned.ended') {
      for (const [ticket, { resolve }] of this.#waiting)
        resolve({ type: 'settings.settled', ticket, isTaken: false, failure: closed });
      this.#waiting.clear();
      this.#first.reject(new A2cError(closed));
      this.#first.promise.catch(() => {});
    }
  }
  async close(): Promise<void> {
    await this.#watcher?.close();
    await this.#options.runtime.end(this.#hosted, patienceMs);
  }
}
