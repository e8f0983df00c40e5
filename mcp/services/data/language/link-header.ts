/** One link of a `Link` header; `params` by lower-case name, the first of each. */
export type HeaderLink = { href: string; params: ReadonlyMap<string, string> }

const maxLinks = 500

const token = /\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?\s*/y

/** Reads a `Link` header (RFC 8288, appendix B.2): commas and semicolons may stand in addresses and quotes. At most 500 links. */
export const readLinkHeader = (header: string): HeaderLink[] => {
  const links: HeaderLink[] = []
  for (let at = header.indexOf('<'); at >= 0 && links.length < maxLinks; ) {
    const end = header.indexOf('>', at)
    if (end < 0) break
    const params = new Map<string, string>()
    let next = end + 1
    for (;;) {
      while (/\s/.test(header[next] ?? '')) next++
      if (header[next] !== ';') break
      token.lastIndex = next + 1
      const match = token.exec(header)
      if (!match) {
        next++
        continue
      }
      const [whole, name = '', quoted, bare] = match
      const key = name.toLowerCase()
      if (!params.has(key)) params.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '')
      next += 1 + whole.length
    }
    links.push({ href: header.slice(at + 1, end).trim(), params })
    at = header.indexOf('<', next)
  }
  return links
}
