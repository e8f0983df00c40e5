import { domainToASCII } from 'node:url'

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const top = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59})$/

/** A host name of at least two labels under a top-level name, in ASCII and lower case; undefined when it is none. */
export const asciiHost = (name: string): string | undefined => {
  if (name.length > 253 || name.includes('..')) return undefined
  const ascii = domainToASCII(name.toLowerCase())
  const labels = ascii.split('.')
  const isHost = labels.length > 1 && labels.every(part => label.test(part)) && top.test(labels.at(-1) ?? '')
  return isHost && ascii.length <= 253 ? ascii : undefined
}
