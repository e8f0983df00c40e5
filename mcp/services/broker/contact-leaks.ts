import { ToolError } from '../../kernel/error.ts'
import { findContactLeaks } from '../../lib/text/contact-leak.ts'

const kinds = {
  email: 'an e-mail address',
  url: 'an address',
  phone: 'a phone number',
  handle: 'a handle',
  wallet: 'a wallet',
  hidden: 'characters that nobody sees',
} as const

const collectTexts = (value: unknown, path: string): [path: string, text: string][] => {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    collectTexts(inner, path === '' ? key : `${path}.${key}`),
  )
}

const isLeak = (text: string): boolean => findContactLeaks(text).length > 0

/** Lists whose entries are ordinary one by one and hold a contact when they are read together. */
const splitLeaks = (fields: object): { path: string; message: string }[] =>
  Object.entries(fields).flatMap(([path, value]) => {
    if (!Array.isArray(value) || value.length < 2) return []
    const texts = value.filter((one): one is string => typeof one === 'string')
    const whole = [texts.join(' '), texts.join('')]
    const isSplit = whole.some(isLeak) && !texts.some(isLeak)
    return isSplit ? [{ path, message: 'its entries read together hold contact details' }] : []
  })

/** Throws 422 `contact_leak` that names every text with contact details in it. Nothing was charged then. */
export const refuseLeaks = (fields: object): void => {
  const single = collectTexts(fields, '').flatMap(([path, text]) =>
    findContactLeaks(text)
      .slice(0, 1)
      .map(({ kind }) => ({ path, message: `holds ${kinds[kind]}` })),
  )
  const issues = [...single, ...splitLeaks(fields)]
  if (issues.length === 0) return
  throw new ToolError(
    'invalid_input',
    `Contact details do not belong here: ${issues.map(({ path }) => path).join(', ')}.`,
    {
      reason: 'contact_leak',
      issues,
      hint: "Leave them out: both sides get each other's contact when the deal is sealed.",
    },
  )
}
