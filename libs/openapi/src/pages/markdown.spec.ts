import { sectionsOf, renderPage } from './markdown.js';

describe('renderPage', () => {
  it.each([
    [
      'a heading with an id',
      '## By `status` alone',
      '<h2 id="by-status-alone">By <code>status</code> alone</h2>',
    ],
    [
      'code',
      '```json\n{"a": "<b>"}\n```',
      '<pre tabindex="0"><code>{&quot;a&quot;: &quot;&lt;b&gt;&quot;}</code></pre>',
    ],
    [
      'a table',
      '| Code | Status |\n| --- | --- |\n| `gone` | 410 |',
      '<div class="wide" tabindex="0"><table><thead><tr><th>Code</th><th>Status</th></tr></thead>' +
        '<tbody><tr><td data-title="Code"><code>gone</code></td><td data-title="Status">410</td></tr></tbody></table></div>',
    ],
    [
      'a list, whose errors links can name by their code, each once',
      '- `gone` 410: Sold\n- `gone` 410: Lost\n- `jq` is a program',
      '<ul><li id="gone"><code>gone</code> 410: Sold</li><li><code>gone</code> 410: Lost</li>' +
        '<li><code>jq</code> is a program</li></ul>',
    ],
    [
      'a link to another server',
      '[MIT](https://a.example/?b&c)',
      '<p><a href="https://a.example/?b&amp;c">MIT</a></p>',
    ],
    [
      'a link to an address of mail, such as that of who issues keys',
      '[the operator](mailto:keys@store.example)',
      '<p><a href="mailto:keys@store.example">the operator</a></p>',
    ],
    ['a link to a file of the repository by its name', '[start](src/main.ts)', '<p>start</p>'],
    [
      'a link to a guide, and to a page',
      '[a](limits.md#too-many) [b](api/README.md) [c](../errors.md#gone) [d](../../CHANGELOG.md)',
      '<p><a href="/docs/guides/limits#too-many">a</a> <a href="/docs/guides">b</a> ' +
        '<a href="/docs/errors#gone">c</a> <a href="/docs/changelog">d</a></p>',
    ],
    ['a link that would run a script by its name', '[x](javascript:alert)', '<p>x</p>'],
    ['HTML as text', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['no comment', '<!-- Generated. -->\n\nText', '<p>Text</p>'],
  ])('renders %s', (_what, markdown, html) => {
    expect(renderPage(markdown, '').replaceAll('>\n', '>')).toBe(html);
  });

  it('names its headings and codes, each once', () => {
    const html = renderPage('# Errors\n## By `a & b`\nNone.\n- `gone` 410: Sold\n- `gone` 410: Lost', '');
    expect(sectionsOf(html).sections).toEqual([
      { id: 'by-a-b', title: 'By a & b', text: 'By a & b None.' },
      { id: 'gone', title: 'gone', text: 'gone 410: Sold gone 410: Lost' },
    ]);
  });

  it('has what comes before its first section, for the search', () => {
    const html = renderPage('# Plans\n\n| Free |\n| --- |\n| 60 |\n\n## Bans\n\nNone.', '');
    expect(sectionsOf(html).beginning).toBe('Plans Free 60');
  });

  it('puts the path of a proxy before links to this server, and no others', () => {
    const html = renderPage('[a](/docs) [b](//b.example) [c](https://c.example/)', '/store');
    expect(html).toBe('<p><a href="/store/docs">a</a> b <a href="https://c.example/">c</a></p>\n');
  });
});
