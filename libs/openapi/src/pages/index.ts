export { errorsPage } from './content/errors.page.js';
export { servePages } from './pages.js';
