import { type MacroString, readMacroString } from '../../../lib/mail-auth/spf/macro-string.ts'
import { expand, expandName } from './expand.ts'
import { queryData, type Run } from './run.ts'

/** The owner's text for a `fail` (RFC 7208 section 6.2): one ASCII TXT record, expanded; null whenever anything is amiss. */
export const explain = async (run: Run, domain: string, exp: MacroString): Promise<string | null> => {
  const texts = await queryData(run, await expandName(run, domain, exp), 'TXT')
  if (typeof texts === 'string' || texts.length !== 1) return null
  const pieces = readMacroString(String(texts[0]), { explains: true })
  return 'why' in pieces ? null : expand(run, domain, pieces)
}
