export { errorsPage } from './content/errors.page.js';
export { Pages, PagesOptions } from './pages.js';
