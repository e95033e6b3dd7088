/** The script of every page: dark or light, as the system says until the reader chooses; and buttons that copy code. */

/** Where the choice of the reader is stored: `dark` or `light`. */
const CHOICE = 'theme';

const system = matchMedia('(prefers-color-scheme: dark)');

function isDark(): boolean {
  const choice = localStorage.getItem(CHOICE);
  return choice === null ? system.matches : choice === 'dark';
}

function show(): void {
  // The class that the stylesheet of Swagger UI uses.
  document.documentElement.classList.toggle('dark-mode', isDark());
  document.getElementById('theme')?.setAttribute('aria-checked', String(isDark()));
}

try {
  void localStorage;
} catch {
  // Where the browser refuses to store anything, the page and Swagger UI remember until it is left.
  const stored = new Map<string, string>();
  const value = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  };
  Object.defineProperty(window, 'localStorage', { value });
}
// Now, before the page is drawn: it would flash otherwise.
show();
system.addEventListener('change', show);
// Changed by another page of this server, in another tab.
addEventListener('storage', show);
document.addEventListener('DOMContentLoaded', () => {
  show();
  document.getElementById('theme')?.addEventListener('click', () => {
    localStorage.setItem(CHOICE, isDark() ? 'light' : 'dark');
    show();
  });
  // A page without TLS has no clipboard.
  if (!isSecureContext) return;
  for (const code of document.querySelectorAll<HTMLElement>('main.text > pre')) code.before(copyButton(code));
});
function copyButton(code: HTMLElement): HTMLElement {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    // Without the output, which some shells would run.
    const typed = code.innerText.replace(/^# .*\n?/gm, '');
    void navigator.clipboard.writeText(typed).then(() => (button.textContent = 'Copied'));
  });
  return button;
}
