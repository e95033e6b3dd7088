import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const LIBS = resolve(__dirname, '../../libs');
const NOT_SHIPPED = /\.(spec|contract)\.ts$|(^|\/)(testing|dist|node_modules)\//;

/** What only this store is called, or has: other services use the packages too. */
const OF_THE_STORE =
  /animal|\bask_|\bpets?\b|[a-z]Pets?\b|\bPets?[A-Z]|\bpet[A-Z_]|[A-Z]+_LIMIT_BYTES|contract section/;

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.replace(/@animal-store\/[\w-]+/g, ''));
}

function namesIn(text: string): string[] {
  return linesOf(text).filter((line) => OF_THE_STORE.test(line));
}

describe('The packages of libs', () => {
  it('do not speak of this store', () => {
    const files = readdirSync(LIBS, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !NOT_SHIPPED.test(path),
    );
    const found = files.flatMap((path) =>
      namesIn(readFileSync(join(LIBS, path), 'utf8')).map((line) => `${path}: ${line.trim()}`),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });

  it.each([
    "name: 'animal_store_ready'",
    "text.includes('ask_')",
    "code: 'pet_not_found'",
    ' * @Get(":petId") getPet() {}',
    'The limit is BODY_LIMIT_BYTES.',
    'its bounds (contract section 4.1)',
  ])('would be reported for %s', (line) => {
    expect(namesIn(line)).toEqual([line]);
  });
});
