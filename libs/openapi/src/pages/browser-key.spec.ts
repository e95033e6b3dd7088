import type { Request } from 'express';
import { isFromThisMachine } from './browser-key.js';

const from = (remoteAddress: string | undefined, headers: Record<string, string>): Request =>
  ({ socket: { remoteAddress }, headers }) as unknown as Request;

describe('isFromThisMachine', () => {
  it.each([
    ['127.0.0.1', { host: 'localhost:3000' }],
    ['127.3.2.1', { host: '127.0.0.1' }],
    ['::1', { host: '[::1]:3000' }],
    ['::ffff:127.0.0.1', { host: 'LOCALHOST:3000' }],
  ])('is true for %s with %j', (address, headers) => {
    expect(isFromThisMachine(from(address, headers))).toBe(true);
  });

  it.each([
    ['192.168.0.7', { host: 'localhost:3000' }],
    ['::ffff:192.168.0.7', { host: 'localhost:3000' }],
    ['fe80::1', { host: 'localhost:3000' }],
    ['127.0.0.1', { host: 'evil.example' }],
    ['127.0.0.1', { host: 'localhost.evil.example' }],
    ['127.0.0.1', {}],
    ['127.0.0.1', { host: 'localhost:3000', 'x-forwarded-for': '127.0.0.1' }],
    ['127.0.0.1', { host: 'localhost:3000', forwarded: 'for=192.0.2.60' }],
    [undefined, { host: 'localhost:3000' }],
  ])('is false for %s with %j', (address, headers) => {
    expect(isFromThisMachine(from(address, headers as Record<string, string>))).toBe(false);
  });
});
