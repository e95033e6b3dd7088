/** Null removes it. */
type Attribute = string | null | ((element: HTMLElement) => string);

/** What Swagger UI's markup lacks for people who do not see the page: attributes, by the elements that need them. */
const REPAIRS: Readonly<Record<string, Readonly<Record<string, Attribute>>>> = {
  'select#servers': { 'aria-label': 'Server' },
  'textarea.body-param__text': { 'aria-label': 'Request body' },
  '.response select.examples-select-element': { 'aria-label': 'Example of the response' },
  'select.examples-select-element:not(.response *)': { 'aria-label': 'Example' },
  'tr[data-param-name] :is(input, select, textarea)': {
    'aria-label': (control) => control.closest<HTMLElement>('[data-param-name]')!.dataset['paramName']!,
  },
  '.json-schema-2020-12-accordion': { 'aria-label': ({ textContent }) => textContent.trim() || 'Schema' },
  // Names that differ from what is shown, and one of an element that has no role.
  '.auth-container :is(button, input), div.copy-to-clipboard': { 'aria-label': null },
  '.auth-container .errors': { role: 'alert' },
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.schemes-server-container': { role: 'region', 'aria-label': 'Server' },
  // Swagger UI makes this table a region, so that it is no table for screen readers.
  'table.responses-table': { role: null },
  // The headings jump from level 1 to 3.
  '.opblock-tag, .models > h4, .modal-ux-header h3': { 'aria-level': '2' },
  '.opblock h4, .auth-container h4': { 'aria-level': '3' },
  '.opblock h5, .auth-container h6': { 'aria-level': '4' },
};

/** Repairs the markup in `root`, now and whenever Swagger UI draws more of it. */
export function repairMarkup(root: HTMLElement): void {
  const focusResponse = followExecution(root);
  const repair = (): void => {
    focusResponse();
    for (const [elements, attributes] of Object.entries(REPAIRS)) {
      for (const element of root.querySelectorAll<HTMLElement>(elements)) {
        for (const [name, attribute] of Object.entries(attributes)) set(element, name, attribute);
      }
    }
  };
  new MutationObserver(repair).observe(root, { childList: true, subtree: true });
}

/** The button that was pressed is disabled until the response arrives, and loses the focus: the response gets it. */
function followExecution(root: HTMLElement): () => void {
  let executed: HTMLElement | null = null;
  root.addEventListener('click', ({ target }) => {
    executed = (target as Element).closest('.execute')?.closest<HTMLElement>('.opblock') ?? executed;
  });
  return () => {
    const response = executed?.querySelector<HTMLElement>('.live-responses-table');
    if (!response || executed!.querySelector('.execute:disabled, .loading-container')) return;
    executed = null;
    if (document.activeElement !== document.body && !document.activeElement?.matches('.execute')) return;
    response.tabIndex = -1;
    response.focus();
  };
}

function set(element: HTMLElement, name: string, attribute: Attribute): void {
  if (attribute === null) return element.removeAttribute(name);
  const value = typeof attribute === 'string' ? attribute : attribute(element);
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
