import { domainToASCII } from 'node:url'
import { ToolError } from '../../kernel/error.ts'

const ascii = /^[!-~]+$/
const label = /^[!-[\]-~]{1,63}$/

const refuse = (message: string): never => {
  throw new ToolError('invalid_input', `The domain name cannot be asked for: ${message}.`, {
    issues: [{ path: 'name', message }],
    hint: 'Give a domain name such as example.com.',
  })
}

/**
 * A domain name as it goes on the wire: lower case, IDN as punycode, no trailing dot; the root is `.`.
 * Throws `invalid_input` for labels over 63 and names over 253 characters (RFC 1035 section 2.3.4).
 */
export const asciiName = (input: string): string => {
  const trimmed = input.trim()
  if (trimmed === '.') return '.'
  if (trimmed.length > 1000) return refuse('it is longer than 253 characters')
  const name = (ascii.test(trimmed) ? trimmed : domainToASCII(trimmed)).replace(/\.$/, '').toLowerCase()
  if (name === '') return refuse('it is empty or holds characters that no domain name has')
  if (name.length > 253) return refuse('it is longer than 253 characters')
  if (!name.split('.').every(part => label.test(part)))
    return refuse('each part between dots has 1 to 63 characters')
  return name
}
