import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCatalog, textOfCatalog } from '../../adapters/storage/catalogs.ts';
import { decoders } from '../../adapters/mcp/messages/codec.ts';
import { contentHash } from '../../machines/catalog/changes.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const icons = fc.array(fc.record({ src: fc.string(), theme: json }, { requiredKeys: [] }), { maxLength: 2 });
const fields = fc.record(
  {
    ...{ title: json, description: fc.string(), icons, _meta: json, 'x-new': json, size: fc.double() },
    annotations: fc.record({ readOnlyHint: json, priority: fc.double(), audience: json, title: fc.string() }),
    ...{ execution: fc.record({ taskSupport: json }), outputSchema: json, mimeType: json },
    arguments: fc.array(fc.record({ name: fc.string(), required: json }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const least = { name: 'n', inputSchema: {}, uri: 'a:b', uriTemplate: 'a:{b}' };
const members = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;

it.each(Object.entries(members))(
  'whatever the codec takes from %s can be kept and is read again as it was',
  (method, member) => {
    const savedAt = '2026-01-02T03:04:05.678Z';
    fc.assert(
      fc.property(fields, (stranger) => {
        const raw: unknown = JSON.parse(JSON.stringify({ ...stranger, ...least }));
        const entry = decoders[method]?.(raw);
        expect(entry).toBeDefined();
        const cached = readCatalog(textOfCatalog({ savedAt, lists: { [member]: [entry] } }));
        expect(cached?.savedAt).toBe(savedAt);
        expect(contentHash(cached?.lists)).toBe(contentHash({ [member]: [entry] }));
      }),
      { numRuns: 100 },
    );
  },
);
