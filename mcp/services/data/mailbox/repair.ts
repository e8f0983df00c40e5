import { parseMailbox } from './syntax.ts'

const mends: readonly ((address: string) => string)[] = [
  address => address.replace(/[\p{Cf}\p{Cc}]/gu, ''),
  address => address.replace(/\s*([@.])\s*/g, '$1'),
  address => address.replace(/@+/g, '@'),
  address =>
    address
      .replace(/\.+@/, '@')
      .replace(/@\.+/, '@')
      .replace(/^\.+|[.,;:]+$/g, ''),
  address => address.replace(/\.{2,}/g, '.'),
  address => address.replace(/(?<=@.*),/g, '.'),
  address => address.replace(/\s+/g, ''),
  address => address.replace(/@(\d+\.\d+\.\d+\.\d+)$/, '@[$1]'),
]

/** A well-formed address that is a slip of the finger away from one that is not; null when none is found. */
export const repairAddress = (address: string): string | null => {
  let text = address.slice(0, 400)
  for (const mend of mends) {
    text = mend(text)
    if (text !== address && 'mailbox' in parseMailbox(text)) return text
  }
  return null
}
