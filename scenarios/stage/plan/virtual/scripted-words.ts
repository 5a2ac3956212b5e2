/** Words of answers: when one leaves, and what stands in it. */
export const answerWords: ReadonlySet<string> = new Set([
  'life.initNever',
  'life.initSlow',
  'life.initError',
  'life.versionMismatch',
  'life.capabilityMissing',
  'rpc.never',
  'rpc.late',
  'rpc.error',
  'rpc.isError',
  'rpc.duplicate',
  'rpc.unknownId',
  'rpc.wrongType',
  'rpc.schemaMismatch',
  'rpc.reorder',
  'rpc.answerAfterCancel',
  'rpc.cancelIgnored',
  'rpc.progressForever',
  'rpc.progressStall',
  'rpc.hugeResult',
  'resource.gone',
  'resource.other',
  'resource.garbled',
  'resource.blob',
  'resource.empty',
  'list.pages',
  'list.pageError',
  'list.cursorLoop',
  'frame.invalidUtf8',
  'frame.partialThenDie',
]);
export const isPlain = (named: ReadonlyMap<string, unknown>): boolean => !named.has('rpc.reorder');

/** What a server says on stderr that runs out of memory. */
export const lastWords = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
