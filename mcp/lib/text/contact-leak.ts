import { findContactEmails } from './contact/email.ts'
import type { ContactFinding } from './contact/finding.ts'
import { findHandles } from './contact/handle.ts'
import { findContactPhones } from './contact/phone.ts'
import { findSites } from './contact/site.ts'
import { readings } from './contact/views.ts'
import { cut } from './cut.ts'
import { hasHiddenRun } from './invisible.ts'

/** `hidden` stands for characters that nobody sees, in a run: whatever they spell is not for the reader. */
export type Leak = ContactFinding

/** Code units that are read: no text of a trade is longer, and work stays in proportion. */
const maxLength = 20_000

const detectors = [findContactEmails, findSites, findContactPhones, findHandles]

function* search(text: string): Generator<ContactFinding[]> {
  const bounded = cut(text, maxLength)
  const views = readings(bounded)
  for (const detect of detectors) for (const view of views) yield detect(view)
  if (hasHiddenRun(bounded)) yield [{ kind: 'hidden', at: 0, text: '', score: 1 }]
}

const isLeak = ({ score }: ContactFinding): boolean => score >= 1

/** Whatever in a text may be a contact detail, each with how surely it is one: 1 and more is. */
export const scoreContacts = (text: string): ContactFinding[] => [...search(text)].flat()

/**
 * Contact details in a text: mail addresses, sites that are offered, phone numbers, handles and wallets, also when they are
 * spelled out ("ada at example dot com"), encoded, or broken up by what nobody sees. Technologies, standards, numbers of
 * orders and books, and third-party sites pass. It stops where the first kind of them is found.
 */
export const findContactLeaks = (text: string): Leak[] => {
  for (const findings of search(text)) {
    const leaks = findings.filter(isLeak)
    if (leaks.length > 0) return leaks.map(leak => ({ ...leak, text: cut(leak.text, 60) }))
  }
  return []
}
