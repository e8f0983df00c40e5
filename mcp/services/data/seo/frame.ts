import type { Element } from '../../../lib/page/element.ts'

/** Elements that scripts put a whole page into, by their id or a mark of the framework. */
const roots = new Set(['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte'])
const marks = ['ng-app', 'data-reactroot', 'data-server-rendered']

const isRoot = (element: Element): boolean =>
  roots.has(element.getAttribute('id') ?? '') ||
  element.localName === 'app-root' ||
  marks.some(mark => element.getAttribute(mark) !== null)

const isProgram = (script: Element) =>
  /^\s*$|javascript|ecmascript|^module$/i.test(script.getAttribute('type') ?? '')

const maxMarkers = 500

/** Counts what a page is built of: scripts, elements to show, and the types of microdata and RDFa. */
export const openFrame = () => {
  const frame = { scripts: 0, elements: 0, hasRoot: false, marked: [] as string[] }
  const mark = (types: string | null) => {
    if (types !== null && frame.marked.length < maxMarkers)
      frame.marked.push(...types.trim().split(/\s+/, 10))
  }
  return {
    see(element: Element) {
      if (element.localName === 'script') {
        if (isProgram(element)) frame.scripts++
        return
      }
      frame.elements++
      frame.hasRoot ||= isRoot(element)
      mark(element.getAttribute('itemtype'))
      mark(element.getAttribute('typeof'))
    },
    read: () => frame,
  }
}
