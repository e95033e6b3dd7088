/** Controls that Swagger UI gives no name, and the name of each. */
const NAMES: readonly { readonly controls: string; readonly nameOf: (control: HTMLElement) => string }[] = [
  { controls: 'select#servers', nameOf: () => 'Server' },
  { controls: 'textarea.body-param__text', nameOf: () => 'Request body' },
  { controls: '.response select.examples-select-element', nameOf: () => 'Example of the response' },
  { controls: 'select.examples-select-element', nameOf: () => 'Example' },
  {
    controls: 'tr[data-param-name] :is(input, select, textarea)',
    nameOf: (control) => control.closest<HTMLElement>('tr[data-param-name]')!.dataset['paramName']!,
  },
];

/** Names every control in `root`, now and whenever Swagger UI draws more of them. */
export function nameControls(root: HTMLElement): void {
  const name = (): void => {
    for (const { controls, nameOf } of NAMES) {
      for (const control of root.querySelectorAll<HTMLElement>(`:is(${controls}):not([aria-label])`)) {
        control.setAttribute('aria-label', nameOf(control));
      }
    }
  };
  new MutationObserver(name).observe(root, { childList: true, subtree: true });
}
