import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ServerView } from '../model.ts';
import type { Session } from '../session.ts';
import { listOf, textOf, visible } from '../values.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

/**
 * Questions and orders to a running host: the last output lines of a server, and buttons where the host takes orders.
 */

type Verb = 'retry' | 'stop' | 'start' | 'cancel';
/** Button that gives an order to the host, and shows the result. */
export function Order({ session, verb, target }: { session: Session; verb: Verb; target: string }): VNode {
  const [said, say] = useState('');
  const order = async (event: MouseEvent): Promise<void> => {
    event.stopPropagation();
    say('…');
    const answer = await session.ask({ type: 'control', verb, target });
    say(answer.ok ? 'done' : answer.error);
  };
  return (
    <>
      <button type="button" onClick={(event) => void order(event)} aria-label={`${verb} ${visible(target)}`}>
        {verb}
      </button>{' '}
      <span role="status" class="small">
        {visible(said)}
      </span>
    </>
  );
}
const verbsOf = ({ state }: ServerView): readonly Verb[] => {
  if (state === 'idle') return ['start'];
  if (state === 'waiting' || state === 'open' || state === 'needsInput') return ['retry', 'stop'];
  return state === 'disabled' || state === 'unsupported' ? [] : ['stop'];
};
function Lines({ value }: { value: unknown }): VNode {
  const lines = listOf(fieldsOf(value)['lines']);
  if (lines.length === 0) return <p class="quiet small">It has written nothing.</p>;
  const texts = lines.map(({ at, text }) => `${textOf(at)} ${textOf(text)}`.trim());
  return (
    <pre class="stderr" tabIndex={0} aria-label="What it wrote">
      {visible(texts.join('\n'))}
    </pre>
  );
}
/** Output and buttons of a server, shown only for a running host, because a recording answers no questions. */
export function Asked({ session, server }: { session: Session; server: ServerView }): VNode | null {
  const [shown, show] = useState<unknown>(undefined);
  if (session.phase !== 'live' || !session.isNow) return null;
  const { name } = server;
  const look = async (): Promise<void> => {
    if (shown !== undefined) return show(undefined);
    const answer = await session.ask({ type: 'ask', what: 'stderr', server: name });
    show(answer.ok ? answer.value : { lines: [{ text: answer.error }] });
  };
  return (
    <>
      {session.control &&
        verbsOf(server).map((verb) => <Order key={verb} session={session} verb={verb} target={name} />)}
      <button
        type="button"
        aria-expanded={shown !== undefined}
        aria-label={`stderr of ${visible(name)}`}
        onClick={() => void look()}
      >
        stderr
      </button>
      {shown !== undefined && <Lines value={shown} />}
    </>
  );
}
