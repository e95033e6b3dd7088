export { hasRedisServer, RedisServer } from './redis-server.js';
