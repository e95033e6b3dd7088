import type { Component, SwaggerUi } from '../swagger-ui.js';

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
