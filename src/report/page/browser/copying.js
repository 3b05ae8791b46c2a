/** Copy buttons at the blocks that people paste. */

import { element } from './elements.js';

const COPY = 'Copy';
/** How long a button says what happened. */
const TOLD_MS = 2000;

export function startCopying() {
  for (const block of document.querySelectorAll('[data-paste]')) {
    const text = block.querySelector('pre');
    if (!text) continue;
    const ariaLabel = `${COPY} ${text.dataset.name ?? 'text'}`;
    const button = element('button', { type: 'button', className: 'copy-button', ariaLabel }, COPY);
    button.addEventListener('click', async () => {
      button.textContent = (await copied(text)) ? 'Copied' : 'Selected: press Ctrl+C';
      setTimeout(() => {
        button.textContent = COPY;
      }, TOLD_MS);
    });
    block.prepend(button);
  }
}

/** @param {HTMLElement} block @returns {Promise<boolean>} false: the browser does not allow it, and the text is selected */
async function copied(block) {
  try {
    await navigator.clipboard.writeText(block.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(block);
    return false;
  }
}
