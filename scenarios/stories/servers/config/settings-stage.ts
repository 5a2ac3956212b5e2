import type { RequestFact } from '../../../../machines/kernel/ports.ts';
import { settingsPort, type FileFound } from '../../../../machines/settings/settings.rules.ts';
import type { Harness, HarnessOptions } from '../../../stage/harness.ts';
import { scenario } from '../../../stage/plan/index.ts';

type Act = FileFound | 'never' | 'refused' | { readonly later: FileFound };
export const good = (mark: string, value: Record<string, unknown> = { mark }): FileFound => ({
  kind: 'good',
  value,
  mark,
});
export const wrong: FileFound = {
  kind: 'wrong',
  mistakes: [{ path: 'mcpServers', message: 'expected', line: 2, column: 3 }],
};
export const none: FileFound = { kind: 'none' };
export const emptied: FileFound = { kind: 'emptied', mistakes: [{ path: '', message: 'is empty' }] };
let reads: Act[] = [];
let writes: Act[] = [];
export let written: unknown[] = [];
export let answer = (): void => {};
const files: HarnessOptions = {
  mend: (ports) => ({
    ...ports,
    request: (from, asked, emit) => {
      if (asked.target !== settingsPort) return ports.request(from, asked, emit);
      const list = asked.method === 'read' ? reads : writes;
      const act = (list.length > 1 ? list.shift() : list[0]) ?? 'never';
      if (asked.method === 'write') written.push(asked.params);
      if (act === 'never') return () => {};
      if (typeof act === 'object' && 'later' in act) {
        answer = () => emit({ type: 'ask.answered', id: asked.id, result: act.later });
        return () => {};
      }
      const failure = { code: 500, message: 'no space left on device (ENOSPC)' } as const;
      const fact: RequestFact =
        act === 'refused'
          ? { type: 'ask.refused', id: asked.id, sent: true, failure }
          : { type: 'ask.answered', id: asked.id, result: act };
      emit(fact);
      return () => {};
    },
  }),
};
export const story = (
  what: string,
  of: { reads: readonly Act[]; writes?: readonly Act[] },
  play: (s: Harness) => Promise<void>,
): void =>
  scenario(what, files, async (s) => {
    reads = [...of.reads];
    writes = [...(of.writes ?? [])];
    written = [];
    s.start('settings', { file: 'a2c.json' });
    await s.run(1);
    await play(s);
  });
export const change = (s: Harness, ticket: string): void =>
  s.order('settings', { type: 'settings.change', ticket, edits: [{ path: [ticket], value: 1 }] });
export const touch = async (s: Harness): Promise<void> => {
  s.order('settings', { type: 'file.changed' });
  await s.run(1);
};
export const told = (s: Harness): unknown[] =>
  s.heard('settings', 'settings.changed').map((e) => [e.state, (e.value as { mark?: string } | null)?.mark]);
export const settled = (s: Harness): unknown[] =>
  s.heard('settings', 'settings.settled').map((e) => [e.ticket, e.isTaken, e.failure?.code ?? null]);
