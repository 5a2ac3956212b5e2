import type { VNode } from 'preact';
import { Button, Said } from '../pieces.tsx';
import { useState } from 'preact/hooks';
import type { Answer, Session } from '../session.ts';
import { clockAt, traceUntil, traceUpTo } from '../trace-lines.ts';

/** Saves a file that the page has made. */
export function saveFile(name: string, text: string): void {
  const content = new Blob([text], { type: 'application/x-ndjson' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  // A download reads the file only after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
const isGone = 'The host is gone: only a host that lives, or a recording, gives its trace';
/** Returns the trace up to the moment shown; a running host sends the trace that it has recorded. */
async function traceOf(session: Session): Promise<Pick<Answer, 'ok'> & { readonly text: string }> {
  const { history, at, isNow, phase } = session;
  if (phase === 'file') return { ok: true, text: traceUpTo(history.rows(), at) };
  if (phase !== 'live') return { ok: false, text: isGone };
  const answer = await session.ask({ type: 'ask', what: 'trace' });
  if (!answer.ok) return { ok: false, text: answer.error };
  const [whole, clock] = [String(answer.value), clockAt(history.rows(), at)];
  return { ok: true, text: isNow || clock === undefined ? whole : traceUntil(whole, clock) };
}
/** Name of a trace of this path, or of this host. */
export const fileOf = (path: string, s = ''): string =>
  `${(path.split(/[\\/]/).at(-1) ?? path).replace(/(\.trace)?\.ndjson(\.gz)?$/, '')}${s}.trace.ndjson`;
/** Saves the trace up to the moment shown as a file, and returns the message for the person. */
async function save(session: Session): Promise<string> {
  const { history, host, at } = session;
  const { ok, text } = await traceOf(session);
  if (!ok) return text;
  saveFile(fileOf(host?.name ?? 'host', `.${history.row(at)?.s ?? 0}`), text);
  return 'Play it: npx a2c replay FILE';
}
/** Button that saves a trace of what led to the moment shown. */
export function SaveTrace({ session }: { session: Session }): VNode {
  const [said, say] = useState('');
  return (
    <span class="copying">
      <Button
        id="save"
        title="save a trace of what led to the moment shown"
        disabled={session.history.length === 0}
        onClick={() => void save(session).then(say)}
      >
        save trace
      </Button>
      <Said text={said} />
    </span>
  );
}
