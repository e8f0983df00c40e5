/**
 * Percent-encoding in the form in which paths compare (RFC 9309 §2.2.2): escapes in upper case, those of the unreserved marks decoded,
 * and bytes that may not stand in a URI (RFC 3986 §2) encoded. Escaped letters and digits stay, as in Google's crawler.
 */
export const normalizeEscapes = (bytes: string): string =>
  bytes
    .replace(/%[0-9a-f]{2}/gi, code => code.toUpperCase())
    .replace(/%(?:2D|2E|5F|7E)/g, code => decodeURIComponent(code))
    .replace(
      /[\0- "<>\\^`{|}\x7f-\xff]/g,
      byte => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )

const findFirst = (text: string, marks: RegExp, from: number): number => {
  const index = text.slice(from).search(marks)
  return index < 0 ? Number.POSITIVE_INFINITY : index + from
}

/** Path, parameters and query of a URL with or without scheme and host; `/` where there are none. No fragment. */
export const findPath = (url: string): string => {
  const start = url.startsWith('//') ? 2 : 0
  const early = findFirst(url, /[/?;]/, start)
  const scheme = findFirst(url, /:\/\//, start)
  const host = scheme === Number.POSITIVE_INFINITY || early < scheme ? start : scheme + 3
  const path = findFirst(url, /[/?;]/, host)
  const hash = findFirst(url, /#/, start)
  if (path === Number.POSITIVE_INFINITY || hash < path) return '/'
  const pathText = url.slice(path, hash)
  return pathText.startsWith('/') ? pathText : `/${pathText}`
}

/**
 * Does a path begin with what a pattern says? `*` stands for anything, `$` at the end for the end of the path (RFC 9309
 * §2.2.3). The pieces between stars are found from left to right, which takes no backtracking.
 */
export const matchesPath = (path: string, pattern: string): boolean => {
  const toEnd = pattern.endsWith('$')
  const [first = '', ...others] = (toEnd ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  const last = others.pop()
  if (last === undefined) return !toEnd || path.length === first.length
  let at = first.length
  for (const piece of others) {
    const index = path.indexOf(piece, at)
    if (index < 0) return false
    at = index + piece.length
  }
  if (toEnd) return path.length - at >= last.length && path.endsWith(last)
  return path.includes(last, at)
}
