import type { ServerResponse } from 'node:http';
import { requestedList } from './list-query.js';
import { showPage } from './resource-responses.js';

describe('A shown page', () => {
  it('has no next page whose cursor its list would refuse', () => {
    const response = { appendHeader: jest.fn() } as unknown as ServerResponse;
    const page = { items: [{ id: 7n }], next: { id: 7n, value: 3n } };
    const show = (sortValue: 'text' | 'int64') =>
      showPage(response, page, requestedList('/v1/pets', { limit: 1 }, sortValue), (item) => item);

    expect(() => show('text')).toThrow('The list of /v1/pets is sorted by int64: say so to requestedList().');
    expect(() => show('int64')).not.toThrow();
  });
});
