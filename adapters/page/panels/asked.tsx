/** Questions and orders to a running host: the last output of a server, and buttons where the host takes orders. */
import { listOf, textOf } from '../../../machines/trace/row.ts';
import type { VNode } from 'preact';
import { Button, Said } from '../pieces.tsx';
import { useState } from 'preact/hooks';
import { type InspectorControl, mostPageBytes } from '../../../machines/inspection.ts';
import type { ServerView } from '../model.ts';
import type { Session } from '../session.ts';
import { standingOf, type Call } from '../../../machines/incidents/calls.ts';
import { countText, laterOf, visible } from '../values.ts';
import { ArgumentFields, hasFields, type Tool } from './fields.tsx';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

type Verb = Exclude<InspectorControl['verb'], 'call'>;
interface Ordering {
  readonly session: Session;
  readonly verb: Verb;
  readonly target: string;
  /** What the order costs; it is then given at the second press. */
  readonly cost?: string;
}
/** Button that gives an order to the host, and shows the result. */
export function Order({ session, verb, target, cost = '' }: Ordering): VNode {
  const [said, say] = useState('');
  const [isSure, sure] = useState(false);
  const order = async (event: MouseEvent): Promise<void> => {
    event.stopPropagation();
    sure(cost !== '' && !isSure);
    if (cost !== '' && !isSure) return say(`${cost}. Press again to ${verb} it.`);
    say('…');
    const answer = await session.ask({ type: 'control', verb, target });
    say(answer.ok ? 'done' : answer.error);
  };
  return (
    <>
      <Button onClick={(event) => void order(event)} aria-label={`${verb} ${visible(target)}`}>
        {verb}
      </Button>{' '}
      <Said text={said} mood="" />
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
export function ServerControls({ session, server }: { session: Session; server: ServerView }): VNode | null {
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
        verbsOf(server).map((verb) => (
          <Order
            key={verb}
            session={session}
            verb={verb}
            target={name}
            cost={verb === 'stop' && server.calls > 0 ? `${countText(server.calls, 'call')} under way` : ''}
          />
        ))}
      <Button
        aria-expanded={shown !== undefined}
        aria-label={`stderr of ${visible(name)}`}
        onClick={() => void look()}
      >
        stderr
      </Button>
      {shown !== undefined && <Lines value={shown} />}
    </>
  );
}

/** Reads the arguments of a call as a person wrote them; returns the mistake as a text. */
function argumentsIn(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (!isObject(value)) return 'Arguments are one JSON object, such as {"path": "a.txt"}.';
    return value;
  } catch (error) {
    return `These arguments are no JSON: ${(error as Error).message}`;
  }
}
/** Tells whether JSON has a number that this page cannot hold exactly. */
const hasInexact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasInexact)
    : Number.isInteger(value) && !Number.isSafeInteger(value);
