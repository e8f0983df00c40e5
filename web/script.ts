/**
 * The script of pages that show code or run something: a button that copies each block, and forms whose answer comes without leaving
 * the page. Without it the pages are whole.
 */
export const pageScript = `
(() => {
  const make = (tag, fields = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), fields)
    element.append(...children)
    return element
  }
  const withCopy = block => {
    if (block.firstElementChild?.tagName !== 'CODE') return
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
  const run = async (form, event) => {
    event.preventDefault()
    const [button] = form.querySelectorAll('button')
    button.disabled = true
    form.querySelector('[role=alert]')?.remove()
    form.setAttribute('aria-busy', 'true')
    try {
      const body = new URLSearchParams(new FormData(form))
      const response = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const fresh = page.querySelector('main')
      if (!fresh) throw new Error('no page')
      document.querySelector('main').replaceWith(fresh)
      enhance(fresh)
      const answer = document.getElementById('answer')
      answer.tabIndex = -1
      answer.focus()
    } catch {
      // Sent again by itself it might run twice.
      const status = make('p', { className: 'bad', textContent: 'The answer did not arrive. Run it again where that does no harm.' })
      status.setAttribute('role', 'alert')
      form.append(status)
      form.removeAttribute('aria-busy')
      button.disabled = false
    }
  }
  const enhance = root => {
    root.querySelectorAll('pre').forEach(withCopy)
    for (const form of root.querySelectorAll('form[data-inplace]')) form.addEventListener('submit', event => run(form, event))
  }
  enhance(document)
})()
`
