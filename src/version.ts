/** The release of the service, as package.json names it. */
export const VERSION = '1.0.0';
