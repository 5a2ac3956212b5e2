import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type InspectorControl, mostPageBytes } from '../../../machines/inspection.ts';
import type { ServerView } from '../model.ts';
import type { Session } from '../session.ts';
import { laterOf, listOf, textOf, visible } from '../values.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

/**
 * Questions and orders to a running host: the last output lines of a server, and buttons where the host takes orders.
 */

type Verb = Exclude<InspectorControl['verb'], 'call'>;
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
/** Form in which a person writes the arguments of a call and, when no tool is given, the name of the tool. */
export function CallForm({ session, tool, params, close }: Asking & { close: () => void }): VNode {
  const [name, setName] = useState(tool);
  const [text, setText] = useState(JSON.stringify(params ?? {}, null, 2));
  const [said, say] = useState('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const read = argumentsIn(text);
    if (typeof read === 'string') return say(read);
    const why = await makeCall({ session, tool: name, params: read });
    if (why === '') close();
    else say(why);
  };
  return (
    <form class="call-form" aria-label="Make a call" onSubmit={(event) => void submit(event)}>
      {tool === '' && (
        <label>
          tool{' '}
          <input
            type="search"
            name="tool"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
      )}
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
      <div class="orders">
        <button type="submit">make the call</button>
        <button type="button" onClick={close}>
          close the form
        </button>
        <span role="alert" class="bad">
          {visible(said)}
        </span>
      </div>
    </form>
  );
}
const wantsValues = (params: unknown): boolean =>
  laterOf(params) !== undefined || /«redacted:|"\$later":/.test(JSON.stringify(params) ?? '');
/** Buttons that make a call again, with the same or with other arguments. */
export function Again({ session, tool, params }: Asking): VNode {
  const [isOpen, open] = useState(false);
  const [said, say] = useState('');
  // Allows the same arguments only when the page knows them: hidden and large values must be written by a person.
  const isWhole = !wantsValues(params);
  return (
    <div class="again">
      <span class="orders">
        {isWhole && (
          <button type="button" onClick={() => void makeCall({ session, tool, params }).then(say)}>
            run again
          </button>
        )}
        <button type="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {isWhole ? 'with other arguments' : 'run again: write the values that are not shown'}
        </button>
        <span role="status" class="small bad">
          {visible(said)}
        </span>
      </span>
      {isOpen && <CallForm session={session} tool={tool} params={params} close={() => open(false)} />}
    </div>
  );
}
