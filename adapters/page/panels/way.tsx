import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fieldsOf } from '../../../machines/protocol/json.ts';
import { textOf } from '../../../machines/trace/row.ts';
import type { MessageRow } from '../messages.ts';
import { isBelow } from '../../../machines/kernel/effects.ts';
import { Button, Link } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, finerTimeText, visible } from '../values.ts';
import { hasWire, useMessages } from './messages.tsx';

/** Steps of a machine, messages of its server and its last words, on one clock, which a person plays. */

export interface Beat {
  /** Index of the record at which it happened. */
  readonly index: number;
  /** Position of a step among all known steps of the machine, from 1; undefined for what is no step. */
  readonly n?: number;
  /** Transitions of a step. */
  readonly ids: readonly string[];
  readonly text: string;
  readonly lines?: string;
}
/** Shortens the id of a transition, `client: idle --server.start--> launching`, to its event and its target. */
const stepText = (id: string): string => id.replace(/^[^:]*: .*?--(.*)--> ?/, '$1 → ').replace(/ → \.?$/, '');
function stepsOf({ history }: Session, address: string): readonly Beat[] {
  const steps: Beat[] = [];
  for (const index of history.lane(address)?.rows ?? []) {
    const row = history.row(index);
    if (row?.k !== 'step' || !Array.isArray(row['tr']) || row['tr'].length === 0) continue;
    const ids = row['tr'].map(textOf);
    steps.push({ index, n: steps.length + 1, ids, text: ids.map(stepText).join(', ') });
  }
  return steps;
}
function messageText({ dir, isAnswer, name, afterMs, body }: MessageRow): string {
  const params = fieldsOf(fieldsOf(body)['params']);
  const about = textOf(params['name']) || textOf(params['uri']);
  const what = [isAnswer ? 'answer to' : '', name, about].filter(Boolean).join(' ');
  return `${dir === 'out' ? 'sent' : 'got'} ${what}${afterMs === null ? '' : ` after ${durationText(afterMs)}`}`;
}
function messagesOf(session: Session, address: string): readonly Beat[] {
  const { history, phase } = session;
  return session.messages.of(address).map((row) => {
    // A running host numbers messages apart from records.
    const own = phase === 'live' ? undefined : history.indexOf(row.id);
    return { index: own ?? history.indexAt(session.traceTime(row.at)), ids: [], text: messageText(row) };
  });
}
const lastLines = 40;
/** Ends of processes and losses of sessions below a machine, with the last lines of stderr. */
const endsOf = ({ history }: Session, address: string): readonly Beat[] =>
  history.faults.flatMap(({ index }) => {
    const row = history.row(index);
    if (!isBelow(address, textOf(row?.['a']))) return [];
    const { type, code, signal, stderr } = fieldsOf(row?.['ev']);
    const how = textOf(signal) === '' ? `with exit code ${String(code)}` : `by ${textOf(signal)}`;
    const text = type === 'child.exited' ? `its process ended ${how}` : textOf(type).replace('.', ' ');
    return [
      { index, ids: [], text, lines: textOf(stderr).trimEnd().split('\n').slice(-lastLines).join('\n') },
    ];
  });
/** All that is known of a machine in the chosen time, in order. */
export function useBeats(session: Session, address: string | undefined): readonly Beat[] {
  const hasMessages = address !== undefined && hasWire(session, address);
  useMessages(session, hasMessages ? { a: address } : undefined);
  if (address === undefined) return [];
  const [first, end] = session.recordsInRange;
  return [
    ...stepsOf(session, address),
    ...(hasMessages ? messagesOf(session, address) : []),
    ...endsOf(session, address),
  ]
    .filter(({ index }) => index >= first && index < end)
    .toSorted((a, b) => a.index - b.index);
}
/** Numbers of what is listed before and after the moment shown. */
const [before, after] = [30, 10];
const beatMs = 800;
/** Goes through what happened, from the last forty on, or from the moment shown. */
export function Play({ session, beats }: { session: Session; beats: readonly Beat[] }): VNode {
  const [isPlaying, play] = useState(false);
  const { at } = session;
  const next = beats.find(({ index }) => index > at);
  useEffect(() => {
    if (!isPlaying) return;
    if (!next) return play(false);
    const timer = setTimeout(() => session.goTo(next.index), beatMs);
    return () => clearTimeout(timer);
  }, [isPlaying, next?.index]);
  const start = (): void => {
    const first = next ?? beats.at(-Math.min(beats.length, before + after));
    if (!isPlaying && first) session.goTo(first.index);
    play(!isPlaying);
  };
  return (
    <Button id="play" disabled={beats.length === 0} aria-pressed={isPlaying} onClick={start}>
      {isPlaying ? '❚❚ pause' : '▶ play'}
    </Button>
  );
}
/** List of what happened around the moment shown, each with its time of day; a click goes there. */
export function Way({ session, beats }: { session: Session; beats: readonly Beat[] }): VNode {
  const list = useRef<HTMLOListElement>(null);
  const { at, history } = session;
  const past = beats.filter(({ index }) => index <= at).length;
  const shown = beats.slice(Math.max(0, past - before), past + after);
  const current = beats[past - 1];
  const step = beats.slice(0, past).findLast(({ n }) => n !== undefined);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && row)
      list.current.scrollTop = row.offsetTop - list.current.offsetTop - list.current.clientHeight / 2;
  }, [current?.index]);
  const timeOf = (index: number): string =>
    finerTimeText(session.clockOf(history.row(index)?.t ?? 0), session.wallEnd);
  return (
    <section>
      <h2>what happened</h2>
      {beats.length === 0 && <p class="quiet small">No step is known.</p>}
      <ol class="way" ref={list} tabIndex={0} aria-label="What happened">
        {shown.map((beat, place) => (
          <li
            key={`${beat.index} ${place}`}
            class={`${beat === step ? 'taken' : ''}${beat.index > at ? ' later' : ''}`}
            aria-current={beat === current ? 'step' : undefined}
          >
            <Link onClick={() => session.goTo(beat.index)}>{beat.n ?? '·'}</Link>{' '}
            <span class="quiet">{timeOf(beat.index)}</span> <span>{visible(beat.text)}</span>
            {beat.lines && <pre class="stderr">{visible(beat.lines)}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}
