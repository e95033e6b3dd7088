import type { Readiness } from '@animal-store/operations';
import { escapeHtml, type PageFrame, PATHS, pageHtml } from '../page-layout.js';

type ReadinessReport = Awaited<ReturnType<Readiness['check']>>;

/** The page at `/`: what this is, whether it works, and where to continue. */
export function frontPage(frame: PageFrame, about: string, report: ReadinessReport): string {
  const { serviceName, publicPath } = frame;
  return pageHtml(frame, {
    path: PATHS.front,
    body: `    <main class="text" id="content" tabindex="-1">
      <h1>${escapeHtml(serviceName)}</h1>
      <p>${escapeHtml(about)}</p>
      <h2 id="status">This server</h2>
      ${status(report)}
      <h2 id="start">Start here</h2>
      <ul>
        <li><a href="${publicPath}${PATHS.guides}">Guides</a>: a key, the first call, and what a program needs that runs for years.</li>
        <li><a href="${publicPath}${PATHS.explorer}">Explorer</a>: try every operation in the browser, and see your quota.</li>
        <li><a href="${publicPath}${PATHS.errors}">Errors</a>: every code, its cause and its fix.</li>
        <li><a href="${publicPath}${PATHS.changelog}">Changelog</a> and <a href="${publicPath}${PATHS.deprecations}">deprecations</a>: what has changed and
          what will be removed.</li>
        <li><a href="${publicPath}${PATHS.document}">OpenAPI document</a>: for Postman, Bruno and code generators.</li>
        <li><a href="${publicPath}${PATHS.client}">TypeScript client</a>: typed, exact int64s, retries.</li>
      </ul>
    </main>`,
  });
}

function status({ shuttingDown, database, redis }: ReadinessReport): string {
  if (shuttingDown) return line('bad', 'It is shutting down and accepts no further requests.');
  if (database === 'down')
    return line('bad', 'It runs, but its database does not respond. Requests get 503.');
  if (redis === 'degraded')
    return line('good', 'It works. Rate limits are counted by each replica, as Redis does not respond.');
  return line('good', 'It works: requests are accepted and the database responds.');
}

function line(className: 'good' | 'bad', text: string): string {
  return `<p class="${className}"><strong>${className === 'good' ? '✓' : '✗'}</strong> ${text}</p>`;
}

export function unknownPage(frame: PageFrame): string {
  const { publicPath } = frame;
  return pageHtml(frame, {
    title: 'Not found',
    path: '',
    body: `    <main class="text" id="content" tabindex="-1">
      <h1>This page does not exist</h1>
      <p>The <a href="${publicPath}${PATHS.explorer}">explorer</a> shows every operation of the API, and <a href="${publicPath}${PATHS.front}">the front page</a>
        what else there is. Programs get the Error object <a href="${publicPath}${PATHS.errors}#route_not_found"><code>route_not_found</code></a>.</p>
    </main>`,
  });
}
