import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, hears, computerStarts } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

interface Link {
  readonly url: string;
  state?: string;
  isRefused?: boolean;
}
type Fields = {
  readonly state: string;
  readonly refusal: string | null;
  readonly url: string;
  readonly link: { readonly url: string } | null;
};

class JoinedOrRefused implements Judge<Crossing> {
  readonly #links = new Map<string, Link>();
  /** Other offices than the open ones of this process are unknown. */
  readonly #offices = new Map<string, string>();

  take({ ch, ev }: Crossing): undefined {
    const { type, state = '', refusal, url, link } = fieldsOfEvent<Fields>(ev);
    const known = this.#links.get(ch);
    if (type === 'office.opened' && url !== undefined) this.#offices.set(ch, url);
    else if (type === 'link.changed') {
      if (known) Object.assign(known, { state, isRefused: typeof refusal === 'string' });
    } else if (link) this.#links.set(ch, { url: link.url });
    else {
      // The link was opened without an office, has left, or has ended.
      this.#links.delete(ch);
      this.#offices.delete(ch);
    }
  }
  quiescent(): FoundViolation[] {
    const open = new Set(this.#offices.values());
    return [...this.#links]
      .filter(([, { url, state, isRefused }]) => open.has(url) && state !== 'joined' && !isRefused)
      .map(([at, { state }]) => ({ at, what: `is ${state}, and its office is open`, kind: 'liveness' }));
  }
}

const url = 'http://127.0.0.1:4000';
const opened = hears('host:office', 'office.opened', { url });
const born = computerStarts({}, { link: { url } });
const becomes = (state: string, refusal: string | null = null) =>
  hears('host:computer', 'link.changed', { state, refusal });

export const joinedOrRefused: Boundary = {
  reads: 'boundary',
  invariant: 'every link to an office has joined it, or was refused',
  why: 'A lost connection is made again, for as long as there is somebody to connect to (liveness).',
  sees: [
    ...['in createComputer', 'in createAgent', 'in join', 'in leave'],
    ...['said office.opened', 'said link.changed', 'said closed'],
  ],
  open: () => new JoinedOrRefused(),
  violating: [
    {
      how: 'a link that does not try again',
      seen: crossingsOf(opened, born, becomes('joined'), becomes('waiting')),
      until: 'quiescent',
      said: 'is waiting, and its office is open',
    },
  ],
  passing: [
    {
      how: 'one that sits',
      seen: crossingsOf(opened, born, becomes('connecting'), becomes('joined')),
      until: 'quiescent',
    },
  ],
};
