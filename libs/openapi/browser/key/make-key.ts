import type { Stored, SwaggerUi } from '../swagger-ui.js';

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
