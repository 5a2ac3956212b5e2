import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { standingOf, type Call } from '../calls.ts';
import { compare, type Compared, type ComparedCall, type RunDifference } from '../compare.ts';
import type { Fleet } from '../fleet.ts';
import { moodOfCall } from '../model.ts';
import { State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { countText, durationText, visible } from '../values.ts';
import { Sides } from '../value.tsx';

/** Two runs of one host side by side: their differences first, then the calls of both. */

/** Number of rows of a list that are drawn before a person asks for more. */
const firstRows = 50;
interface Both {
  readonly fleet: Fleet;
  readonly compared: Compared;
}
function Difference({ fleet, difference }: { fleet: Fleet; difference: RunDifference }): VNode {
  const { one, other, parting } = difference;
  const show = (host: number, s: number) => (): void => {
    fleet.choose({ host });
    fleet.sessions[host]?.goToNumber(s);
  };
  const place = (host: number, row: RunDifference['one']): VNode | string =>
    row === undefined ? (
      'not in this run'
    ) : (
      <button type="button" class="plain" onClick={show(host, row.s)}>
        record {row.s}, at {durationText(row.t)}
      </button>
    );
  return (
    <tbody class="difference">
      <tr class="quiet small">
        <td>{place(0, one)}</td>
        <td>{place(1, other)}</td>
      </tr>
      <Sides parting={parting} />
    </tbody>
  );
}
const endOfCall = (session: Session | undefined, call: Call | undefined): VNode => {
  if (call === undefined) return <span class="quiet">not in this run</span>;
  const now = session?.wallEnd ?? 0;
  return (
    <>
      <State mood={moodOfCall(call, now)}>{standingOf(call, now).words}</State>{' '}
      <span class="quiet">{call.ended && durationText(call.ended.at - call.from)}</span>
    </>
  );
};
function CallOfBoth({ fleet, call }: { fleet: Fleet; call: ComparedCall }): VNode {
  const sides = [call.one, call.other];
  const host = call.one ? 0 : 1;
  return (
    <tr class={call.isSame ? undefined : 'broken'}>
      <th scope="row">
        <button type="button" class="plain" onClick={() => fleet.showCall(host, sides[host]?.ticket ?? '')}>
          {visible(sides[host]?.tool ?? '')}
        </button>
      </th>
      {sides.map((each, n) => (
        <td key={n}>{endOfCall(fleet.sessions[n], each)}</td>
      ))}
    </tr>
  );
}
/** Limits a list to its first rows until a person asks for more. */
function useFirst<T>(all: readonly T[]): readonly [shown: readonly T[], more: VNode | null] {
  const [most, show] = useState(firstRows);
  const left = all.length - most;
  const more = left > 0 && (
    <button type="button" onClick={() => show(most * 4)}>
      {left.toLocaleString('en')} more
    </button>
  );
  return [all.slice(0, most), more || null];
}
function Both({ fleet, compared }: Both): VNode {
  const { same, differences, calls } = compared;
  const [shown, more] = useFirst(differences);
  const [listed, moreCalls] = useFirst(calls);
  const others = calls.filter(({ isSame }) => !isSame).length;
  const names = fleet.sessions.map(({ host }) => visible(host?.name ?? ''));
  const heads = (
    <>
      <th scope="col">1: {names[0]}</th>
      <th scope="col">2: {names[1]}</th>
    </>
  );
  return (
    <>
      <p id="compared" class={differences.length > 0 ? 'bad' : 'good'}>
        {differences.length === 0
          ? `Both runs are the same in all ${countText(same, 'event')}.`
          : `${countText(differences.length, 'event')} of ${(same + differences.length).toLocaleString('en')} ${differences.length === 1 ? 'differs' : 'differ'}; ${countText(others, 'call')} ended in another way.`}
      </p>
      {differences.length > 0 && (
        <section aria-label="Differences">
          <h2>What differs, the first on top</h2>
          <table id="differences">
            <thead>
              <tr>{heads}</tr>
            </thead>
            {shown.map((difference, n) => (
              <Difference key={n} fleet={fleet} difference={difference} />
            ))}
          </table>
          {more}
        </section>
      )}
      {calls.length > 0 && (
        <section aria-label="Calls of both">
          <h2>Calls, those first that ended in another way</h2>
          <table id="calls-of-both">
            <thead>
              <tr>
                <th scope="col">tool</th>
                {heads}
              </tr>
            </thead>
            <tbody>
              {listed.map((call, n) => (
                <CallOfBoth key={n} fleet={fleet} call={call} />
              ))}
            </tbody>
          </table>
          {moreCalls}
        </section>
      )}
    </>
  );
}
/** Page that compares two runs once both are read. */
export function ComparePage({ fleet }: { fleet: Fleet }): VNode {
  const [one, other] = fleet.sessions;
  const isRead = one?.phase === 'file' && other?.phase === 'file';
  const drawn = useMemo(() => {
    if (!one || !other || !isRead) return null;
    const run = ({ history, story }: Session): Parameters<typeof compare>[0] => ({
      rows: history.rows(),
      calls: story.calls.all,
    });
    return <Both fleet={fleet} compared={compare(run(one), run(other))} />;
  }, [isRead]);
  return (
    <main id="compare">
      <h1>Two runs side by side</h1>
      {drawn ?? <p class="empty">Reading …</p>}
    </main>
  );
}
