import { byRecency, type ServerHistory } from '../../call/history.ts';
import { standingOf } from './window-uri.ts';
import { isShown, renderWindow, type Window } from './window.ts';

/** The windows of one server. */
interface Group {
  readonly placed: { readonly window: Window; readonly priority: number }[];
  /** The first that wants the whole screen, in the order of the list: priority does not count here. */
  fullscreen?: Window;
}

/**
 * The windows of a desktop as texts, in order (seed 001, 组织策略). `windows` come as their servers list them; `size` is
 * the most that are wanted, of all servers together, null without limit; `history` has the oldest call first.
 */
export const organizeDesktop = (
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly string[] => arrangeWindows(windows, size, history).map(renderWindow);

/** The same, not yet rendered: what does not count is left out, the rest by server and then by priority. */
export function arrangeWindows(
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly Window[] {
  // A host may say anything: half a window is none, as half a document is.
  const most = Math.trunc(size ?? Infinity);
  if (!(most > 0)) return [];
  const groups = grouped(windows);
  const arranged: Window[] = [];
  for (const server of byRecency(groups.keys(), history)) {
    const group = groups.get(server);
    if (!group) continue;
    for (const window of windowsOf(group)) {
      if (arranged.length >= most) return arranged;
      arranged.push(window);
    }
  }
  return arranged;
}

function grouped(windows: readonly Window[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const window of windows) {
    const standing = isShown(window) ? standingOf(window.uri) : undefined;
    if (!standing) continue;
    let group = groups.get(window.server);
    if (!group) groups.set(window.server, (group = { placed: [] }));
    const listed = window.standing ?? {};
    group.placed.push({ window, priority: standing.priority ?? listed.priority ?? 0 });
    if (standing.fullscreen ?? listed.fullscreen) group.fullscreen ??= window;
  }
  return groups;
}

/** A server that has a window for the whole screen shows that one alone; this says nothing about other servers. */
const windowsOf = ({ placed, fullscreen }: Group): readonly Window[] =>
  fullscreen ? [fullscreen] : placed.sort((a, b) => b.priority - a.priority).map(({ window }) => window);
