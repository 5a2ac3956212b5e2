import { embedded, type Chart } from '../../../machines/inspection.ts';
import { unpacked } from '../unpacked.ts';
import { graphOf, type ElkNode, type LaidOut } from './graph.ts';

/** Layout of charts in a web worker, which runs the published file of the library elk. Each chart is laid out once. */

interface Answer {
  readonly id: number;
  readonly data?: ElkNode;
  readonly error?: unknown;
}
const known = new Map<string, Promise<LaidOut>>();
/** Largest number of layouts that are kept. A chart has a layout for each set of transitions that was taken. */
const mostKnown = 60;
let worker: Promise<Worker> | undefined;
let asked = 0;
const waiting = new Map<number, { resolve(data: ElkNode): void; reject(error: Error): void }>();

/** Returns the address of the worker script; a page that is one HTML file contains the text of the script. */
async function workerUrl(): Promise<string | URL> {
  const text = document.getElementById(embedded.elk)?.textContent;
  if (!text) return new URL('./elk-worker.js', document.baseURI);
  return URL.createObjectURL(new Blob([await unpacked(text)], { type: 'text/javascript' }));
}
const elk = (): Promise<Worker> => (worker ??= workerUrl().then(started));
function started(url: string | URL): Worker {
  const made = new Worker(url);
  made.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.data) asker?.resolve(data.data);
    else asker?.reject(new Error(`elk cannot lay this chart out: ${JSON.stringify(data.error)}`));
  });
  made.addEventListener('error', () => {
    for (const { reject } of waiting.values())
      reject(new Error('the worker that lays charts out does not start'));
    waiting.clear();
  });
  made.postMessage({ id: 0, cmd: 'register', algorithms: ['layered'] });
  return made;
}
export function laidOut(chart: Chart): Promise<LaidOut> {
  const found = known.get(chart.fingerprint);
  if (found) return found;
  const graph = graphOf(chart);
  const made = new Promise<ElkNode>((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    const order = { id, cmd: 'layout', graph: graph.root, layoutOptions: {}, options: {} };
    elk().then((drawing) => drawing.postMessage(order), reject);
  }).then((drawn) => ({ ...graph, drawn }));
  known.set(chart.fingerprint, made);
  const [oldest] = known.keys();
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  return made;
}
