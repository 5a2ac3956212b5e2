import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Mood } from './model.ts';
import { durationText } from './values.ts';

/** Small components that panels share. Every text of a server or a peer becomes a text node, never markup. */

/** Signs shown beside each color, for readers who cannot tell colors apart. */
export const marks: Readonly<Record<Mood, string>> = { good: '●', busy: '◐', bad: '▲', off: '○' };
export const State = ({ mood, children }: { mood: Mood; children: ComponentChildren }): VNode => (
  <span class={mood}>
    <span class="mark" aria-hidden="true">
      {marks[mood]}
    </span>{' '}
    {children}
  </span>
);
export const sinceText = (since: number | null, now: number): string =>
  since === null ? 'since before this page' : `for ${durationText(Math.max(0, now - since))}`;
export const Empty = ({ children }: { children: ComponentChildren }): VNode => (
  <p class="empty">{children}</p>
);
/** Button that copies a text, and then says that it was copied. */
export function Copy({ label, text }: { label: string; text: () => string }): VNode {
  const [said, say] = useState('');
  const copy = (): void => {
    // Handles a page without a clipboard, as one opened from a file may be.
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    const done = clipboard?.writeText(text()) ?? Promise.reject(new Error('no clipboard'));
    done.then(
      () => say('copied'),
      () => say('not allowed here'),
    );
    setTimeout(() => say(''), 2_000);
  };
  return (
    <span class="copying">
      <button type="button" class="copy" onClick={copy} aria-label={`copy ${label}`} title={`copy ${label}`}>
        copy<span class="copy-name"> {label}</span>
      </button>
      <span role="status" class="small quiet">
        {said}
      </span>
    </span>
  );
}
/** Makes a handler of key presses from a table of functions by key; other keys keep their usual effect. */
export const onKeys =
  (moves: Readonly<Record<string, () => void>>) =>
  (event: KeyboardEvent): void => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

export interface LongListProps {
  readonly count: number;
  /** Height of a list row in px. */
  readonly rowHeight: number;
  readonly label: string;
  /** Index of the row to scroll into view, which happens when the index changes. */
  readonly shown: number | undefined;
  /** Draws a row as an element with this id and the ARIA role `option`. */
  readonly draw: (index: number, id: string) => VNode | null;
  readonly onMove?: (by: number) => void;
}
const spare = 10;
/** List of any length: the document contains only the visible rows. Arrow keys move the choice. */
export function LongList({ count, rowHeight, label, shown, draw, onMove }: LongListProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 400 });
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setPlace((old) =>
      old.top === scrollTop && old.height === clientHeight ? old : { top: scrollTop, height: clientHeight },
    );
  };
  useEffect(() => {
    const sized = new ResizeObserver(measure);
    if (box.current) sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current || shown === undefined) return;
    const top = shown * rowHeight;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = top + rowHeight - current.clientHeight;
    measure();
  }, [shown]);
  const idOf = (index: number): string => `${label.toLowerCase()}-${index}`;
  const first = Math.max(0, Math.floor(place.top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((place.top + place.height) / rowHeight) + spare);
  const page = Math.floor(place.height / rowHeight);
  const by = (rows: number) => (): void => onMove?.(rows);
  const moves = {
    ArrowDown: by(1),
    ArrowUp: by(-1),
    PageDown: by(page),
    PageUp: by(-page),
    Home: by(-Infinity),
    End: by(Infinity),
  };
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) =>
    draw(first + at, idOf(first + at)),
  );
  const isDrawn = shown !== undefined && shown >= first && shown < end;
  return (
    <div
      class="long"
      ref={box}
      tabIndex={0}
      role="listbox"
      aria-label={label}
      aria-activedescendant={isDrawn ? idOf(shown) : undefined}
      onScroll={measure}
      onKeyDown={onKeys(moves)}
    >
      <div class="all" style={{ height: `${count * rowHeight}px` }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
