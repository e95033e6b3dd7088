import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { nodeInternals, STOCK_NODE } from './node-internals.js';

describe('nodeInternals', () => {
  it('knows this Node', () => {
    expect(nodeInternals().problem).toBeNull();
  });

  it.each([
    ['has another parser', () => nodeInternals({ ...nodeInternals(), stopParsing: () => undefined })],
    ['has no way to let clients half-close', () => nodeInternals(nodeInternals(), {} as Server)],
  ])('says in one line that a Node is unknown which %s, and leaves it as it is', (_, unknown) => {
    expect(unknown()).toBe(STOCK_NODE);
    expect(unknown().problem).toMatch(/^Node \d+\.\d+\.\d+ is unknown: .+\.$/);
    const server = createServer();
    const before = { ...server };
    STOCK_NODE.allowHalfOpen(server);
    STOCK_NODE.stopParsing(new Socket());
    expect({ ...server }).toEqual(before);
  });
});
