import { losses } from './check.js';

const added = (name: string, id: number | null, invokedMs = 0) => ({ name, id, invokedMs });

describe('What a server has after a start', () => {
  it('is what was acknowledged, with or without what has an unknown outcome', () => {
    const additions = [added('Rex', 1), added('Mia', 2), added('Tom', null), added('Ada', null)];
    const stored = [
      { id: 1, name: 'Rex' },
      { id: 2, name: 'Mia' },
      { id: 3, name: 'Tom' },
    ];
    expect(losses(additions, stored)).toEqual([]);
  });

  it('has nothing that nobody added, nothing twice, and nothing with another id', () => {
    const stored = [
      { id: 1, name: 'Rex' },
      { id: 2, name: 'Rex' },
      { id: 3, name: 'Mia' },
    ];
    expect(losses([added('Rex', 1)], stored)).toEqual([
      'Rex was acknowledged as 1, and is 2.',
      'Rex is there twice.',
      'Nobody added animal 3 (Mia).',
    ]);
  });

  it('has all that was acknowledged', () => {
    expect(losses([added('Rex', 1), added('Mia', 2)], [{ id: 1, name: 'Rex' }])).toEqual([
      'Mia was acknowledged as 2, and is lost.',
    ]);
  });

  it('may lack the last of what was sent before a cut, and nothing of what was sent after it', () => {
    const stored = [{ id: 1, name: 'Rex' }];
    expect(losses([added('Rex', 1, 10), added('Mia', 2, 20)], stored, 30)).toEqual([]);
    expect(losses([added('Rex', 1, 10), added('Mia', 2, 40)], stored, 30)).toEqual([
      'Mia was acknowledged as 2, and is lost.',
    ]);
  });

  it('lacks nothing in between after a cut', () => {
    const stored = [
      { id: 1, name: 'Rex' },
      { id: 3, name: 'Tom' },
    ];
    expect(losses([added('Rex', 1), added('Mia', 2), added('Tom', 3)], stored, 30)).toEqual([
      'Mia (2) is lost, and 3 after it is not.',
    ]);
  });
});
