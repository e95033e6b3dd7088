import type { ServerResponse } from 'node:http';
import { type Page, SharedPage } from '@animal-store/kernel';
import { requestedList } from './list-query.js';
import { showPage } from './resource-responses.js';

describe('A shown page', () => {
  const response = { appendHeader: jest.fn() } as unknown as ServerResponse;

  it('has no next page whose cursor its list would refuse', () => {
    const page = { items: [{ id: 7n }], next: { id: 7n, value: 3n } };
    const show = (sortValue: 'text' | 'int64') =>
      showPage(response, page, requestedList('/v1/pets', { limit: 1 }, sortValue), (item) => item);

    expect(() => show('text')).toThrow('The list of /v1/pets is sorted by int64: say so to requestedList().');
    expect(() => show('int64')).not.toThrow();
  });

  it('is made once of a SharedPage for each way to show it, and each time of any other, also of a frozen one', () => {
    const page = { items: [{ id: 7n }], next: null };
    const list = requestedList('/v1/pets', { limit: 1 });
    const toName = ({ id }: { id: bigint }) => ({ name: `Rex ${id}` });
    const toNumber = ({ id }: { id: bigint }) => ({ number: id });
    const show = (shown: Page<{ id: bigint }>, toResource: (item: { id: bigint }) => object) =>
      showPage(response, shown, list, toResource);
    const shared = new SharedPage(page);

    expect(show(shared, toName)).toEqual([{ name: 'Rex 7' }]);
    expect(show(shared, toName)).toBe(show(shared, toName));
    expect(show(shared, toNumber)).toEqual([{ number: 7n }]);
    const frozen = Object.freeze({ ...page });
    expect(show(frozen, toName)).not.toBe(show(frozen, toName));
  });
});
