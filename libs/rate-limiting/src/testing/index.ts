export { describeOnRedis } from './describe-on-redis.js';
export { RedisCluster } from './redis-cluster.js';
export { RedisSentinels } from './redis-sentinels.js';
export { hasFaketime, hasRedisServer, RedisServer } from './redis-server.js';
