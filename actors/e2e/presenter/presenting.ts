import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPresenter, type Presenter, type PresenterEvents, type PresenterOptions } from '../../index.ts';

/** A presenter over a file of its own, and all that it has told. */
export async function presenting(config: object | string, options: PresenterOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-presenter-'));
  const file = join(folder, 'a2c.json');
  const write = (content: object | string): void =>
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  write(config);
  const presenter = await createPresenter({ file, stateDir: false, ...options });
  return { folder, file, write, presenter, ...listening(presenter), ...reading(file, folder, presenter) };
}
const reading = (file: string, folder: string, presenter: Presenter) => ({
  text: (): string => readFileSync(file, 'utf8'),
  json: (): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>,
  end: async (): Promise<void> => {
    await presenter.close();
    rmSync(folder, { recursive: true });
  },
});
const events: readonly (keyof PresenterEvents)[] = [
  ...(['mcp:server-started', 'mcp:server-stopped', 'mcp:tool-call-result', 'mcp:config-changed'] as const),
  ...(['mcp:server-status-changed', 'mcp:client-list-updated', 'notification'] as const),
];
/** Hears all, and waits for what is to come. */
export function listening(presenter: Presenter) {
  const told: { readonly name: keyof PresenterEvents; readonly value: unknown }[] = [];
  const looks = new Set<() => void>();
  for (const name of events)
    presenter.on(name, (value) => {
      told.push({ name, value });
      for (const look of looks) look();
    });
  presenter.computer.on('server.changed', () => {
    for (const look of looks) look();
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  const of = <Name extends keyof PresenterEvents>(name: Name): PresenterEvents[Name][] =>
    told.filter((each) => each.name === name).map(({ value }) => value as PresenterEvents[Name]);
  /** Names without `mcp:`, statuses by their word. */
  const line = (): string[] =>
    told.map(({ name, value }) =>
      name === 'mcp:server-status-changed' ? (value as { status: string }).status : name.replace('mcp:', ''),
    );
  return { told, until, of, line };
}
