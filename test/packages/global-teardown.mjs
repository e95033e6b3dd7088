export { tearDown as default } from './global-setup.mjs';
