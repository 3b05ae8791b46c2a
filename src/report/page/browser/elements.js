/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Partial<HTMLElementTagNameMap[Tag]>} [properties] such as `textContent` @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]} a new element
 */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
