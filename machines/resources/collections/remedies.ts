import { events } from '../../protocol/events.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** What can be done about a failure of a read, for its host and for agents alike. */
const remedies: Readonly<Partial<Record<Failure['code'], string>>> = {
  [wireCodes.documentNotFound]: 'See which documents there are: ask the Finder',
  [wireCodes.pageOutOfRange]: 'Pages are counted from 0; a read of the document says how many it has',
  [wireCodes.elementNotFound]: 'Read the page: it lists its elements with their ids',
  [wireCodes.invalidDpeUri]: 'A resource is dpe://host/document[/pages/N | /elements/ID], or window://host/…',
  [wireCodes.notFound]: 'See which windows there are: ask the Desktop',
  [wireCodes.timeout]: 'Ask again, or look at the server: it may be busy',
};
export function withRemedy(failure: Failure): Failure {
  const remedy = failure.remedy ?? remedies[failure.code];
  return remedy === undefined ? failure : { ...failure, remedy };
}

/** How a question whose answer is too large is asked for less (413). */
export const narrower: Readonly<Record<string, string>> = {
  [events.getDesktop]: 'Ask for fewer windows (size), or for one of them (window)',
  [events.getFinder]: 'Ask for fewer documents at a time (limit), or for some of them (keywords, file type)',
  [events.readResource]:
    'Read a part of it: a page, an element, or fewer pages at a time (depth=pages with offset and limit)',
};
