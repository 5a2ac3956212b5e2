import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CheckedDifference, CheckedInvariant, Checks } from '../../../machines/inspection.ts';
import { saveFile } from '../picture.tsx';
import { Empty, State } from '../pieces.tsx';
import { clockAt, traceUntil, traceUpTo } from '../trace-lines.ts';
import type { Answer, Session } from '../session.ts';
import { partingOf, visible } from '../values.ts';
import { LongText, Sides, Value } from '../value.tsx';

/**
 * Panel that tells whether a recording keeps every invariant, and whether a replay on the current machines gives the
 * same result.
 */

const GoTo = ({ session, s }: { session: Session; s: number }): VNode => (
  <button type="button" class="plain" onClick={() => session.goToNumber(s)}>
    record {s}
  </button>
);
function Difference({ session, difference }: { session: Session; difference: CheckedDifference }): VNode {
  const { s, before, recorded, now, cause } = difference;
  return (
    <div id="difference">
      <h2>What differs first</h2>
      <ul class="mono quiet">
        {before.map((text, at) => (
          <li key={at}>
            <LongText text={text} isQuoted={false} />
          </li>
        ))}
      </ul>
      {s !== null && (
        <p>
          After <GoTo session={session} s={s} />:
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">recorded</th>
            <th scope="col">now</th>
          </tr>
        </thead>
        <tbody>
          <Sides parting={partingOf(recorded ?? 'nothing', now ?? 'nothing')} />
        </tbody>
      </table>
      <p>Cause: {visible(cause)}</p>
    </div>
  );
}
function Invariants({ session, all }: { session: Session; all: readonly CheckedInvariant[] }): VNode {
  const broken = all.filter(({ violations }) => violations.length > 0);
  const kept = all.filter(({ violations }) => violations.length === 0);
  return (
    <div id="invariants">
      <h2>Invariants</h2>
      {broken.map(({ name, why, violations }) => (
        <div key={name} class="broken">
          <p>
            <State mood="bad">{visible(name)}</State> <span class="quiet">{visible(why)}</span>
          </p>
          <ul>
            {violations.map(({ s, at, what }, n) => (
              <li key={n}>
                {s === null ? 'at the end' : <GoTo session={session} s={s} />}{' '}
                <span class="mono">{visible(at)}</span> {visible(what)}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <details open={broken.length === 0}>
        <summary>
          <State mood="good">{kept.length} are kept</State>
        </summary>
        <ul class="small">
          {kept.map(({ name, why }) => (
            <li key={name}>
              {visible(name)} <span class="quiet">{visible(why)}</span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
const Result = ({ session, checks }: { session: Session; checks: Checks }): VNode => (
  <>
    <p id="verdict">
      <State mood={checks.verdict === 'same' ? 'good' : 'bad'}>{checks.verdict.toUpperCase()}</State>
    </p>
    {checks.difference && <Difference session={session} difference={checks.difference} />}
    <Value value={checks.text} label="What a2c replay says" />
    <Invariants session={session} all={checks.invariants} />
  </>
);
const isGone = 'The host is gone: a host that lives is saved as a scenario, or a recording';
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
const replayed =
  'The file plays what led to this moment: npx a2c replay FILE. Keep it where your tests replay traces.';
/** Saves the trace up to the moment shown as a file, and returns the message for the person. */
async function save(session: Session): Promise<string> {
  const { history, host, at } = session;
  const { ok, text } = await traceOf(session);
  if (!ok) return text;
  const name =
    (host?.name ?? 'host')
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/(\.trace)?\.ndjson(\.gz)?$/, '') ?? 'host';
  saveFile(
    `${name}.${history.row(at)?.s ?? 0}.trace.ndjson`,
    new Blob([text], { type: 'application/x-ndjson' }),
  );
  return replayed;
}
export function ChecksPanel({ session }: { session: Session }): VNode {
  const [said, tell] = useState('');
  const { checks, history } = session;
  useEffect(() => session.wantChecks());
  return (
    <div class="checks">
      <div class="bar">
        <button
          id="save"
          type="button"
          disabled={history.length === 0}
          onClick={() => void save(session).then(tell)}
        >
          Save as scenario
        </button>
        <span class="quiet" role="status">
          {visible(said) || 'a trace of what led to the moment that is shown'}
        </span>
      </div>
      {checks === undefined && <Empty>Replaying …</Empty>}
      {typeof checks === 'string' && <Empty>{visible(checks)}</Empty>}
      {typeof checks === 'object' && <Result session={session} checks={checks} />}
    </div>
  );
}
