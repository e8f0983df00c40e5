import { randomBytes } from 'node:crypto'
import { type DkimKey, isKeyRecord, parseKey } from '../../../lib/mail-auth/dkim/key.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askTexts, type TxtRecords } from '../mail-policy/query-dns.ts'

export type FoundKey = DkimKey & { selector: string; alias: string | null; records: number }

/** Replies of the selectors. `checked` counts those that the DNS answered for. */
export type SelectorProbe = { checked: number; unanswered: string[]; wildcard: boolean; found: FoundKey[] }

const atOnce = 12
/** After so many questions without an answer the DNS of the domain is not bothered any more. */
const maxFailures = 4

const keyName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

const readSelectorKey = (selector: string, { texts, alias }: TxtRecords): FoundKey | undefined => {
  const records = texts.filter(isKeyRecord)
  const [first] = records
  if (first === undefined) return undefined
  return { ...parseKey(first), selector, alias, records: records.length }
}

/**
 * Asks for the key of each selector. A random one first: what answers to it answers to everything (`*`), and only keys
 * that differ from it are a selector's own. The code when the DNS did not tell.
 */
export const probeSelectors = async (
  dns: Dns,
  domain: string,
  selectors: readonly string[],
  signal: AbortSignal,
): Promise<SelectorProbe | string> => {
  const random = await askTexts(dns, keyName(`x${randomBytes(8).toString('hex')}`, domain), signal)
  if (random.failed) return random.failed
  const everywhere = new Set(random.texts)
  const wildcard = readSelectorKey('*', random)
  const keys: (FoundKey | undefined)[] = []
  const answered = new Set<string>()
  let [next, failures] = [0, 0]

  const work = async () => {
    while (next < selectors.length && failures < maxFailures) {
      const index = next++
      const selector = selectors[index] ?? ''
      const answer = await askTexts(dns, keyName(selector, domain), signal)
      if (answer.failed) failures++
      else answered.add(selector)
      const texts = answer.texts.filter(text => !everywhere.has(text))
      keys[index] = readSelectorKey(selector, { ...answer, texts })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return {
    checked: answered.size,
    unanswered: selectors.filter(selector => !answered.has(selector)),
    wildcard: wildcard !== undefined,
    found: [wildcard, ...keys].filter(key => key !== undefined),
  }
}
