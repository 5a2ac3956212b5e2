import type { VNode } from 'preact';
import { Button } from '../pieces.tsx';
import { useEffect, useState } from 'preact/hooks';
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';
import { partIn } from '../../../machines/kernel/effects.ts';
import { listOf, textOf } from '../../../machines/trace/row.ts';
import type { Session } from '../session.ts';
import { countText, laterOf, visible } from '../values.ts';
import { CallForm } from './asked.tsx';
import type { Tool } from './fields.tsx';

/** Tools of all servers of a running host, with a form for the arguments of each. */

const toolOf = (server: string, { name, description, inputSchema }: Fields): Tool => ({
  server,
  name: textOf(name),
  description: textOf(description),
  schema: fieldsOf(inputSchema),
});
/** From the catalogs of the clients; a large list is fetched from the host. */
async function toolsIn(session: Session): Promise<readonly Tool[]> {
  const catalogs = [...session.history.at(Infinity).values()].filter(({ kind }) => kind === 'catalog');
  const found = catalogs.map(async ({ address, context }) => {
    const { list, entries } = fieldsOf(context);
    if (list !== 'tools') return [];
    const later = laterOf(entries);
    const answer = later && (await session.ask({ type: 'ask', what: 'value', number: later.number }));
    return listOf(answer?.ok === true ? answer.value : entries).map((each) =>
      toolOf(partIn(address, 'client'), each),
    );
  });
  return (await Promise.all(found)).flat().toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}
const mostListed = 200;
/** List of tools with a search, and the form of the chosen one. */
export function Tools({ session, close }: { session: Session; close: () => void }): VNode {
  const [all, know] = useState<readonly Tool[]>([]);
  const [text, find] = useState('');
  const [chosen, choose] = useState<Tool | undefined>(undefined);
  useEffect(() => void toolsIn(session).then(know), [session]);
  if (chosen)
    return (
      <CallForm
        session={session}
        tool={chosen.name}
        about={chosen}
        params={{}}
        close={() => choose(undefined)}
      />
    );
  const words = text.toLowerCase().split(' ');
  const isFound = ({ server, name, description }: Tool): boolean =>
    words.every((word) => `${server} ${name} ${description}`.toLowerCase().includes(word));
  const found = all.filter(isFound);
  return (
    <section class="tools" aria-label="Tools">
      <div class="orders">
        <input
          type="search"
          name="tool"
          aria-label="Find tools"
          placeholder="find a tool"
          value={text}
          onInput={({ currentTarget }) => find(currentTarget.value)}
        />
        <span role="status" class="quiet">
          {countText(found.length, 'tool')}
        </span>
        <Button onClick={close}>close the list</Button>
      </div>
      <ul>
        {found.slice(0, mostListed).map((tool) => (
          <li key={`${tool.server} ${tool.name}`}>
            <Button class="row" onClick={() => choose(tool)}>
              <strong>{visible(tool.name)}</strong> <span class="quiet">{visible(tool.server)}</span>{' '}
              {visible(tool.description)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
