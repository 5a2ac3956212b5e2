import { dpePage } from '../../protocol/messages/collections.ts';
import { splitUri } from '../uri/index.ts';
import { violation, type Violation } from './violation.ts';

/** One URI that was read twice, some time apart. */
export interface ReadTwice {
  readonly uri: string;
  readonly before: string;
  readonly after: string;
}
const placeOf = (uri: string): string => {
  const parts = splitUri(uri);
  return parts ? `${parts.scheme}://${parts.host.toLowerCase()}${parts.path}` : uri;
};
/** A URI that is told means what is below it, and what it is below of; queries do not count. */
export function isTold(uri: string, told: readonly string[]): boolean {
  const place = placeOf(uri);
  return told.some((each) => {
    const other = placeOf(each);
    return place === other || place.startsWith(`${other}/`) || other.startsWith(`${place}/`);
  });
}
/** `told`: URIs of all updates since the first read. */
export function brokenByChange({ uri, before, after }: ReadTwice, told: readonly string[]): Violation[] {
  if (before === after) return [];
  const [one, two] = [withoutIds(before), withoutIds(after)];
  if (one !== undefined && one === two)
    return [violation('ids', uri, 'elements', 'the same elements had other ids when they were read again')];
  return isTold(uri, told)
    ? []
    : [violation('update', uri, null, 'its content changed, and nothing told so')];
}
/** A page with no ids in it; undefined: it is no page. */
function withoutIds(text: string): string | undefined {
  try {
    const page = dpePage.safeParse(JSON.parse(text));
    if (!page.success) return undefined;
    const elements = page.data.elements.map(({ element_id: _, uri: __, ...rest }) => rest);
    return JSON.stringify({ ...page.data, elements });
  } catch {
    return undefined;
  }
}
