/** What has to happen at once in Redis. */
const now = `
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)`;
/**
 * A server that has taken the place of another, or was started again, may have forgotten what was claimed last: it counts as one that
 * was empty until now. Each run of a server has a name of its own. `since` and `server` are keys.
 */
const aged = (since: string, server: string): string => `${now}
    local info = redis.pcall('INFO', 'server')
    local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
    if redis.call('GET', ${server}) ~= run then
      redis.call('SET', ${server}, run)
      redis.call('SET', ${since}, string.format('%.0f', now))
    end
    local age = now - tonumber(redis.call('GET', ${since}) or now)`;

/** A lease has the time of its beginning as its number. KEYS node, since, server. ARGV lease in ms. */
export const renew = {
  numberOfKeys: 3,
  lua: `${aged('KEYS[2]', 'KEYS[3]')}
    redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX', 'PX', ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return { tonumber(redis.call('GET', KEYS[1])), age }`,
} as const;

/**
 * The fence is the time, or one more than the last: so a Redis that was empty meanwhile gives larger ones than before.
 * KEYS office, fence, offices, since, server. ARGV field, node, socket, holder, prefix of nodes, channel, office, least age in ms.
 */
export const claim = {
  numberOfKeys: 5,
  lua: `${aged('KEYS[4]', 'KEYS[5]')}
    if redis.call('EXISTS', ARGV[5] .. ARGV[2]) == 0 then return { 'ended' } end
    if age < tonumber(ARGV[8]) then return { 'ended' } end
    local old = redis.call('HGET', KEYS[1], ARGV[1])
    if old then
      local held = cjson.decode(old)
      local mine = held.node == ARGV[2] and held.socket == ARGV[3]
      if not mine and redis.call('EXISTS', ARGV[5] .. held.node) == 1 then return { 'taken', old } end
      if not mine then
        redis.call('PUBLISH', ARGV[6], cjson.encode({ type = 'freed', seat = held.seat, fence = held.fence }))
      end
    end
    local holder = cjson.decode(ARGV[4])
    holder.fence = math.max(tonumber(redis.call('GET', KEYS[2]) or 0) + 1, now)
    redis.call('SET', KEYS[2], string.format('%.0f', holder.fence))
    local text = cjson.encode(holder)
    redis.call('HSET', KEYS[1], ARGV[1], text)
    redis.call('SADD', KEYS[3], ARGV[7])
    redis.call('PUBLISH', ARGV[6], '{"type":"taken","holder":' .. text .. '}')
    return { 'held', holder.fence }`,
} as const;

/** KEYS office, offices. ARGV field, fence, channel, news, office. */
export const release = {
  numberOfKeys: 2,
  lua: `
    local old = redis.call('HGET', KEYS[1], ARGV[1])
    if not old or cjson.decode(old).fence ~= tonumber(ARGV[2]) then return 0 end
    redis.call('HDEL', KEYS[1], ARGV[1])
    if redis.call('HLEN', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[5]) end
    redis.call('PUBLISH', ARGV[3], ARGV[4])
    return 1`,
} as const;

/** KEYS node. ARGV channel, news. */
export const end = {
  numberOfKeys: 1,
  lua: `
    redis.call('DEL', KEYS[1])
    return redis.call('PUBLISH', ARGV[1], ARGV[2])`,
} as const;