/** Number of bytes that the fields of a message besides the arguments of the call may need. */
const spareBytes = 8 * 1024;
const refusedText = (tool: string, params: Fields): string => {
  if (tool.trim() === '') return 'Write the name of a tool.';
  if (new TextEncoder().encode(JSON.stringify(params)).length > mostPageBytes - spareBytes)
    return 'These arguments are too long for a page: make the call with npx a2c call.';
  if (hasInexact(params))
    return 'A number has more digits than a page holds exactly: make the call with npx a2c call.';
  return '';
};
interface Asking {
  readonly session: Session;
  readonly tool: string;
  readonly params: unknown;
}
/** Makes a call and chooses it; returns the reason when the host or the page refuses it. */
async function makeCall({ session, tool, params }: Asking): Promise<string> {
  const asked = fieldsOf(params);
  const why = refusedText(tool, asked);
  if (why !== '') return why;
  const answer = await session.ask({ type: 'control', verb: 'call', target: tool, params: asked });
  if (!answer.ok) return answer.error;
  session.choose({
    panel: 'calls',
    call: `host.${textOf(fieldsOf(answer.value)['reqId'])}`,
    moment: undefined,
  });
  return '';
}
interface Form extends Asking {
  readonly about?: Tool;
  readonly close: () => void;
}
/** Form for the arguments of a call: a field for each that the schema of the tool has, or JSON. */
export function CallForm({ session, tool, about, params, close }: Form): VNode {
  const schema = about?.schema ?? {};
  const [text, setText] = useState(JSON.stringify(params ?? {}, null, 2));
  const [isJson, setJson] = useState(!hasFields(schema));
  const [said, say] = useState('');
  const read = argumentsIn(text);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (typeof read === 'string') return say(read);
    const why = await makeCall({ session, tool, params: read });
    if (why === '') close();
    else say(why);
  };
  return (
    <form class="call-form" aria-label="Make a call" onSubmit={(event) => void submit(event)}>
      {about && (
        <p>
          <strong>{visible(about.name)}</strong> <span class="quiet">{visible(about.server)}</span>{' '}
          {visible(about.description)}
        </p>
      )}
      {!isJson && typeof read !== 'string' && (
        <ArgumentFields
          schema={schema}
          value={read}
          change={(value) => setText(JSON.stringify(value, null, 2))}
        />
      )}
      {isJson && (
        <label>
          arguments, as JSON
          <textarea
            class="mono"
            rows={Math.min(16, text.split('\n').length + 1)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
      <div class="orders">
        <button type="submit">make the call</button>
        {hasFields(schema) && (
          <Button aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            as JSON
          </Button>
        )}
        <Button onClick={close}>close the form</Button>
        <span role="alert" class="bad">
          {visible(said)}
        </span>
      </div>
    </form>
  );
}
const wantsValues = (params: unknown): boolean =>
  laterOf(params) !== undefined || /«redacted:|"\$later":/.test(JSON.stringify(params) ?? '');
/**
 * Buttons that make a call again. What may have happened, or still runs, is run again only after a look at its arguments:
 * the first button is another call.
 */
export function Again({ session, tool, params, call, now }: Asking & { call: Call; now: number }): VNode {
  const [shown, show] = useState<'form' | 'question' | undefined>(undefined);
  const [said, say] = useState('');
  const { isOver } = standingOf(call, now);
  const isRisky = !isOver || call.ended?.outcome === 'unknown';
  // Allows the same arguments only when the page knows them: hidden and large values must be written by a person.
  const isWhole = params !== undefined && !wantsValues(params);
  const again = (): void => void makeCall({ session, tool, params }).then(say);
  const toggle = (what: 'form' | 'question'): void => show(shown === what ? undefined : what);
  return (
    <div class="again">
      {isOver && isRisky && (
        <p class="bad risky">▲ This may have happened. Look at what it did before you run it again.</p>
      )}
      <span class="orders">
        <Button aria-expanded={shown === 'form'} onClick={() => toggle('form')}>
          {isWhole ? 'with other arguments' : 'run again: write the values that are not shown'}
        </Button>
        {isWhole && (
          <Button aria-expanded={shown === 'question'} onClick={() => toggle('question')}>
            run again …
          </Button>
        )}
        <Said text={said} mood="bad" />
      </span>
      {shown === 'question' && (
        <div role="alertdialog" aria-label="Run it again?" class="question">
          <p>
            Run <strong>{visible(tool)}</strong> again with these arguments?
            {isRisky && (isOver ? ' It may have happened already.' : ' The first one is still under way.')}
          </p>
          <pre tabIndex={0} aria-label="Its arguments">
            {visible(JSON.stringify(params, null, 2))}
          </pre>
          <span class="orders">
            <Button onClick={() => show(undefined)}>no</Button>
            <Button onClick={again}>yes, run it again</Button>
          </span>
        </div>
      )}
      {shown === 'form' && (
        <CallForm session={session} tool={tool} params={params} close={() => show(undefined)} />
      )}
    </div>
  );
}
