import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Emit, RequestFact } from '../../machines/kernel/ports.ts';
import { readElicitation } from './lenient.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** JSON-RPC error code of MCP 2025-11-25 by which a server says that a person has to open a web page before this call. */
const urlElicitationRequired = -32_042;
type Page = Extract<ElicitRequest['params'], { mode: 'url' }>;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

interface Around {
  /** Shows a web page to a person; undefined when the host cannot. The promise rejects when the page is no longer wanted. */
  readonly show: ((page: Page, signal: AbortSignal) => Promise<ElicitResult>) | undefined;
  /** Sends the tool call to its server; the returned function withdraws it. */
  readonly ask: (emit: Emit<RequestFact>) => () => void;
  /** Tells whether the session is closed, so that results are no longer reported. */
  readonly isClosed: () => boolean;
}

/**
 * Sends a tool call; when the server wants a web page opened first, shows the page and sends the call a second
 * time. A call that still cannot be made reports which page has to be opened.
 */
export function callWithPages(emit: Emit<RequestFact>, { show, ask, isClosed }: Around): () => void {
  const unwanted = new AbortController();
  let isAgain = false;
  const told: Emit<RequestFact> = (fact) => {
    const pages = fact.type === 'ask.refused' ? pagesOf(fact) : [];
    if (fact.type !== 'ask.refused' || pages.length === 0) return emit(fact);
    if (isAgain || !show) return emit(naming(fact, pages));
    isAgain = true;
    void agreed(pages, (page) => show(page, unwanted.signal)).then((isAgreed) => {
      if (unwanted.signal.aborted || isClosed()) return;
      if (isAgreed) withdraw = ask(told);
      else emit(naming(fact, pages));
    });
  };
  let withdraw = ask(told);
  return () => {
    unwanted.abort();
    withdraw();
  };
}
async function agreed(pages: readonly Page[], show: (page: Page) => Promise<ElicitResult>): Promise<boolean> {
  try {
    for (const page of pages) if ((await show(page)).action !== 'accept') return false;
    return true;
  } catch {
    // A failure to show the page, or the end of the session, counts as a refusal by the person.
    return false;
  }
}
function pagesOf({ failure: { details } }: Refusal): readonly Page[] {
  if (details?.['code'] !== urlElicitationRequired) return [];
  const { elicitations } = fieldsOf(details['data']);
  return (Array.isArray(elicitations) ? elicitations : []).flatMap((one) => {
    try {
      const page = readElicitation({ ...fieldsOf(one), mode: 'url' }, () => {}) as Page;
      return /^https?:$/.test(new URL(page.url).protocol) ? [page] : [];
    } catch {
      return [];
    }
  });
}
function naming(fact: Refusal, pages: readonly Page[]): Refusal {
  const urls = pages.map(({ url }) => url).join(', ');
  return {
    ...fact,
    failure: {
      ...fact.failure,
      message: `${fact.failure.message}: ${urls}`,
      remedy: `Open ${urls}, do what it asks for, then call again`,
    },
  };
}
