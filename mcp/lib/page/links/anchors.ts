import type { Element } from '../element.ts'
import { extractor, type PageView } from '../extractor.ts'
import { walk } from '../walk.ts'

/** Collects what a fragment may name: the id of any element, the name of an `a`. */
export const openAnchors = () => {
  const names = new Set<string>()
  const add = (name: string | null) => {
    if (name) names.add(name)
  }
  return {
    names,
    see(element: Element) {
      add(element.getAttribute('id'))
      if (element.localName === 'a') add(element.getAttribute('name'))
    },
  }
}

const decodeFragment = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Sites that show what others write put a word before the ids in it. */
const shapes = (fragment: string) => [fragment, `user-content-${fragment}`]

/** True when no anchor has the name, as written or percent-decoded (HTML standard, section 7.4.6.4). */
export const isMissing = (names: ReadonlySet<string>, fragment: string): boolean =>
  ![fragment, decodeFragment(fragment)].flatMap(shapes).some(name => names.has(name))

/** Which of some fragments a page has no anchor for. */
export const missingAnchors = extractor(
  import.meta.url,
  'missingAnchors',
  ({ document }: PageView, fragments: readonly string[]): string[] => {
    const anchors = openAnchors()
    walk(document, {
      enter(element) {
        anchors.see(element)
        return true
      },
    })
    return fragments.filter(fragment => isMissing(anchors.names, fragment))
  },
)
