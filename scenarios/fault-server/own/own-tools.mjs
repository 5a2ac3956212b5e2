/** Schemas for arguments and results of a tool, from the config. */
function schemasOf(configured, name) {
  const { inputSchema, outputSchema } = Object.hasOwn(configured, name) ? configured[name] : {};
  return { ...(inputSchema && { inputSchema }), ...(outputSchema && { outputSchema }) };
}

/** Tools of one process: those of its config, with later changes. */
export function createTools(server, configured) {
  const lasting = Object.keys(configured);
  const [first] = lasting;
  let newest;
  let changes = 0;
  let isHidden = false;
  const isThere = (name) => name !== first || !isHidden;
  let description = first;
  const described = (name) => ({
    name,
    description: name === first ? description : name,
    inputSchema: { type: 'object' },
    ...schemasOf(configured, name),
  });
  return {
    /** Tools as a list would have them now. */
    list: () => [...lasting.filter(isThere), ...(newest === undefined ? [] : [newest])].map(described),
    has: (name) => name === newest || (lasting.includes(name) && isThere(name)),
    /** Number of changes of the tools. */
    get revision() {
      return changes;
    },
    get first() {
      return first;
    },
    renew: () => {
      changes += 1;
      newest = `${server}.new${changes}`;
    },
    describeOtherwise: () => {
      if (first === undefined) return;
      changes += 1;
      description = `${first}, after change ${changes}`;
    },
    hide: (isAway) => {
      if (isHidden === isAway || first === undefined) return;
      changes += 1;
      isHidden = isAway;
    },
    add: (name) => {
      changes += 1;
      lasting.push(name);
    },
  };
}

/** Hides the first entry of a list and shows it again, n times, and tells so; meanwhile another order is ignored. */
export function createFlap(list, tell, after, isOver) {
  let isFlapping = false;
  const flap = (left, everyMs) => {
    isFlapping = left > 0 && !isOver();
    if (!isFlapping) return;
    list.hide(true);
    tell();
    after(everyMs, () => {
      list.hide(false);
      tell();
      after(everyMs, () => flap(left - 1, everyMs));
    });
  };
  return ({ n, everyMs }) => {
    if (!isFlapping && list.first !== undefined) flap(n, everyMs);
  };
}

/**
 * Creates the faults that change lists, the same for every player. Gets the tools, functions to announce a change and to wait
 * (never longer than the server lives), and a test whether its faults are over.
 */
export function createChanges({ tools, say, after, isOver }) {
  let isStorming = false;
  const storm = (everyMs) => {
    if (isOver()) return;
    say('tools');
    after(everyMs, () => storm(everyMs));
  };
  /** Changes and announces the tools n times within `withinMs` milliseconds. */
  const burst = (n, withinMs, told, ms) => {
    if (isOver()) return;
    const due = Math.ceil((n * (ms + 1)) / (withinMs + 1));
    for (let i = told; i < due; i += 1) {
      tools.renew();
      say('tools');
    }
    if (due < n) after(1, () => burst(n, withinMs, due, ms + 1));
  };
  return new Map(
    Object.entries({
      'notify.burst': ({ n, withinMs }) => burst(n, withinMs, 0, 0),
      'notify.storm': ({ everyMs }) => {
        // Ignores a second storm while one is running.
        if (isStorming) return;
        isStorming = true;
        storm(everyMs);
      },
      'notify.lie': ({ list }) => say(list),
      'notify.silentChange': ({ onlyContent }) => (onlyContent ? tools.describeOtherwise() : tools.renew()),
      'notify.early': () => say('tools'),
      'list.flap': createFlap(tools, () => say('tools'), after, isOver),
      'list.nameClash': ({ name }) => tools.add(name),
    }),
  );
}
