import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = resolve(__dirname, '../..');

describe('The bundled service', () => {
  it.each(['keys', 'migrate-data'])('ends %s without a stack when nobody reads its output', async (name) => {
    const child = spawn(process.execPath, [join(ROOT, `dist/${name}.js`), '--help']);
    child.stdout.destroy();

    expect(await text(child.stderr)).toBe('');
  });

  it.each(['main', 'keys', 'jobs', 'migrate-data'])('says in one line of %s that Node is too old', (name) => {
    const older = `data:text/javascript,
      Object.defineProperty(process.versions, 'node', { value: '18.20.4' });
      Object.defineProperty(process, 'version', { value: 'v18.20.4' });`;
    const words = ['--import', older, join(ROOT, `dist/${name}.js`)];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });

    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Node 20.19 or later is needed, and this is v18.20.4: install a later one.\n',
    });
  });

  it('has stack traces with places in the source', () => {
    const [, chunk] = /'(\.\/chunks\/.*)'/.exec(readFileSync(join(ROOT, 'dist/main.js'), 'utf8'))!;
    const map = readFileSync(join(ROOT, 'dist', `${chunk}.map`), 'utf8');
    const { sources } = JSON.parse(map) as { sources: string[] };

    expect(sources).toContain('../../src/pets/http/pets.controller.ts');
  });

  it('is in ASCII, which V8 stores in one byte per character', () => {
    const chunks = readdirSync(join(ROOT, 'dist/chunks')).filter((name) => name.endsWith('.js'));
    for (const file of ['main.js', ...chunks.map((name) => `chunks/${name}`)]) {
      expect(readFileSync(join(ROOT, 'dist', file), 'utf8')).not.toMatch(/[^\0-\x7f]/);
    }
  });

  it('has one copy of class-validator and class-transformer, so PartialType copies all rules, which work', () => {
    const program = mkdtempSync(join(ROOT, 'dist', 'bundled-'));
    const file = join(program, 'partial.js');
    writeFileSync(file, PARTIAL);
    writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: [], names: [], mappings: '' }));
    const bundle = `const { bundle } = await import('./scripts/build/bundle.mjs');
      const [, folder] = process.argv;
      await bundle({ compiled: 'dist', to: folder, programs: { bundled: folder + '/partial.js' } });`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', bundle, program], { cwd: ROOT });
    const printed = execFileSync(process.execPath, [join(program, 'bundled.js')], {
      encoding: 'utf8',
    });
    rmSync(program, { recursive: true });

    expect(JSON.parse(printed)).toEqual({
      rules: ['at: isDate', 'at: isOptional'],
      at: 'Date',
      // Its rules are in a package that is loaded on use.
      isPhoneNumber: true,
    });
  });
});

/** A DTO that makes every field of another one optional, as a module may have. */
const PARTIAL = `
  import 'reflect-metadata';
  import { PartialType } from '@nestjs/swagger';
  import { plainToInstance, Type } from 'class-transformer';
  import { getMetadataStorage, IsDate, isPhoneNumber } from 'class-validator';
  class Visit {}
  Type(() => Date)(Visit.prototype, 'at');
  IsDate()(Visit.prototype, 'at');
  class ChangedVisit extends PartialType(Visit) {}
  const rules = getMetadataStorage().getTargetValidationMetadatas(ChangedVisit, '', false, false);
  const { at } = plainToInstance(ChangedVisit, { at: '2020-01-01' });
  console.log(JSON.stringify({
    rules: rules.map((rule) => rule.propertyName + ': ' + rule.name).sort(),
    at: at.constructor.name,
    isPhoneNumber: isPhoneNumber('+41446681800'),
  }));
`;
