/** Target of an address: a page of the web, something that is not fetched, or nowhere. */
export type LinkTarget =
  | { to: 'web'; url: string; fragment: string }
  | { to: 'elsewhere'; reason: Skip }
  | { to: 'nowhere' }

/** Why an address is not fetched. */
export type Skip = 'mail' | 'phone' | 'script' | 'inline' | 'other_scheme' | 'too_long'

const schemes: Readonly<Record<string, Skip>> = {
  'mailto:': 'mail',
  'tel:': 'phone',
  'sms:': 'phone',
  'javascript:': 'script',
  'data:': 'inline',
  'blob:': 'inline',
  'about:': 'inline',
}

/** A browser goes to the top for these, and to where a script likes for `#/path` and `#!path`. */
const isAnchor = (fragment: string) => fragment !== '' && !/^(?:top$|!|\/)/i.test(fragment)

/** The part of a fragment that names an element: text directives (`#:~:text=`) are for the browser. */
const readAnchor = (hash: string): string => {
  const fragment = hash.slice(1).replace(/:~:.*$/s, '')
  return isAnchor(fragment) ? fragment : ''
}

const elsewhere = (scheme: string): LinkTarget => ({
  to: 'elsewhere',
  reason: (Object.hasOwn(schemes, scheme) && schemes[scheme]) || 'other_scheme',
})

/** Reads an address as a browser does, with the fragment apart. */
export const readTarget = (href: string, base: string): LinkTarget => {
  const text = href.trim()
  const scheme = /^[a-z][a-z0-9+.-]{0,30}:/i.exec(text)?.[0].toLowerCase() ?? ''
  if (Object.hasOwn(schemes, scheme)) return elsewhere(scheme)
  if (text.length > 4096) return { to: 'elsewhere', reason: 'too_long' }
  if (!URL.canParse(text, base)) return { to: 'nowhere' }
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return elsewhere(url.protocol)
  const fragment = readAnchor(url.hash)
  url.hash = ''
  if (url.href.length > 2048) return { to: 'elsewhere', reason: 'too_long' }
  return { to: 'web', url: url.href, fragment }
}
