/**
 * What has to happen at once in Redis. Every key has the same hash tag, so that one shard holds them all. A seat is a field of the
 * hash of its office; a node lives as long as its own key does.
 */
export const keys = {
  fence: '{a2c}:fence',
  offices: '{a2c}:offices',
  since: '{a2c}:since',
  news: '{a2c}:news',
  node: '{a2c}:node:',
  office: (office: string): string => `{a2c}:office:${office}`,
  mail: (node: string): string => `{a2c}:mail:${node}`,
} as const;

const now = `
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/** A lease has the time of its beginning as its number. KEYS node, since. ARGV lease in ms. */
export const renew = {
  numberOfKeys: 2,
  lua: `${now}
    redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX', 'PX', ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    redis.call('SET', KEYS[2], string.format('%.0f', now), 'NX')
    return { tonumber(redis.call('GET', KEYS[1])), now - tonumber(redis.call('GET', KEYS[2])) }`,
} as const;

/**
 * The fence is the time, or one more than the last: so a Redis that was empty meanwhile gives larger ones than before.
 * KEYS office, fence, offices, since. ARGV field, node, socket, holder, prefix of nodes, channel, office, least age in ms.
 */
export const claim = {
  numberOfKeys: 4,
  lua: `${now}
    if redis.call('EXISTS', ARGV[5] .. ARGV[2]) == 0 then return { 'ended' } end
    local since = redis.call('GET', KEYS[4])
    if now - tonumber(since or now) < tonumber(ARGV[8]) then return { 'ended' } end
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
