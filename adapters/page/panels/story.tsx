import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { IncidentView } from '../../../machines/incidents/incident.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';
import { textOf } from '../../../machines/trace/row.ts';
import { Button, Copy, Said } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { fileOf, saveFile } from './save.tsx';

/** From an incident to its story: its call, the trace that the host wrote because of it, and a test of it. */

const quoted = (text: string): string => JSON.stringify(text);
/** A test that is red while the recorded failure comes again: of the server where one failed, otherwise of the host. */
export function testOf({ subject, kind, lost, incident }: IncidentView, file: string): string {
  const [call] = lost;
  const isOfServer = subject !== '' && (kind === 'down' || kind === 'call' || kind === 'slow');
  const name = call ? `${call.tool} of ${subject} is answered` : `${incident.kind} ${subject} is mended`;
  const [verb, options, wanted] = isOfServer
    ? ['verify', `, { server: ${quoted(subject)}, yes: true }`, 'green']
    : ['replay', '', 'same'];
  return [
    `import { ${verb} } from ${quoted('a2c-actors/replay')};`,
    `import { expect, test } from ${quoted('vitest')};`,
    '',
    `test(${quoted(name)}, async () => {`,
    `  const file = ${quoted(`traces/${file}`)};`,
    `  const { verdict, text } = await ${verb}(file${options});`,
    `  expect(verdict, text).toBe(${quoted(wanted ?? '')});`,
    `});`,
    '',
  ].join('\n');
}
export function StoryButtons({ session, view }: { session: Session; view: IncidentView }): VNode {
  const [said, say] = useState('');
  const { incident, lost, refused } = view;
  const call = lost[0] ?? refused[0];
  const isLive = session.phase === 'live';
  const file = fileOf(incident.trace ?? session.host?.name ?? 'incident');
  const download = async (): Promise<void> => {
    say('reading …');
    const answer = await session.ask({ type: 'ask', what: 'story', incident: incident.id });
    say(answer.ok ? '' : answer.error);
    if (answer.ok) saveFile(file, textOf(fieldsOf(answer.value)['text']));
  };
  return (
    <span class="orders">
      {isLive && <Button onClick={() => void session.tell(view)}>open the story</Button>}
      {call && (
        <Button onClick={() => session.choose({ panel: 'calls', call: call.ticket })}>what was asked</Button>
      )}
      <Copy label="as test" text={() => testOf(view, file)} />
      {isLive && <Button onClick={() => void download()}>download the trace</Button>}
      {incident.trace !== null && (
        <Copy label="command" text={() => `npx a2c show ${incident.trace ?? ''}`} />
      )}
      <Said text={said} />
    </span>
  );
}
