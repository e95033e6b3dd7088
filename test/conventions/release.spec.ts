import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPT = resolve('scripts/release-service.mjs');
const RELEASED: Readonly<Record<string, string>> = {
  'package.json': '{ "version": "2.3.4" }',
  'package-lock.json': '{ "version": "2.3.4" }',
  'CHANGELOG.md': '# Changelog\n\n## 2.3.4\n\n- A field.\n\n## 2.3.3\n\n- Before.\n',
  'ops/kubernetes/animal-store.yaml': 'image: animal-store:2.3.4\n',
  'docs/openapi.json': '{}',
  'docs/openapi.released.json': '{}',
};

describe('A release of the service', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    run('git', ['init', '--quiet']);
    write(RELEASED);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  const release = (...args: readonly string[]) => run(process.execPath, [SCRIPT, ...args]);

  function write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }

  it('is made of a version that has no tag, with what changed since the one before', () => {
    expect(release()).toMatchObject({ status: 0, stdout: '2.3.4\n' });
    expect(release('--notes')).toMatchObject({ status: 0, stdout: '- A field.\n' });
  });

  it('is made once', () => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    run('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'One']);
    run('git', ['tag', 'v2.3.4']);

    expect(release()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('is not made of what is unreleased', () => {
    write({ 'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- A field.\n\n## 2.3.4\n' });

    expect(release()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['CHANGELOG.md', '## 2.3.3\n', 'CHANGELOG.md begins with "2.3.3"'],
    ['package-lock.json', '{ "version": "2.3.3" }', 'package-lock.json has version 2.3.3'],
    ['ops/kubernetes/animal-store.yaml', 'image: animal-store:2.3.40\n', 'does not name animal-store:2.3.4'],
    ['docs/openapi.released.json', '{"a":1}', 'is another document'],
  ])('is refused when %s does not agree', (name, text, problem) => {
    write({ [name]: text });

    expect(release()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(problem) });
  });
});
