import type { TracedGroup } from './group.ts';
import { whyNoReaper } from './host-program.ts';
import { notStarted, startReaper, type Reaper } from './reaper-child.ts';
import { nameOf, type Notice, type Witness } from './state-file.ts';

const budget = 5;

interface Seat {
  readonly instance: string;
  readonly notice: Notice;
  readonly groups: Map<string, TracedGroup>;
}

const seats = new Set<Seat>();
let reaper: Reaper | undefined;
let deaths = 0;
let isProven = false;
/** Reason why this process can never have a reaper; each notice callback receives it once. */
let refusal: string | undefined;
const told = new WeakSet<Notice>();

const remedy =
  'if this host is killed, its servers may be left behind until its next start. `reaper: false` (--no-reaper) does without one';

function tellRefusal(to: Iterable<Seat> = seats): void {
  for (const { notice } of to) {
    if (told.has(notice)) continue;
    told.add(notice);
    notice(`no reaper, which ends the servers when this host is killed: ${refusal}; ${remedy}`);
  }
}

function lost(how: string): void {
  reaper = undefined;
  deaths += 1;
  const next =
    deaths < budget
      ? 'the next server that starts brings a new one'
      : 'no other is started: if this host is killed, its servers may be left behind';
  for (const notice of new Set([...seats].map((seat) => seat.notice)))
    notice(`the reaper, which ends the servers when this host is killed, ${how}; ${next}`);
}

function start(): Reaper {
  const started = startReaper({
    lost: (how) => {
      if (reaper === started) lost(how);
    },
    refused: (how) => {
      if (reaper !== started) return;
      reaper = undefined;
      refusal = `what ${process.execPath} starts ${how}`;
      tellRefusal();
    },
  });
  void started.isReaper.then((is) => (isProven ||= is));
  return started;
}

function sit(seat: Seat): void {
  const isNew = !seats.has(seat);
  seats.add(seat);
  if (reaper) {
    if (isNew) reaper.say(`* ${encodeURIComponent(seat.instance)}`);
    return;
  }
  refusal ??= whyNoReaper();
  if (refusal !== undefined) return tellRefusal();
  if (deaths >= budget) return;
  try {
    reaper = start();
  } catch (error) {
    return lost(notStarted(error));
  }
  for (const { instance, groups } of seats) {
    reaper.say(`* ${encodeURIComponent(instance)}`);
    for (const name of groups.keys()) reaper.say(`+ ${name}`);
  }
}

async function rise(seat: Seat): Promise<void> {
  if (!seats.delete(seat) || !reaper) return;
  const { child, ended, isReaper, say } = reaper;
  const risen = reaper;
  if (![...seats].some(({ instance }) => instance === seat.instance))
    say(`~ ${encodeURIComponent(seat.instance)}`);
  if (seats.size > 0) return;
  child.ref();
  // Waits until the started program has proved to be a reaper. Any other program would be started again with every server.
  if (!isProven) await Promise.race([isReaper, ended]);
  if (refusal !== undefined) tellRefusal([seat]);
  if (seats.size > 0) return void child.unref();
  if (reaper === risen) {
    reaper = undefined;
    deaths = 0;
    // Kills the reaper: it has nothing left to end, and it might still be starting.
    child.kill('SIGKILL');
  }
  await ended;
}

export function reaperSeatOf(instance: string, notice: Notice): Witness {
  const seat: Seat = { instance, notice, groups: new Map() };
  return {
    expect: () => sit(seat),
    entered: (group) => {
      const name = nameOf(group);
      seat.groups.set(name, group);
      if (seats.has(seat)) reaper?.say(`+ ${name}`);
    },
    left: (group) => {
      const name = nameOf(group);
      seat.groups.delete(name);
      if (seats.has(seat)) reaper?.say(`- ${name}`);
    },
    dismiss: () => rise(seat),
  };
}
