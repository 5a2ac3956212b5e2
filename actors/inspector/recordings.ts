import {
  openInspectorServer,
  singlePage,
  systemClock,
  type AttachedPage,
  type PageListener,
} from '../../adapters/index.ts';
import { inspectionProtocol } from '../../machines/inspection-wire.ts';
import type { Charts, Checks, FromPage, ToPage, Welcome } from '../../machines/inspection.ts';
import { version } from '../../machines/version.ts';
import { cannotListen, chartsOf, type Inspection } from './inspections.ts';

/** Recorded trace of the profile `full`, as the text of its file. */
export interface Recording {
  /** Path of the trace file, shown to a person. */
  readonly name: string;
  readonly started: string | null;
  readonly text: string;
  /** Description of the damage of the file, after which nothing is shown; absent when the file is sound. */
  readonly damage?: string;
  /** Replays the recording and returns the results of its checks; called only when a person looks. */
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

const welcomeTo = ({ name, started, damage }: Recording, charts: Charts, lines: string): Welcome => ({
  type: 'welcome',
  protocol: inspectionProtocol,
  host: { kind: 'file', name, pid: null, started, version },
  mode: 'file',
  control: false,
  charts,
  past: false,
  ...(damage !== undefined && { damage }),
  lines,
});
/** Makes one HTML file of the page and a recording, for a bug report or a CI artifact. */
export const recordingPage = async (recording: Recording): Promise<string> =>
  singlePage({
    welcome: welcomeTo(recording, await chartsOf(), ''),
    trace: recording.text,
    checks: recording.checks(recording.name),
  });
/**
 * Shows a recording in a browser until it is closed. The event loop stays free between two batches, and nothing in the
 * file is executed.
 */
export async function showRecording(recording: Recording, port = 0): Promise<Inspection> {
  const { text } = recording;
  const first = text.indexOf('\n') + 1;
  const records = text.split('\n').length - 2;
  const charts = await chartsOf();
  const pages = new Set<AttachedPage>();
  const stream = (page: AttachedPage, from: number): void => {
    if (!pages.has(page)) return;
    if (page.waiting > 2 * batchChars) return later(page, from);
    if (from >= text.length) return page.send({ type: 'complete', records });
    const end = endOf(text, from);
    page.send({ type: 'records', lines: text.slice(from, end) });
    later(page, end);
  };
  const later = (page: AttachedPage, from: number): void =>
    void systemClock.setTimeout(() => stream(page, from), page.waiting === 0 ? 0 : patienceMs);
  const attached = (page: AttachedPage): PageListener => {
    pages.add(page);
    page.send(welcomeTo(recording, charts, text.slice(0, first)));
    stream(page, first);
    return {
      heard: (ask: FromPage) => page.send(answerTo(ask, recording)),
      left: () => void pages.delete(page),
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
