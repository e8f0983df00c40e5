/** A parameter's value: a token is told apart from a string. */
export type Bare = string | number | boolean | { token: string }

/**
 * An inner list with its parameters, and as it stands in the field: what a signature covers. An item that is no plain string is
 * undefined: it is a structured field, and names no component that is known here.
 */
export type InnerList = { items: (string | undefined)[]; parameters: ReadonlyMap<string, Bare>; raw: string }

const fault = (): never => {
  throw new SyntaxError('no structured field (RFC 9651)')
}

/** Reads the part of RFC 9651 that signatures need: dictionaries of inner lists, and of byte sequences. */
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
    if (/^-?\d/.test(text.slice(at, at + 2)))
      return Number(match(/^-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/))
    if (has(':')) return { token: match(/^:[A-Za-z0-9+/]*={0,2}:/) }
    if (has('@')) return { token: match(/^@-?\d{1,15}(?![\d.])/) }
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
    const items: (string | undefined)[] = []
    take('(')
    skip(/^ */)
    while (!has(')')) {
      const value = readBare()
      const isBare = readParameters().size === 0
      items.push(isBare && typeof value === 'string' ? value : undefined)
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
