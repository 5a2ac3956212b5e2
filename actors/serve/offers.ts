import { keyOf, named } from '../../machines/models/format.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import type { Offered } from './source.ts';

export interface Owned {
  readonly server: string;
  readonly computer: string | undefined;
  readonly name: string;
  readonly original: string;
}
export interface Offers {
  readonly tools: readonly Fields[];
  readonly resources: readonly Fields[];
  readonly resourceTemplates: readonly Fields[];
  readonly prompts: readonly Fields[];
  readonly toolBy: ReadonlyMap<string, Owned>;
  readonly promptBy: ReadonlyMap<string, Owned>;
  /** Servers that may have a resource, the likeliest first. */
  readonly serversOf: (uri: string) => readonly string[];
}
interface Named extends Owned {
  readonly entry: Fields;
}

/** Every model takes the names, and no two entries share one. A wrapped server keeps its own. */
function offered(entries: readonly Named[], isWrapped: boolean): Pick<Offers, 'tools' | 'toolBy'> {
  const keyed = new Map(entries.map((one) => [keyOf({ ...one, inputSchema: {} } as never), one] as const));
  const names = isWrapped ? undefined : named(keyed as never, new Set());
  const by = new Map<string, Owned>();
  const tools = [...keyed].map(([key, one]) => {
    const name = names?.get(key) ?? one.name;
    by.set(name, one);
    return name === one.entry['name'] ? one.entry : { ...one.entry, name };
  });
  return { tools, toolBy: by };
}
const beginning = (template: unknown): string => String(template).split('{', 1)[0] ?? '';

/** Where two servers list one URI, the first has it. */
export function offersOf(all: readonly Offered[], isWrapped: boolean): Offers {
  const tools = all.flatMap(({ server, computer, tools }) =>
    tools.map((tool): Named => ({ ...tool, server, computer })),
  );
  const prompts = all.flatMap(({ server, computer, prompts }) =>
    (prompts as readonly Fields[]).map((entry): Named => {
      const name = String(entry['name']);
      return { entry, server, computer, name, original: name };
    }),
  );
  const owners = new Map<string, string>();
  const resources = (
    all.flatMap((one) => one.resources.map((entry) => [one.server, entry])) as [string, Fields][]
  ).flatMap(([server, entry]) => {
    const uri = String(entry['uri']);
    if (owners.has(uri)) return [];
    owners.set(uri, server);
    return [entry];
  });
  const templates = all.flatMap(({ server, resourceTemplates }) =>
    (resourceTemplates as readonly Fields[]).map((entry) => ({ server, entry })),
  );
  const told = offered(prompts, isWrapped);
  return {
    ...offered(tools, isWrapped),
    resources,
    resourceTemplates: templates.map(({ entry }) => entry),
    prompts: told.tools,
    promptBy: told.toolBy,
    serversOf: (uri) => {
      const like = templates.filter(({ entry }) => uri.startsWith(beginning(entry['uriTemplate'])));
      const own = owners.get(uri);
      const any = all.filter((one) => one.resources.length + one.resourceTemplates.length > 0);
      const found = [...(own === undefined ? [] : [own]), ...like.map(({ server }) => server)];
      return [...new Set(found.length > 0 ? found : any.map(({ server }) => server))];
    },
  };
}
