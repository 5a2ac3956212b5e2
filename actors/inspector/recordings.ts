import {
  openInspectorServer,
  singlePage,
  systemClock,
  type AttachedPage,
  type PageListener,
} from '../../adapters/index.ts';
import { inspectionProtocol } from '../../machines/inspection-wire.ts';
import type { Charts, Checks, FromPage, HostFacts, ToPage, Welcome } from '../../machines/inspection.ts';
import { version } from '../../machines/version.ts';
import { openFleet } from './fleet.ts';
import { cannotListen, chartsOf, type Inspection } from './inspections.ts';

/** Recorded trace of the profile `full`, as the text of its file. */
export interface Recording {
  /** Path of the trace file, shown to a person. */
  readonly name: string;
  readonly started: string | null;
  readonly text: string;
  /** Description of the damage of the file, after which nothing is shown; absent when the file is sound. */
  readonly damage?: string;
  /** Replays the recording and returns the results of its checks; called when a page asks. */
  readonly checks: (name: string) => Checks;
}
/** Number of characters sent to a page at a time; sending pauses while more than twice as many bytes wait. */
const batchChars = 256 * 1024;
const patienceMs = 10;

/** Returns the end of the first line that reaches past the batch size of characters. */
const endOf = (text: string, from: number): number => {
  const end = text.indexOf('\n', from + batchChars);
  return end < 0 ? text.length : end + 1;
};
const refused = 'A recording takes no orders, and no server of it can be asked';
const answerTo = (ask: FromPage, { name, checks }: Recording): ToPage => {
  const { id } = ask;
  try {
    if (ask.type === 'ask' && ask.what === 'checks')
      return { type: 'answer', id, ok: true, value: checks(name) };
    return { type: 'answer', id, ok: false, error: refused };
  } catch (error) {
    return { type: 'answer', id, ok: false, error: (error as Error).message };
  }
};

const factsOf = ({ name, started }: Recording): HostFacts => ({
  kind: 'file',
  name,
  pid: null,
  started,
  version,
});
const welcomeTo = (recording: Recording, charts: Charts, lines: string): Welcome => ({
  type: 'welcome',
  protocol: inspectionProtocol,
  host: factsOf(recording),
  mode: 'file',
  control: false,
  charts,
  past: false,
  ...(recording.damage !== undefined && { damage: recording.damage }),
  lines,
});
/** Makes one HTML file of the page and recordings, for a bug report or a CI artifact. */
export async function recordingPage(recordings: readonly Recording[]): Promise<string> {
  const charts = await chartsOf();
  return singlePage(
    recordings.map((recording) => ({
      welcome: welcomeTo(recording, charts, ''),
      trace: recording.text,
      checks: recording.checks(recording.name),
    })),
  );
}
/** Makes a function that sends a recording to a page, in batches between which the event loop is free. */
function shownBy(recording: Recording, charts: Charts): (page: AttachedPage) => PageListener {
  const { text } = recording;
  const first = text.indexOf('\n') + 1;
  const records = text.split('\n').length - 2;
  return (page) => {
    let isHere = true;
    const stream = (from: number): void => {
      if (!isHere) return;
      if (page.waiting > 2 * batchChars) return later(from);
      if (from >= text.length) return page.send({ type: 'complete', records });
      const end = endOf(text, from);
      page.send({ type: 'records', lines: text.slice(from, end) });
      later(end);
    };
    const later = (from: number): void =>
      void systemClock.setTimeout(() => stream(from), page.waiting > batchChars ? patienceMs : 0);
    page.send(welcomeTo(recording, charts, text.slice(0, first)));
    stream(first);
    return {
      heard: (ask: FromPage) => page.send(answerTo(ask, recording)),
      left: () => void (isHere = false),
    };
  };
}
/** Shows a recording, or several together, in a browser until they are closed. Nothing in the files is executed. */
export async function showRecordings(recordings: readonly Recording[], port = 0): Promise<Inspection> {
  const charts = await chartsOf();
  const [only, ...others] = recordings;
  if (others.length > 0)
    return openFleet(
      recordings.map((each) => ({ facts: factsOf(each), attach: shownBy(each, charts) })),
      port,
    );
  const pages = new Set<AttachedPage>();
  const show = only && shownBy(only, charts);
  const attached = (page: AttachedPage): PageListener | undefined => {
    const shown = show?.(page);
    if (!shown) return undefined;
    pages.add(page);
    return {
      ...shown,
      left: () => {
        pages.delete(page);
        shown.left();
      },
    };
  };
  const server = await openInspectorServer({ port, attached }).catch((error: unknown) => {
    throw cannotListen(port, error);
  });
  const close = async (): Promise<void> => {
    for (const page of pages) page.send({ type: 'closed', reason: 'the inspector was closed' });
    await server.close();
  };
  return { url: server.url, close, [Symbol.asyncDispose]: close };
}
