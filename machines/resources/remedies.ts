import { wireCodes, type Failure } from '../protocol/failure.ts';

const remedies: Readonly<Partial<Record<Failure['code'], string>>> = {
  [wireCodes.documentNotFound]: 'See which documents there are: ask the Finder',
  [wireCodes.pageOutOfRange]: 'Pages are counted from 0; a read of the document says how many it has',
  [wireCodes.elementNotFound]: 'Read the page: it lists its elements with their ids',
  [wireCodes.invalidDpeUri]:
    'A document is dpe://host/document[/pages/N | /elements/ID], a window is window://host/…',
  [wireCodes.notFound]: 'See which windows there are: ask the Desktop',
  [wireCodes.noAnswer]: 'Ask again, or look at the server: it may be busy',
};
export function withRemedy(failure: Failure): Failure {
  const remedy = failure.remedy ?? remedies[failure.code];
  return remedy === undefined ? failure : { ...failure, remedy };
}
