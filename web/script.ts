/**
 * The one script of all pages: a button that copies each block of code, and a search over the tools of the registry. Without it the
 * pages are whole. It writes text only, never HTML.
 */
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
  const main = document.querySelector('main')
  const { registry } = document.body.dataset
  if (!registry || !main) return
  const input = make('input', { type: 'search', placeholder: 'Search the tools', autocomplete: 'off' })
  input.setAttribute('aria-label', 'Search the tools')
  const results = make('ul')
  results.setAttribute('aria-live', 'polite')
  const form = make('form', { className: 'search' }, input, results)
  form.setAttribute('role', 'search')
  form.addEventListener('submit', event => event.preventDefault())
  main.querySelector('h1')?.after(form)
  let tools
  const load = async () => {
    const { services } = await (await fetch(registry)).json()
    return services.flatMap(({ url, name: service, tools }) =>
      tools.map(({ name, title, description, keywords = [] }) => ({
        url: url + '/#' + name, name, title, service,
        text: [name, title, description, ...keywords].join(' ').toLowerCase(),
        head: (name + ' ' + title).toLowerCase(),
      })))
  }
  input.addEventListener('input', async () => {
    const words = input.value.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? []
    tools ??= load()
    const all = await tools.catch(() => { tools = undefined; return [] })
    const count = text => words.filter(word => text.includes(word)).length
    const matches = all
      .map(tool => ({ tool, score: count(tool.text) + count(tool.head) * 2 }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, words.length > 0 ? 8 : 0)
    results.replaceChildren(...matches.map(({ tool }) =>
      make('li', {}, make('a', { href: tool.url, textContent: tool.name }), ' ' + tool.title + ', ' + tool.service)))
  })
})()
`
