export { errorsPage } from './content/errors.page.js';
export { PageErrorFilter } from './content/page-error.filter.js';
export { Pages, PagesOptions } from './pages.js';
