import { wireCodes, type Failure } from '../../protocol/failure.ts';
import type { DpeUri } from './dpe-uri.ts';
import { isObject, type Fields } from '../../protocol/json.ts';

/** What MCP says of a resource that there is not. */
const resourceNotFound = -32_002;
const ofFinder = [wireCodes.documentNotFound, wireCodes.pageOutOfRange, wireCodes.elementNotFound] as const;

/**
 * What whoever reads a document is told when its server answered with an error. `refused` is as the session port tells
 * it: `details.code` is the code of the JSON-RPC error, `details.data` its data. A code of Finder there, or as
 * `data.code`, passes with its details; what is no answer of the server at all stays what it is.
 */
export function readRefusal(refused: Failure, uri: DpeUri): Failure {
  const { message } = refused;
  const { code, data } = refused.details ?? {};
  if (typeof code !== 'number') return refused;
  const own = isObject(data) ? data : {};
  const known = ofFinder.find((each) => each === code || each === own['code']);
  if (known) return { code: known, message, details: detailsIn(own) ?? askedFor(known, uri) };
  if (code === resourceNotFound)
    return { code: wireCodes.documentNotFound, message, details: askedFor(wireCodes.documentNotFound, uri) };
  return { code: wireCodes.internal, message, details: { code } };
}

/** Servers put them into the data itself, or under its `details`. */
function detailsIn({ code: _code, message: _message, details, ...rest }: Fields): Fields | undefined {
  if (isObject(details)) return details;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** A server that gives no details: what was asked for says most of it. */
function askedFor(code: (typeof ofFinder)[number], uri: DpeUri): Fields {
  if (code === wireCodes.pageOutOfRange && uri.level === 2) return { page_index: uri.pageIndex };
  if (code === wireCodes.elementNotFound && uri.level === 3) return { element_id: uri.elementId };
  return uri.level === 0 ? { host: uri.host } : { doc_ref: uri.docRef };
}
