const maxUrls = 50

/** The end of a descriptor: the next comma outside brackets, which do not nest. */
const descriptorEnd = (text: string, from: number): number => {
  let isInside = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') isInside = true
    else if (text[at] === ')') isInside = false
    else if (text[at] === ',' && !isInside) return at
  }
  return text.length
}

const withoutCommas = (address: string): string => {
  let end = address.length
  while (address[end - 1] === ',') end--
  return address.slice(0, end)
}

/** The addresses of a `srcset`, at most 50. A comma may be part of an address (HTML standard, section 4.8.4.2.1). */
export const parseSrcset = (text: string): string[] => {
  const urls: string[] = []
  const candidate = /[\t\n\f\r ,]*([^\t\n\f\r ,][^\t\n\f\r ]*|$)/y
  for (let at = 0; at < text.length && urls.length < maxUrls; ) {
    candidate.lastIndex = at
    const address = candidate.exec(text)?.[1]
    if (!address) break
    const bare = withoutCommas(address)
    urls.push(bare)
    at = bare.length < address.length ? candidate.lastIndex : descriptorEnd(text, candidate.lastIndex)
  }
  return urls
}
