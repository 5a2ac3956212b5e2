import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CheckedDifference, CheckedInvariant, Checks } from '../../../machines/inspection/checks.ts';
import { Empty, State } from '../pieces.tsx';
import { traceUpTo } from '../saving.ts';
import type { Session } from '../session.ts';
import { visible } from '../values.ts';

/** Whether a recording keeps every invariant, and whether today's machines do the same. */

const GoTo = ({ session, s }: { session: Session; s: number }): VNode => (
  <button type="button" class="plain" onClick={() => session.goToNumber(s)}>
    record {s}
  </button>
);
function Difference({ session, difference }: { session: Session; difference: CheckedDifference }): VNode {
  const { s, agreed, recorded, replayed } = difference;
  const rows = Array.from({ length: Math.max(recorded.length, replayed.length) }, (_, at) => at);
  return (
    <div id="difference">
      <h3>Where they part</h3>
      <p>
        {s === null ? 'At the first input.' : 'While this was handled: '}
        {s !== null && <GoTo session={session} s={s} />}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">recorded</th>
            <th scope="col">today’s machines</th>
          </tr>
        </thead>
        <tbody>
          {agreed.map((text, at) => (
            <tr key={`same ${at}`}>
              <td class="mono quiet" colSpan={2}>
                = {visible(text)}
              </td>
            </tr>
          ))}
          {rows.map((at) => {
            const [before, after] = [recorded[at], replayed[at]];
            const isSame = before === after;
            return (
              <tr key={at}>
                <td class={`mono ${isSame ? '' : 'del'}`}>
                  {before === undefined ? '' : `${isSame ? '=' : '−'} ${visible(before)}`}
                </td>
                <td class={`mono ${isSame ? '' : 'ins'}`}>
                  {after === undefined ? '' : `${isSame ? '=' : '+'} ${visible(after)}`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
function Invariants({ session, all }: { session: Session; all: readonly CheckedInvariant[] }): VNode {
  const broken = all.filter(({ violations }) => violations.length > 0);
  const kept = all.filter(({ violations }) => violations.length === 0);
  return (
    <div id="invariants">
      <h3>Invariants</h3>
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
    <pre tabIndex={0} aria-label="What a2c replay says">
      {visible(checks.text)}
    </pre>
    {checks.difference && <Difference session={session} difference={checks.difference} />}
    <Invariants session={session} all={checks.invariants} />
  </>
);
function save(session: Session): void {
  const { history, host, at } = session;
  const name =
    (host?.name ?? 'host')
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/(\.trace)?\.ndjson(\.gz)?$/, '') ?? 'host';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([traceUpTo(history.rows(), at)], { type: 'application/x-ndjson' }),
  );
  link.download = `${name.replaceAll(/[^\w.-]+/g, '-')}.${history.row(at)?.s ?? 0}.trace.ndjson`;
  link.click();
  // A download reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
export function ChecksPanel({ session }: { session: Session }): VNode {
  const [isSaved, tell] = useState(false);
  const { checks, history } = session;
  useEffect(() => session.wantChecks());
  return (
    <div class="checks">
      <div class="bar">
        <button
          id="save"
          type="button"
          disabled={history.length === 0}
          onClick={() => {
            save(session);
            tell(true);
          }}
        >
          Save as scenario
        </button>
        <span class="quiet" role="status">
          {isSaved
            ? 'The file plays what led to this moment: npx a2c replay FILE. Keep it where your tests replay traces.'
            : 'a trace of all records up to the moment that is shown'}
        </span>
      </div>
      {checks === undefined && <Empty>Replaying …</Empty>}
      {typeof checks === 'string' && <Empty>{visible(checks)}</Empty>}
      {typeof checks === 'object' && <Result session={session} checks={checks} />}
    </div>
  );
}
