import type { ComponentChildren, JSX, RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Mood } from './model.ts';
import { durationText, visible } from './values.ts';

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
type ButtonProps = JSX.IntrinsicElements['button'];
/** Buttons that submit no form; a `Link` looks like a part of the text. */
export const Button = (props: ButtonProps): VNode => <button type="button" {...props} />;
export const Link = (props: ButtonProps): VNode => <Button class="plain" {...props} />;
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
      <Button class="copy" onClick={copy} aria-label={`copy ${label}`} title={`copy ${label}`}>
        copy<span class="copy-name"> {label}</span>
      </Button>
      <Said text={said} />
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

/** Size of an element and how far it is scrolled, in px, and the function that measures it again. */
export function useBox(): [
  box: RefObject<HTMLDivElement>,
  size: { readonly width: number; readonly height: number; readonly top: number },
  measure: () => void,
] {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400, top: 0 });
  const measure = (): void => {
    const { clientWidth: width = 800, clientHeight: height = 400, scrollTop: top = 0 } = box.current ?? {};
    setSize((old) =>
      old.width === width && old.height === height && old.top === top ? old : { width, height, top },
    );
  };
  useLayoutEffect(measure, []);
  useEffect(() => {
    const sized = new ResizeObserver(measure);
    if (box.current) sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  return [box, size, measure];
}
/** Calls `turned` in place of what the browser does at a turn of the wheel, unless it is false. */
export function useWheel(box: RefObject<HTMLElement>, turned: (event: WheelEvent) => unknown): void {
  useEffect(() => {
    const { current } = box;
    const heard = (event: WheelEvent): void => {
      if (turned(event) !== false) event.preventDefault();
    };
    current?.addEventListener('wheel', heard, { passive: false });
    return () => current?.removeEventListener('wheel', heard);
  });
}
/** Attributes of the element that draws a row of a list. */
export type RowProps = Pick<
  JSX.IntrinsicElements['div'],
  'id' | 'role' | 'aria-selected' | 'style' | 'onClick'
>;
interface LongListProps {
  readonly count: number;
  /** Height of a list row in px. */
  readonly rowHeight: number;
  readonly label: string;
  /** Index of the chosen row, which is scrolled into view when the index changes; below 0 for none. */
  readonly chosen: number;
  /** While no row is chosen, the last one is scrolled into view. */
  readonly isAtEnd?: boolean;
  readonly draw: (index: number, row: RowProps) => VNode | undefined;
  readonly choose: (index: number) => void;
}
const spare = 10;
/** List of any length: the document contains only the visible rows. Arrow keys move the choice. */
export function LongList(props: LongListProps): VNode {
  const { count, rowHeight, label, chosen, isAtEnd = false, draw, choose } = props;
  const [box, { top, height }, measure] = useBox();
  const shown = chosen < 0 && isAtEnd ? count - 1 : chosen;
  useLayoutEffect(() => {
    const { current } = box;
    if (!current || shown < 0) return;
    const at = shown * rowHeight;
    if (at < current.scrollTop) current.scrollTop = at;
    else if (at + rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = at + rowHeight - current.clientHeight;
    measure();
  }, [shown]);
  const idOf = (index: number): string => `${label.toLowerCase()}-${index}`;
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  const page = Math.floor(height / rowHeight);
  const by = (rows: number) => (): void => choose(Math.max(0, Math.min(count - 1, chosen + rows)));
  const moves = {
    ArrowDown: by(1),
    ArrowUp: by(-1),
    PageDown: by(page),
    PageUp: by(-page),
    Home: by(-Infinity),
    End: by(Infinity),
  };
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => {
    const index = first + at;
    const style = { height: `${rowHeight}px` };
    const onClick = (): void => choose(index);
    return draw(index, {
      id: idOf(index),
      role: 'option',
      'aria-selected': index === chosen,
      style,
      onClick,
    });
  });
  return (
    <div
      class="long"
      ref={box}
      tabIndex={0}
      role="listbox"
      aria-label={label}
      aria-activedescendant={chosen >= first && chosen < end ? idOf(chosen) : undefined}
      onScroll={measure}
      onKeyDown={onKeys(moves)}
    >
      <div class="all" style={{ height: `${count * rowHeight}px` }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
/** Head of a table, with the names of its columns. */
export const Head = ({ of }: { of: readonly string[] }): VNode => (
  <thead>
    <tr>
      {of.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
/** What came of an order or a question, beside its button. */
export const Said = ({ text, mood = 'quiet' }: { text: string; mood?: string }): VNode => (
  <span role="status" class={`small ${mood}`}>
    {visible(text)}
  </span>
);
