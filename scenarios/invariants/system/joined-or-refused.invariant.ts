import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

interface Link {
  readonly a: Address;
  readonly url: string;
  stage: string | undefined;
  isRefused: boolean;
}
type Fields = Said<{ stage: string; refusal: string | null; url: string }>;

class JoinedOrRefused implements Judge {
  readonly #links = new Map<Address, Link>();
  /** The URLs of offices that are open here, by their roots. Of others nobody knows whether they are. */
  readonly #offices = new Map<Address, string>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'post') this.#post(record);
    else if (record.k === 'open' && record.kind === 'link') {
      const { url = '' } = record.input as { readonly url?: string };
      this.#links.set(record.a, { a: record.a, url, stage: undefined, isRefused: false });
    } else if (record.k === 'end') {
      this.#links.delete(record.a);
      this.#offices.delete(record.a);
    }
  }
  quiescent(): Found[] {
    const open = new Set(this.#offices.values());
    return [...this.#links.values()]
      .filter(({ url, stage, isRefused }) => open.has(url) && stage !== 'joined' && !isRefused)
      .map(({ a, stage }) => ({ at: a, what: `is ${stage}, and its office is open`, kind: 'liveness' }));
  }
  #post({ from, ev }: RecordOf<'post'>): void {
    const { type, stage, refusal, url } = ev as Fields;
    if (type === 'office.opened' && url !== undefined) this.#offices.set(from, url);
    if (type !== 'link.changed') return;
    const link = this.#links.get(from);
    if (!link) return;
    link.stage = stage;
    link.isRefused = typeof refusal === 'string';
  }
}

const [office, link, url] = ['office#1', 'c/link#1', 'http://127.0.0.1:4000'];
const opened = posts(office, 'host:o', 'office.opened', { url });
const born = opens(link, 'link', 'c#1', { url, role: 'computer' });
const becomes = (stage: string, refusal: string | null = null) =>
  posts(link, 'c#1', 'link.changed', { stage, refusal });

export const joinedOrRefused: Invariant = {
  invariant: 'every link to an office has joined it, or was refused',
  why: 'A lost connection is made again, for as long as there is somebody to connect to (liveness).',
  sees: ['post office.opened', 'post link.changed', 'open', 'end'],
  open: () => new JoinedOrRefused(),
  violating: [
    {
      how: 'a link that does not try again',
      seen: story(opened, born, becomes('joined'), becomes('waiting')),
      until: 'quiescent',
      said: 'is waiting, and its office is open',
    },
    {
      how: 'a join that hangs',
      seen: story(opened, born, becomes('connecting')),
      until: 'quiescent',
      said: 'is connecting, and its office is open',
    },
  ],
  passing: [
    {
      how: 'one that sits',
      seen: story(opened, born, becomes('connecting'), becomes('joined')),
      until: 'quiescent',
    },
    {
      how: 'one whose name is taken',
      seen: story(opened, born, becomes('waiting', 'seat')),
      until: 'quiescent',
    },
    {
      how: 'an office that is gone',
      seen: story(opened, born, ends(office), becomes('waiting')),
      until: 'quiescent',
    },
    {
      how: 'a link that was closed',
      seen: story(opened, born, becomes('closed'), ends(link)),
      until: 'quiescent',
    },
  ],
};
