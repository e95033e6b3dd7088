type Attribute = string | null | ((element: HTMLElement) => string);

interface Repair {
  readonly elements: string;
  /** By name. Null removes it. */
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** What Swagger UI's markup lacks for people who do not see the page. The first that names an element counts. */
const REPAIRS: readonly Repair[] = [
  { elements: 'select#servers', attributes: { 'aria-label': 'Server' } },
  { elements: 'textarea.body-param__text', attributes: { 'aria-label': 'Request body' } },
  {
    elements: '.response select.examples-select-element',
    attributes: { 'aria-label': 'Example of the response' },
  },
  {
    elements: 'select.examples-select-element:not(.response *)',
    attributes: { 'aria-label': 'Example' },
  },
  {
    elements: 'tr[data-param-name] :is(input, select, textarea)',
    attributes: {
      'aria-label': (control) => control.closest<HTMLElement>('[data-param-name]')!.dataset['paramName']!,
    },
  },
  {
    elements: '.json-schema-2020-12-accordion',
    attributes: { 'aria-label': ({ textContent }) => textContent.trim() || 'Schema' },
  },
  // Names that differ from what is shown, and one of an element that has no role.
  {
    elements: '.auth-container :is(button, input), div.copy-to-clipboard',
    attributes: { 'aria-label': null },
  },
  { elements: '.information-container', attributes: { role: 'region', 'aria-label': 'About' } },
  { elements: '.schemes-server-container', attributes: { role: 'region', 'aria-label': 'Server' } },
  // As a region it is no table.
  { elements: 'table.responses-table', attributes: { role: null } },
  // The headings jump from level 1 to 3.
  { elements: '.opblock-tag, .models > h4, .modal-ux-header h3', attributes: { 'aria-level': '2' } },
  { elements: '.opblock h4, .auth-container h4', attributes: { 'aria-level': '3' } },
  { elements: '.opblock h5, .auth-container h6', attributes: { 'aria-level': '4' } },
];

/** Repairs the markup in `root`, now and whenever Swagger UI draws more of it. */
export function repairMarkup(root: HTMLElement): void {
  const repair = (): void => {
    for (const { elements, attributes } of REPAIRS) {
      for (const element of root.querySelectorAll<HTMLElement>(elements)) {
        for (const [name, attribute] of Object.entries(attributes)) set(element, name, attribute);
      }
    }
  };
  new MutationObserver(repair).observe(root, { childList: true, subtree: true });
}

function set(element: HTMLElement, name: string, attribute: Attribute): void {
  if (attribute === null) return element.removeAttribute(name);
  const value = typeof attribute === 'string' ? attribute : attribute(element);
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
