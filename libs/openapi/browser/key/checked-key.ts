import type { SwaggerUi } from '../swagger-ui.js';

type Authorize = (authorized: Readonly<Record<string, { readonly value?: unknown }>>) => unknown;

/** Calls `GET` of an operation that counts nothing with a key; null when the server does not respond. */
export type CheckKey = (key: string) => Promise<Response | null>;

/**
 * A plugin of Swagger UI: a key is verified before it is accepted. Swagger UI says "Authorized" to anything. When the
 * server does not respond, the key is accepted unverified.
 */
export function checkedKey(checkKey: CheckKey) {
  const authorizeWithPersistOption =
    (original: Authorize, { errActions }: SwaggerUi) =>
    async (authorized: Parameters<Authorize>[0]): Promise<void> => {
      const [name, credential] = Object.entries(authorized)[0] ?? [];
      errActions.clear({ authId: name, type: 'auth', source: 'auth' });
      const key = typeof credential?.value === 'string' ? keyIn(credential.value) : '';
      if (name === undefined || key === '') {
        original(authorized);
      } else if (!/^[!-~]+$/.test(key) || (await checkKey(key))?.status === 401) {
        const message = 'This key is not known.';
        errActions.newAuthErr({ authId: name, level: 'error', source: 'auth', message });
      } else {
        original({ ...authorized, [name]: { ...credential, value: key } });
      }
    };
  return { statePlugins: { auth: { wrapActions: { authorizeWithPersistOption } } } };
}

/** What was entered as a key. Some copy the whole header. */
export function keyIn(text: string): string {
  return text.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, '');
}
