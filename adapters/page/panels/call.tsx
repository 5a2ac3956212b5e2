/** Details of one call: what was asked, where its time went, and what came back. They do not change the moment shown. */
import { listOf, textOf } from '../../../machines/trace/row.ts';
import type { ComponentChildren, VNode } from 'preact';
import { askerOf, doesAfter, phasesOf, type CallPhase } from '../call-list.ts';
import { standingOf, type Call } from '../../../machines/incidents/calls.ts';
import { moodOfCall } from '../model.ts';
import { Copy, State, Button, Link } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';
import { durationText, finerTimeText, visible } from '../values.ts';
import { Value } from '../value.tsx';
import { Again, Order } from './asked.tsx';
import { useMessages } from './messages.tsx';

const phaseMoods: Partial<Record<CallPhase['step'], string>> = {
  sent: 'work',
  'passed on': 'work',
};
/** Phases of a call, each with a bar from its beginning to its end, on the time of the call. */
function Waterfall({ session, call, now }: { session: Session; call: Call; now: number }): VNode {
  const phases = phasesOf(call, now);
  const end = Math.max(call.from + 0.001, ...phases.map(({ to }) => to));
  const percent = (t: number): string => `${(100 * (t - call.from)) / (end - call.from)}%`;
  return (
    <table id="steps">
      <thead>
        <tr>
          <th scope="col">step</th>
          <th scope="col" class="number">
            after
          </th>
          <th scope="col" class="number">
            took
          </th>
          <th scope="col" class="axis-of-call">
            <span>0</span>
            <span>{durationText((end - call.from) / 2)}</span>
            <span>{durationText(end - call.from)}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {phases.map((phase, index) => (
          <tr key={index} class={`phase ${phase.step.replace(' ', '-')}`}>
            <th scope="row">
              {phase.s === null ? (
                phase.name
              ) : (
                <Link
                  onClick={() => session.goToNumber(phase.s ?? 0, phase.from)}
                  title={`record ${phase.s}`}
                >
                  {phase.name}
                </Link>
              )}
            </th>
            <td class="number">{durationText(phase.from - call.from)}</td>
            <td class="number">{phase.step === 'ended' ? '' : durationText(phase.to - phase.from)}</td>
            <td>
              <div class="phase-track" aria-hidden="true">
                <span
                  class={`phase-bar ${phaseMoods[phase.step] ?? 'wait'}`}
                  style={{
                    left: percent(phase.from),
                    width: `max(2px, ${percent(call.from + phase.to - phase.from)})`,
                  }}
                />
                {phase.progress.map(({ at }, n) => (
                  <span key={n} class="tick" style={{ left: percent(at) }} />
                ))}
              </div>
              <div class="small quiet">
                {visible(doesAfter(phase, call))}
                {phase.progress.map(({ at, text }, n) => (
                  <div key={n}>
                    progress after {durationText(at - call.from)}
                    {text === '' ? '' : `: ${visible(text)}`}
                  </div>
                ))}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
/** Result of a call: its texts as they are, and the whole of it folded. */
function Result({ session, value }: { session: Session; value: unknown }): VNode {
  const content = listOf(fieldsOf(value)['content']);
  const isPlain =
    content.length > 0 && content.every(({ type, text }) => type === 'text' && textOf(text) !== '');
  const isWhole =
    isPlain && Object.keys(fieldsOf(value)).every((key) => ['content', 'isError', 'meta'].includes(key));
  return (
    <>
      {isPlain && content.map(({ text }, n) => <Value key={n} value={text} label={`Text ${n + 1}`} />)}
      <Value session={session} value={value} label="Result" isFolded={isWhole} name="whole result" />
    </>
  );
}
function Facts({ session, call, now }: { session: Session; call: Call; now: number }): VNode {
  const { server, computer, reqId, from, timeoutMs, address } = call;
  const { history } = session;
  const client = session.clientOf(server);
  const machine = address === '' ? undefined : history.lane(address)?.address;
  const chartOf = (actor: string, text: string): VNode => (
    <Link title="show its chart" onClick={() => session.choose({ actor, panel: 'chart' })}>
      {visible(text)}
    </Link>
  );
  const facts: Readonly<Record<string, ComponentChildren>> = {
    server: client === undefined || server === '' ? visible(server) : chartOf(client, server),
    computer: visible(computer),
    'asked by': visible(askerOf(call)),
    at: finerTimeText(from, now),
    'time limit': timeoutMs > 0 && durationText(timeoutMs),
    req_id: (
      <span class="mono">
        {visible(reqId)} <Copy label="req_id" text={() => reqId} />
      </span>
    ),
    machine: machine !== undefined && chartOf(machine, 'its chart'),
  };
  return (
    <dl>
      {Object.entries(facts).map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
/** Messages of the call on its way through this host: on sockets, and between the computer and its server. */
function OnTheWire({ session, call, now }: { session: Session; call: Call; now: number }): VNode | null {
  const { address, reqId } = call;
  const problem = useMessages(session, { ...(address !== '' && { by: address }), req: reqId });
  const rows = session.messages.ofCall(call).filter(({ at }) => at <= now);
  if (rows.length === 0)
    return problem === '' ? null : <p class="quiet">No messages on the wire: {visible(problem)}.</p>;
  return (
    <>
      <h3>on the wire</h3>
      <ul class="wire">
        {rows.map(({ id, at, via, dir, isAnswer, name, afterMs, body }) => (
          <li key={id}>
            <span class="number">{durationText(at - call.from)}</span>
            <span class="quiet">{via === 'mcp' ? 'MCP' : 'socket'}</span>
            <span>
              {dir === 'out' ? '→ sent' : '← received'}
              {isAnswer ? ', answer' : ''}
              {afterMs === null ? '' : ` after ${durationText(afterMs)}`}
            </span>
            <Value
              session={session}
              value={body}
              label={`Message ${id}`}
              isFolded
              name={visible(isAnswer ? `answer to ${name}` : name)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
/** Page of the chosen call. */
export function CallPage({ session, call, now }: { session: Session; call: Call; now: number }): VNode {
  const { tool, reqId, params, ended, from } = call;
  const { words, why, isOver } = standingOf(call, now);
  const result = isOver ? ended?.result : undefined;
  const took = (isOver ? (ended?.at ?? now) : now) - from;
  return (
    <section id="call" aria-label="The chosen call" tabIndex={0}>
      <div class="head-of-call">
        <Button id="close-call" onClick={() => session.choose({ call: undefined })}>
          ✕ <span class="wide">close</span>
        </Button>
        <h2>{visible(tool)}</h2>
        <span class={`pill ${moodOfCall(call, now)}-bar`}>
          <State mood={moodOfCall(call, now)}>{words}</State>
        </span>
        <span class="quiet">{durationText(took)}</span>
        <span class="orders">
          {session.control && !isOver && session.isNow && (
            <Order session={session} verb="cancel" target={reqId} />
          )}
        </span>
      </div>
      {session.control && session.phase === 'live' ? (
        <Again session={session} tool={tool} params={params} call={call} now={now} />
      ) : (
        isOver && ended?.outcome === 'unknown' && <p class="bad risky">▲ This may have happened.</p>
      )}
      {why !== '' && <p class="bad why-of-call">{visible(why)}</p>}
      <Facts session={session} call={call} now={now} />
      <Waterfall session={session} call={call} now={now} />
      {params !== undefined && (
        <>
          <h3>arguments</h3>
          <Value session={session} value={params} label="Arguments" />
        </>
      )}
      {result !== undefined && result !== null && (
        <>
          <h3>{fieldsOf(result)['isError'] === true ? 'result, a failure' : 'result'}</h3>
          <Result session={session} value={result} />
        </>
      )}
      <OnTheWire session={session} call={call} now={now} />
    </section>
  );
}
