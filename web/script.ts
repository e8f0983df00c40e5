/** The script of pages that show code: a button that copies each block. Without it the pages are whole. */
export const pageScript = `
(() => {
  const make = (tag, fields = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), fields)
    element.append(...children)
    return element
  }
  for (const block of document.querySelectorAll('pre')) {
    if (block.firstElementChild?.tagName !== 'CODE') continue
    const text = block.textContent.replace(/\\n$/, '')
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text)
        button.textContent = 'Copied'
      } catch {
        getSelection().selectAllChildren(block)
        button.textContent = 'Selected'
      }
      setTimeout(() => { button.textContent = 'Copy' }, 2000)
    })
    block.prepend(button)
  }
})()
`
