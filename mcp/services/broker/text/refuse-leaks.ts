import { ToolError } from '../../../kernel/error.ts'
import { findContactLeaks } from '../../../lib/text/contact-leak.ts'

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

/** Throws 422 `contact_leak` that names every text with contact details in it. Nothing was charged then. */
export const refuseLeaks = (fields: object): void => {
  const issues = collectTexts(fields, '').flatMap(([path, text]) =>
    findContactLeaks(text)
      .slice(0, 1)
      .map(({ kind }) => ({ path, message: `holds ${kinds[kind]}` })),
  )
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
