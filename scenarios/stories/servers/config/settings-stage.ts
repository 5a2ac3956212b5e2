import { expect } from 'vitest';
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
let written: unknown[] = [];
let answer = (): void => {};
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
/** Changes by their ticket, a file that is touched, an answer that was held back, an end; or ms that pass. */
type Happens = 'a' | 'b' | 'c' | 'touch' | 'answer' | 'close' | number;
interface Seen {
  /** State and mark of what is in force. */
  readonly told?: readonly string[];
  /** Ticket, `taken` where somebody else had changed it so, and why not. */
  readonly settled?: readonly string[];
  /** Whether each write put back what was in force. */
  readonly restores?: readonly boolean[];
}
const said = (...words: unknown[]): string => words.filter(Boolean).join(' ');
const seenOf = (s: Harness): object => ({
  told: s
    .heard('settings', 'settings.changed')
    .map((e) => said(e.state, (e.value as { mark?: string } | null)?.mark)),
  settled: s
    .heard('settings', 'settings.settled')
    .map((e) => said(e.ticket, e.isTaken && 'taken', e.failure?.code)),
  restores: written.map((each) => (each as { restores: boolean }).restores),
});
async function happens(s: Harness, what: Happens): Promise<void> {
  if (typeof what === 'number') await s.run(what);
  else if (what === 'answer') answer();
  else if (what === 'close') s.close('settings');
  else if (what === 'touch') s.order('settings', { type: 'file.changed' });
  else s.order('settings', { type: 'settings.change', ticket: what, edits: [{ path: [what], value: 1 }] });
  if (['touch', 'answer', 'close'].includes(what as string)) await s.run(1);
}
/** What happens, one after the other, and what is seen a moment later. */
export const story = (
  what: string,
  of: { reads: readonly Act[]; writes?: readonly Act[] },
  ...parts: readonly (readonly [happens: readonly Happens[], seen: Seen])[]
): void =>
  scenario(what, files, async (s) => {
    reads = [...of.reads];
    writes = [...(of.writes ?? [])];
    written = [];
    s.start('settings', { file: 'a2c.json' });
    await s.run(1);
    for (const [acts, seen] of parts) {
      for (const act of acts) await happens(s, act);
      await s.run(1);
      expect(seenOf(s)).toMatchObject(seen);
    }
  });
