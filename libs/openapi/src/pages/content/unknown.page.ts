import { type PageFrame, PATHS, pageHtml } from '../page-layout.js';

/** The page of a path that does not exist. */
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
