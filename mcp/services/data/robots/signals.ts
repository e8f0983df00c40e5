import type { Directive } from './directive.ts'
import { fromBinaryString } from './line.ts'

/** What a group of crawlers may do with what it fetched: a Content-Signal or Content-Usage line. */
export type ContentSignal = {
  line: number
  userAgents: string[]
  path: string | null
  signals: Record<string, string>
}

const fields = new Set(['content-signal', 'content-usage'])

const readSignal = (value: string): Pick<ContentSignal, 'path' | 'signals'> => {
  const [, path = null, list = ''] = /^(?:(\/\S{0,2000})\s+)?(.*)$/s.exec(value) ?? []
  const pairs = list
    .slice(0, 2000)
    .split(/[,;]/)
    .map(pair => /^\s*([a-z][\w-]{0,60})\s*=\s*"?([\w.-]{1,60})/i.exec(pair))
    .flatMap(pair => (pair ? [[pair[1]?.toLowerCase() ?? '', pair[2]?.toLowerCase() ?? ''] as const] : []))
  return { path, signals: Object.fromEntries(pairs) }
}

/** The usage preferences of a robots.txt (contentsignals.org, and the IETF's draft-ietf-aipref-attach). */
export const signalsIn = (directives: readonly Directive[]): ContentSignal[] => {
  const signals: ContentSignal[] = []
  let userAgents: string[] = []
  let groupEnded = true
  for (const { field, name, value, line } of directives) {
    if (field === 'user-agent') {
      if (groupEnded) userAgents = []
      groupEnded = false
      userAgents = [...userAgents.slice(0, 50), fromBinaryString(value)]
    }
    if (field === 'allow' || field === 'disallow') groupEnded = true
    if (field === 'other' && fields.has(name.toLowerCase()))
      signals.push({ line, userAgents, ...readSignal(fromBinaryString(value)) })
  }
  return signals
}
