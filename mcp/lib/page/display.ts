import type { Content } from './element.ts'

/** How an element stands in running text. */
export type Display = 'inline' | 'line' | 'block' | 'cell' | 'break' | 'none'

const kinds: Readonly<Record<Exclude<Display, 'inline'>, string>> = {
  none: 'script style noscript template head title meta link svg select datalist textarea iframe object embed audio video canvas map input option dialog',
  break: 'br',
  cell: 'td th',
  line: 'li dt dd tr caption figcaption div header footer address summary legend tbody thead tfoot center nav option',
  block:
    'p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl menu table figure hr section article main aside details fieldset form',
}

const displays = new Map<string, Display>(
  Object.entries(kinds).flatMap(([kind, names]) =>
    names.split(' ').map(name => [name, kind as Display] as const),
  ),
)

/** How an element is shown by default; those that show no text of the page are `none`. */
export const displayOf = (name: string): Display => displays.get(name) ?? 'inline'

/** True for an element that the page hides itself. */
export const isHidden = (element: Content): boolean => {
  if (element.getAttribute('hidden') !== null) return true
  const style = element.getAttribute('style')
  return (
    style !== null &&
    /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(style)
  )
}
