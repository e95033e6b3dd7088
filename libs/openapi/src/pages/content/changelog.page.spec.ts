import { changelogPage } from './changelog.page.js';

describe('The page of the changelog', () => {
  it('has the versions that run, and what callers notice of each', () => {
    const changelog = `# Changelog

## Unreleased

For callers:

- Runs here already.

For operators:

- Another metric.

## 1.1.0

Tag \`v1.1.0\`.

For callers:

- A new field.

For operators:

- A new metric.

## 1.0.0

- The first one.
`;

    expect(changelogPage(changelog, { interface: '1.0.0', client: '1.3.0' })).toBe(`# Changelog

| What | Version here |
| --- | --- |
| Interface | 1.0.0 |
| Service | 1.1.0, and what is not released yet |
| TypeScript client | 1.3.0 |

## Runs here, not released yet

- Runs here already.

## 1.1.0

Tag \`v1.1.0\`.

- A new field.

## 1.0.0

- The first one.
`);
  });

  it('has nothing that is not released where nothing is', () => {
    const page = changelogPage('# Changelog\n\n## Unreleased\n\n## 1.1.0\n\n- A field.\n', {
      interface: '1.0.0',
      client: '1.3.0',
    });
    expect(page).toContain('| Service | 1.1.0 |');
    expect(page).not.toContain('released');
  });
});
