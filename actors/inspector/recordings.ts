import { machines } from '../kinds/all.ts';
import type { AttachedPage, PageListener } from '../../adapters/inspector/server.ts';
import { singlePage, type PageContent } from '../../adapters/inspector/page-files.ts';
import {
  inspectionProtocol,
  type Checks,
  type FromPage,
  type HostFacts,
  type ToPage,
  type Welcome,
} from '../../machines/inspection.ts';
import type { Charts } from '../../machines/trace/chart.ts';
import { version } from '../../machines/version.ts';
import { openFleet } from './fleet.ts';
import { chartsOf, openPages, pause, takesMore } from './inspections.ts';
import type { Inspection } from '../api/page.ts';

/** Of the profile `full`; its text is read as often as it is shown. */
export interface Recording {
  readonly name: string;
  readonly started: string | null;
  readonly rows: number;
  readonly chars: number;
  /** In parts of whole lines, beginning with the head. */
  readonly text: () => AsyncIterable<string>;
  /** Nothing is shown after the damage; absent when the file is sound. */
  readonly damage?: string;
  readonly checks: (name: string) => Promise<Checks>;
}
/** Checks hold all of a recording in memory. */
const mostChecked = { rows: 250_000, chars: 128 * 1024 * 1024 };

const refused = 'A recording takes no orders, and no server of it can be asked';
/** Checks a recording; null for one that is too long. */
const checked = async ({ rows, chars, name, checks }: Recording): Promise<Checks | null> =>
  rows > mostChecked.rows || chars > mostChecked.chars ? null : checks(name);
const answerTo = async (ask: FromPage, recording: Recording): Promise<ToPage> => {
  const { id } = ask;
  try {
    if (ask.type !== 'ask' || ask.what !== 'checks') throw new Error(refused);
    return { type: 'answer', id, ok: true, value: await checked(recording) };
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
export async function* recordingPage(recordings: readonly Recording[]): AsyncGenerator<string> {
  const charts = await chartsOf(machines);
  const contents: PageContent[] = [];
  for (const recording of recordings)
    contents.push({
      welcome: welcomeTo(recording, charts, ''),
      trace: recording.text,
      checks: await checked(recording),
    });
  yield* singlePage(contents);
}
/** As fast as the page reads it, until the page has left. */
async function tell(
  { text, rows }: Recording,
  page: AttachedPage,
  isHere: () => boolean,
  welcome: (head: string) => Welcome,
): Promise<void> {
  let isFirst = true;
  for await (const part of text()) {
    if (!(await takesMore(page, isHere))) return;
    const head = isFirst ? part.indexOf('\n') + 1 : 0;
    if (isFirst) page.send(welcome(part.slice(0, head)));
    isFirst = false;
    if (head < part.length) page.send({ type: 'records', lines: part.slice(head) });
    // Lets the event loop turn, so that a page is answered meanwhile.
    await pause(0);
  }
  page.send({ type: 'complete', records: rows - 1 });
}
function shownBy(recording: Recording, charts: Charts): (page: AttachedPage) => PageListener {
  return (page) => {
    let isHere = true;
    const welcome = (head: string): Welcome => welcomeTo(recording, charts, head);
    tell(recording, page, () => isHere, welcome).catch((error: unknown) => {
      if (isHere)
        page.send({
          type: 'closed',
          reason: `the file cannot be read any more: ${(error as Error).message}`,
        });
    });
    return {
      heard: (ask: FromPage) => void answerTo(ask, recording).then((answer) => page.send(answer)),
      left: () => void (isHere = false),
    };
  };
}
/** Nothing in the files is executed. */
export async function showRecordings(recordings: readonly Recording[], port = 0): Promise<Inspection> {
  const charts = await chartsOf(machines);
  const [only, ...others] = recordings;
  if (!only || others.length > 0)
    return openFleet(
      recordings.map((each) => ({ facts: factsOf(each), attach: shownBy(each, charts) })),
      port,
    );
  return openPages(port, shownBy(only, charts));
}
