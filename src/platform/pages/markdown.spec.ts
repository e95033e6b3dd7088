import { htmlOf } from './markdown.js';

describe('htmlOf', () => {
  it.each([
    [
      'a heading with an id',
      '## By `status` alone',
      '<h2 id="by-status-alone">By <code>status</code> alone</h2>',
    ],
    ['lines that are one paragraph', 'Rex\nand Tom.\n', '<p>Rex and Tom.</p>'],
    ['a list', '- one\n  more\n- two', '<ul>\n<li>one more</li>\n<li>two</li>\n</ul>'],
    [
      'code',
      '```json\n{"a": "<b>"}\n```',
      '<pre tabindex="0"><code>{&quot;a&quot;: &quot;&lt;b&gt;&quot;}</code></pre>',
    ],
    [
      'a table',
      '| Code | Status |\n| --- | --- |\n| `gone` | 410 |',
      '<div class="wide" tabindex="0"><table>\n<thead><tr><th>Code</th><th>Status</th></tr>\n</thead>\n' +
        '<tbody><tr><td><code>gone</code></td><td>410</td></tr>\n</tbody></table></div>',
    ],
    ['bold and emphasis', '**Reads** _now_', '<p><strong>Reads</strong> <em>now</em></p>'],
    ['snake_case_names as they are', 'a snake_case_name', '<p>a snake_case_name</p>'],
    ['code in which nothing has a meaning', '`**a** [b](c)`', '<p><code>**a** [b](c)</code></p>'],
    [
      'a link to another server',
      '[MIT](https://a.example/?b&c)',
      '<p><a href="https://a.example/?b&amp;c">MIT</a></p>',
    ],
    ['a link to a file of the repository by its name', '[errors](docs/errors.md)', '<p>errors</p>'],
    ['a link that would run a script by its name', '[x](javascript:alert)', '<p>x</p>'],
    ['HTML as text', '<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ['no comment', '<!-- Generated. -->\n\nText', '<p>Text</p>'],
  ])('renders %s', (_what, markdown, html) => {
    expect(htmlOf(markdown)).toBe(html);
  });

  it('renders a heading, a list and a paragraph that follow each other without a blank line', () => {
    expect(htmlOf('# Title\nText\n- one\n# End')).toBe(
      '<h1 id="title">Title</h1>\n<p>Text</p>\n<ul>\n<li>one</li>\n</ul>\n<h1 id="end">End</h1>',
    );
  });
});
