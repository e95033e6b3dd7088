import { changelogPage } from './changelog.page.js';

describe('The page of the changelog', () => {
  it('has what callers notice of every release', () => {
    const changelog = `# Changelog

## Unreleased

- Not there yet.

## 1.1.0

Tag \`v1.1.0\`.

For callers:

- A new field.

For operators:

- A new metric.

## 1.0.0

- The first one.
`;

    expect(changelogPage(changelog)).toBe(`# Changelog

## 1.1.0

Tag \`v1.1.0\`.

- A new field.

## 1.0.0

- The first one.
`);
  });
});
