/** About 10 kB of JSON. */
export const LIST: readonly object[] = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  name: `The ship ${index + 1} of the northern fleet`,
  berth: index % 7,
  status: 'afloat',
  tonnage: 1_000 + index,
}));
