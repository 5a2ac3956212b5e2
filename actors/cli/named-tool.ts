import type { ToolListing } from '../servers/server-handle.ts';
import { A2cError } from '../kernel/errors.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Target } from './arguments.ts';
import { typedHere, type Place } from './printing/hints.ts';

interface NamedTool {
  /** By which the computer calls it. */
  readonly call: string;
  readonly name: string;
  readonly server: string;
  readonly inputSchema: unknown;
}
type Listing = Pick<ToolListing, 'tools' | 'refused'>;
/** A tool of a named server also where another server has its name. */
export function toolIn({ tools, refused }: Listing, { server, tool }: Target): NamedTool | undefined {
  const own = <T extends { readonly server: string }>(all: readonly T[]): readonly T[] =>
    all.filter((each) => server === undefined || each.server === server);
  const found =
    own(tools).find(({ name }) => name === tool) ?? own(tools).find(({ original }) => original === tool);
  if (found) return { ...found, call: found.name };
  const twin = own(refused).find(({ name }) => name === tool);
  return twin?.call === undefined ? undefined : { inputSchema: {}, ...twin, call: twin.call };
}

/** Cannot be called by its bare name. */
type Refused = Pick<ToolListing['refused'][number], 'name' | 'server'>;
const serversWith = (tool: string, owner: string, refused: readonly Refused[]): readonly string[] => [
  ...new Set([owner, ...refused.filter(({ name }) => name === tool).map(({ server }) => server)]),
];
/** Throws for a bare name that several servers have. */
export function mustBeOne(
  place: Place,
  { server }: { readonly server: string },
  tool: string,
  refused: readonly Refused[],
  command: 'call' | 'tools' = 'call',
): void {
  const servers = serversWith(tool, server, refused);
  if (servers.length < 2) return;
  throw new A2cError({
    code: wireCodes.conflict,
    message: `Several servers have a tool '${tool}': ${servers.join(', ')}`,
    details: { tool_name: tool, servers },
    remedy: `Name the server: ${servers.map((each) => typedHere(place, command, `${each}.${tool}`)).join(' or ')}`,
  });
}
