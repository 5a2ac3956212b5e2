import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { isObject } from '../../machines/protocol/json.ts';
import { Copy, Button, Link } from './pieces.tsx';
import type { Session } from './session.ts';
import { countText, laterOf, visible, type LaterValue } from './values.ts';

/**
 * Components that show JSON values to a person: folded, limited in size, and copied whole. Every text of a server is a text
 * node, never markup.
 */

/** Number of characters, entries and lines of a value that are shown before a person asks for more. */
const firstChars = 2_000;
const mostChars = 200_000;
const firstEntries = 100;
/** Depth and number of entries up to which values are open at first. */
const openDepth = 5;
const openEntries = 30;

/** Text that is shortened until a person asks for more. */
export function LongText({ text, isQuoted }: { text: string; isQuoted: boolean }): VNode {
  const [isWhole, showWhole] = useState(false);
  const shown = text.slice(0, isWhole ? mostChars : firstChars);
  const left = text.length - shown.length;
  return (
    <>
      <span class={isQuoted ? 'string' : undefined}>{visible(isQuoted ? JSON.stringify(shown) : shown)}</span>
      {left > 0 && (
        <>
          {' '}
          {isWhole ? (
            <span class="quiet">… {countText(left, 'more character')}: copy it to see all</span>
          ) : (
            <Link onClick={() => showWhole(true)}>… {countText(left, 'more character')}</Link>
          )}
        </>
      )}
    </>
  );
}
function Later({ session, later }: { session: Session; later: LaterValue }): VNode {
  const [got, take] = useState<{ value?: unknown; error?: string } | undefined>(undefined);
  if (got?.error !== undefined) return <span class="bad">{visible(got.error)}</span>;
  if (got) return <Node value={got.value} depth={openDepth} session={session} />;
  const ask = async (): Promise<void> => {
    const answer = await session.ask({ type: 'ask', what: 'value', number: later.number });
    take(answer.ok ? { value: answer.value } : { error: answer.error });
  };
  return (
    <Button onClick={() => void ask()}>
      show value {later.number}, of {countText(later.size, 'part')}
    </Button>
  );
}
interface Shown {
  readonly value: unknown;
  readonly depth: number;
  readonly session: Session | undefined;
}
function Entries({ value, depth, session }: Shown): VNode {
  const [most, showMore] = useState(firstEntries);
  const entries = Object.entries(value as object);
  const isList = Array.isArray(value);
  return (
    <ul class="entries">
      {entries.slice(0, most).map(([key, inner]) => (
        <li key={key}>
          <Node name={isList ? key : visible(key)} value={inner} depth={depth + 1} session={session} />
        </li>
      ))}
      {entries.length > most && (
        <li>
          <Link onClick={() => showMore(most * 10)}>
            … {(entries.length - most).toLocaleString('en')} more
          </Link>
        </li>
      )}
    </ul>
  );
}
function Node({ name, value, depth, session }: Shown & { name?: string | undefined }): VNode {
  const key = name === undefined ? null : <span class="key">{name}: </span>;
  const later = session && laterOf(value);
  const [isOpen, open] = useState<boolean | undefined>(undefined);
  if (later)
    return (
      <>
        {key}
        <Later session={session} later={later} />
      </>
    );
  if (typeof value !== 'object' || value === null)
    return (
      <>
        {key}
        {typeof value === 'string' ? (
          <LongText text={value} isQuoted />
        ) : (
          <span class="atom">{JSON.stringify(value) ?? 'undefined'}</span>
        )}
      </>
    );
  const size = Object.keys(value).length;
  if (size === 0)
    return (
      <>
        {key}
        {isObject(value) ? '{}' : '[]'}
      </>
    );
  const isShown = isOpen ?? (depth < openDepth && size <= openEntries);
  return (
    <details open={isShown} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        {key}
        <span class="quiet">
          {isObject(value) ? `{ ${countText(size, 'field')} }` : `[ ${countText(size, 'item')} ]`}
        </span>
      </summary>
      {isShown && <Entries value={value} depth={depth} session={session} />}
    </details>
  );
}
/** Value with a button that copies all of it. With `isFolded` only its name is shown at first. */
export function Value({
  value,
  label,
  session,
  isFolded = false,
  name,
}: {
  value: unknown;
  label: string;
  /** Session that fetches large values which the host kept; without a session such values stay references. */
  session?: Session;
  isFolded?: boolean;
  name?: string;
}): VNode {
  const text = (): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
  return (
    <div class="value mono" role="group" aria-label={label} tabIndex={0}>
      <Copy label={label} text={text} />
      {typeof value === 'string' ? (
        <div class="text">
          <LongText text={value} isQuoted={false} />
        </div>
      ) : (
        <Node name={name} value={value} depth={isFolded ? openDepth : 0} session={session} />
      )}
    </div>
  );
}
