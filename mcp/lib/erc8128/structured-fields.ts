/** A parameter's value: a token is told apart from a string. */
export type Bare = string | number | boolean | { token: string }

/** An inner list of strings with its parameters, and as it stands in the field: what a signature covers. */
export type InnerList = { items: string[]; parameters: ReadonlyMap<string, Bare>; raw: string }

const fault = (): never => {
  throw new SyntaxError('no structured field (RFC 9651)')
}

/** Reads the part of RFC 9651 that signatures need: dictionaries of inner lists of strings, and of byte sequences. */
const openReader = (text: string) => {
  let at = 0
  const match = (pattern: RegExp): string => {
    const [match = fault()] = pattern.exec(text.slice(at)) ?? []
    at += match.length
    return match
  }
  const has = (character: string): boolean => text[at] === character
  const take = (character: string): void => {
    if (text[at++] !== character) fault()
  }
  const skip = (pattern: RegExp): void => void match(pattern)
  const readString = (): string =>
    match(/^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/)
      .slice(1, -1)
      .replace(/\\(["\\])/g, '$1')
  const readBare = (): Bare => {
    if (has('"')) return readString()
    const number = /^-?\d{1,15}(?![\d.])/.exec(text.slice(at))
    if (number) return Number(match(/^-?\d{1,15}/))
    if (has('?')) return match(/^\?[01]/) === '?1'
    return { token: match(/^[A-Za-z*][\w:/!#$%&'*+.^`|~-]*/) }
  }
  const readKey = (): string => match(/^[a-z*][a-z0-9_.*-]*/)
  const readParameters = (): Map<string, Bare> => {
    const parameters = new Map<string, Bare>()
    while (has(';')) {
      take(';')
      skip(/^ */)
      const key = readKey()
      parameters.delete(key)
      if (!has('=')) parameters.set(key, true)
      else {
        take('=')
        parameters.set(key, readBare())
      }
    }
    return parameters
  }
  const readInnerList = (): InnerList => {
    const start = at
    const items: string[] = []
    take('(')
    skip(/^ */)
    while (!has(')')) {
      items.push(readString())
      if (!has(')')) skip(/^ +/)
    }
    take(')')
    const parameters = readParameters()
    return { items, parameters, raw: text.slice(start, at) }
  }
  const readBytes = (): Buffer => Buffer.from(match(/^:[A-Za-z0-9+/]*={0,2}:/).slice(1, -1), 'base64')
  const readDictionary = <T>(readMember: () => T): Map<string, T> => {
    const members = new Map<string, T>()
    skip(/^ */)
    for (;;) {
      const key = readKey()
      take('=')
      members.delete(key)
      members.set(key, readMember())
      skip(/^[ \t]*/)
      if (at >= text.length) return members
      take(',')
      skip(/^[ \t]*/)
    }
  }
  return { readDictionary, readInnerList, readBytes }
}

/** `Signature-Input`: label → covered components and parameters. Throws SyntaxError. */
export const parseSignatureInput = (text: string): Map<string, InnerList> => {
  const reader = openReader(text)
  return reader.readDictionary(reader.readInnerList)
}

/** `Signature` and `Content-Digest`: label → bytes. Throws SyntaxError. */
export const parseByteDictionary = (text: string): Map<string, Buffer> => {
  const reader = openReader(text)
  return reader.readDictionary(reader.readBytes)
}
