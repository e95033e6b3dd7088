/** The plugins of Swagger UI for the key, and the button that makes one. */
import type { Component, Stored, SwaggerUi } from './swagger-ui.js';

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

const FOCUSABLE = 'button, input, a[href]';

/** A plugin of Swagger UI: the dialog for the key has the focus while it is open, and then returns it. */
export function keyDialog() {
  return {
    wrapComponents: {
      authorizationPopup:
        (Original: Component, { React }: Pick<SwaggerUi, 'React'>) =>
        (props: object) => {
          React.useEffect(() => trapFocus(document.querySelector<HTMLElement>('.dialog-ux .modal-ux')!), []);
          return React.createElement(Original, props);
        },
    },
  };
}

function trapFocus(dialog: HTMLElement): () => void {
  const opener = document.activeElement as HTMLElement | null;
  dialog.setAttribute('role', 'dialog');
  dialog.setAttribute('aria-modal', 'true');
  dialog.setAttribute('aria-label', 'Authorize');
  dialog.querySelector<HTMLElement>('.close-modal')?.setAttribute('aria-label', 'Close');
  (dialog.querySelector<HTMLElement>('input') ?? dialog.querySelector<HTMLElement>(FOCUSABLE))?.focus();
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab') return;
    const controls = [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)];
    const [from, to] = event.shiftKey ? [controls[0], controls.at(-1)] : [controls.at(-1), controls[0]];
    if (document.activeElement !== from) return;
    event.preventDefault();
    to?.focus();
  });
  return () => opener?.focus();
}

/**
 * The button that makes a key for this browser. The page has it only on a developer's own machine.
 *
 * @param listKey the field of the list that Swagger UI replaces, while the page has it
 */
export function offerKey(
  button: HTMLButtonElement,
  swaggerUi: SwaggerUi,
  listKey: HTMLInputElement,
  announce: (text: string) => void,
): void {
  button.hidden = false;
  button.addEventListener('click', () => {
    const hasKey =
      swaggerUi.authSelectors.authorized().getIn(['apiKey', 'value']) !== undefined ||
      (listKey.isConnected && listKey.value.trim() !== '');
    if (hasKey && !confirm('Replace the key that you have entered by a new Free key?')) return;
    makeKey(button.dataset['url']!).then(
      (value) => {
        useKey(swaggerUi, value);
        listKey.value = value;
        announce('Your requests have a new key now, for a week.');
        document.getElementById('content')?.focus();
        button.remove();
      },
      (error: unknown) => announce(`No key was made: ${(error as Error).message}`),
    );
  });
}

/** Sends a key with every request from now on. */
export function useKey({ authActions, specSelectors }: SwaggerUi, value: string): void {
  const schema = specSelectors.specJson().getIn(['components', 'securitySchemes', 'apiKey']) as Stored;
  authActions.authorizeWithPersistOption({ apiKey: { name: 'apiKey', schema: schema.toJS(), value } });
}

/** @throws Error with the reason when the server refuses or does not respond */
async function makeKey(url: string): Promise<string> {
  const response = await fetch(url, { method: 'POST' });
  const { key, message } = (await response.json()) as { key?: string; message?: string };
  if (key === undefined) throw new Error(message);
  return key;
}

type Resolve = (path: readonly string[]) => unknown;

/**
 * A plugin of Swagger UI: it takes the security schemes as the document has them, without references. Swagger UI would
 * resolve the references of the whole document for them, before it draws an operation.
 */
export function plainSchemes() {
  const requestResolvedSubtree =
    (original: Resolve, { specActions, specSelectors }: SwaggerUi) =>
    (path: readonly string[]): unknown => {
      if (path.join('.') !== 'components.securitySchemes') return original(path);
      const schemes = specSelectors.specJson().getIn(path) as Stored;
      return specActions.updateResolvedSubtree(path, schemes.toJS());
    };
  return { statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } };
}
