import { originOf } from './page-layout.js';

describe('The address in the examples of a page', () => {
  it.each([
    ['store.example', 'https://store.example'],
    ['127.0.0.1:3000', 'https://127.0.0.1:3000'],
    ['[::1]:3000', 'https://[::1]:3000'],
    ["x';alert(1)", 'http://localhost:3000'],
    ['store.example/../', 'http://localhost:3000'],
    [undefined, 'http://localhost:3000'],
  ])('is that of the Host %j, if it is one', (host, origin) => {
    expect(originOf('https', host)).toBe(origin);
  });
});
