import type { VNode } from 'preact';
import { collectionChangesOf, isCollection, shownOf, type CollectionChange } from '../collections.ts';
import { Empty, Head, Link } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, visible } from '../values.ts';

/**
 * Panel of the windows on the Desktop and the documents in the Finder, with their changes and whether these were
 * announced.
 */

const mostShown = 200;
const names: Readonly<Record<string, string>> = { desktop: 'Desktop', finder: 'Finder' };
const toldText = ({ toldAfter, isTouching }: CollectionChange): string =>
  !isTouching
    ? 'not announced: nothing that is shown is touched by it'
    : toldAfter === undefined
      ? 'not yet: what changes within 200 ms is announced as one'
      : toldAfter < 1
        ? 'announced at once'
        : `announced ${durationText(toldAfter)} later, with what else changed until then`;

function Change({ change, session }: { change: CollectionChange; session: Session }): VNode {
  const { t, index, collection, server, why, added, removed } = change;
  return (
    <tr data-change={index}>
      <th scope="row">
        <Link
          onClick={() => {
            session.choose({ panel: 'records' });
            session.goTo(index);
          }}
        >
          {durationText(t)}
        </Link>
      </th>
      <td class="nowrap">{names[collection]}</td>
      <td>
        {visible(server)}: {visible(why)}
        {added.map((uri) => (
          <div key={uri} class="mono ins">
            + {visible(uri)}
          </div>
        ))}
        {removed.map((uri) => (
          <div key={uri} class="mono del">
            − {visible(uri)}
          </div>
        ))}
      </td>
      <td>{toldText(change)}</td>
    </tr>
  );
}
export function CollectionsPanel({ session }: { session: Session }): VNode {
  const { history, at } = session;
  const shown = [...history.at(at).values()]
    .filter(isCollection)
    .flatMap(({ kind, context }) => shownOf(context).map((each) => ({ kind, ...each })));
  const [first, end] = session.recordsInRange;
  const changes = collectionChangesOf(history, at).filter(({ index }) => index >= first && index < end);
  if (shown.length === 0 && changes.length === 0)
    return <Empty>No server shows windows or documents until this moment.</Empty>;
  return (
    <>
      <table id="shown">
        <Head of={['where', 'server', 'shows']} />
        <tbody>
          {shown.map(({ kind, server, uris, reason }) => (
            <tr key={`${kind} ${server}`}>
              <td class="nowrap">{names[kind]}</td>
              <td>{visible(server)}</td>
              <td>
                {uris.length === 0 ? <span class="quiet">nothing</span> : null}
                {uris.slice(0, mostShown).map((uri) => (
                  <div key={uri} class="mono">
                    {visible(uri)}
                  </div>
                ))}
                {reason !== '' && <div class="bad">▲ {visible(reason)}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <table id="changed">
        <Head of={['changed at', 'where', 'what and why', 'announced']} />
        <tbody>
          {changes.slice(0, mostShown).map((change) => (
            <Change key={`${change.index} ${change.server}`} change={change} session={session} />
          ))}
        </tbody>
      </table>
      {changes.length === 0 && <Empty>Nothing has changed since this page came.</Empty>}
    </>
  );
}
